import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { readFileSync } from "node:fs"
import { parse } from "../../config/text/jsonc.ts"
import { entriesOf, field, textOf } from "./values.ts"

/** The addresses of the upstreams in the configuration file, by name. */
export interface Upstreams {
  readonly file: string
  /** Missing without a file that can be read. */
  readonly upstreams: ReadonlyMap<string, string | undefined> | undefined
}

/** Works on a file that is not complete yet: it is only compared with the document. */
export const upstreamsIn = (file: string | undefined): Effect.Effect<Upstreams> =>
  Effect.sync(() => {
    if (file === undefined) return { file: "", upstreams: undefined }
    const parsed = Result.flatMap(
      Result.try(() => readFileSync(file, "utf8")),
      parse
    )
    return {
      file,
      upstreams: Result.isSuccess(parsed)
        ? new Map(
            entriesOf(field(parsed.success.value, "upstreams")).map(([name, upstream]) => [
              name,
              textOf(field(upstream, "baseUrl"))
            ])
          )
        : undefined
    }
  })
