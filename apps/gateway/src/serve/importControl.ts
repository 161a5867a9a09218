import type { ImportRequest } from "@tollgate/contract/admin/Import"
import { refuse } from "@tollgate/contract/errors/Refused"
import type { ImportControl } from "@tollgate/gateway/operator"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import { hash } from "node:crypto"
import { fileNamesIn } from "../config/operations/files.ts"
import { readNextTo } from "../config/read.ts"
import { upstreamProblems } from "../config/sections/upstreams.ts"
import { formatPath } from "../config/text/Problem.ts"
import { planInWorker } from "../operations/import/inWorker.ts"
import { fileNameOf, parsePrice, prefixOf } from "../operations/import/Options.ts"
import { sectionsOf } from "../config/text/jsonc.ts"
import type { ConfigFile } from "./configFile.ts"

const fingerprintOf = (text: string, old: string | undefined): string =>
  hash("sha256", JSON.stringify([text, old ?? null]))

export const importControl = ({ change, context, current, path, read }: ConfigFile): ImportControl => {
  // An import needs much memory.
  const turn = Semaphore.makeUnsafe(1)

  const otherText = (name: string): Effect.Effect<string | undefined> =>
    path === undefined ? Effect.undefined : Effect.orElseSucceed(readNextTo(path)(name), () => undefined)

  const othersIn = Effect.fnUntraced(function* (text: string) {
    const others = new Map<string, string>()
    for (const name of fileNamesIn(sectionsOf(text).operations)) {
      const found = yield* otherText(name)
      if (found !== undefined) others.set(name, found)
    }
    return others
  })

  const plan = Effect.fnUntraced(function* (asked: ImportRequest) {
    const { bindings, names } = current()
    const { refusal, text } = yield* read
    const old = yield* otherText(fileNameOf(asked.upstream))
    const { configured, problems, ...planned } = yield* turn.withPermits(1)(
      planInWorker({
        document: asked.document,
        options: {
          upstream: asked.upstream,
          prefix: asked.prefix ?? prefixOf(asked.upstream),
          price: Option.getOrElse(parsePrice(asked.price ?? ""), () => "pending" as const),
          only: asked.only ?? []
        },
        upstream: { baseUrl: asked.base_url, private: asked.private, credential: asked.credential },
        before: { text: text ?? "{}", others: yield* othersIn(text ?? "{}"), around: { bindings, names } },
        old
      })
    )
    const upstream = configured.added.upstreams
    const wrong = upstream === undefined ? [] : yield* upstreamProblems(upstream, names)
    return {
      ...planned,
      configured,
      problems: [...wrong.map(({ message, path }) => `${formatPath(path)}: ${message}`), ...problems],
      text,
      old,
      refusal,
      fingerprint: text === undefined ? null : fingerprintOf(text, old)
    }
  }, Effect.provideContext(context))

  return {
    preview: (asked) =>
      Effect.map(
        plan(asked),
        ({ configured, count, file, fingerprint, kind, operations, problems, refusal, report }) => ({
          report,
          change: kind,
          file: file.name,
          file_text: file.text,
          count,
          operations,
          config: configured.added,
          variable: configured.variable ?? null,
          problems,
          fingerprint,
          refusal
        })
      ),
    prepare: Effect.fnUntraced(function* (asked, fingerprint) {
      const { configured, count, file, kind, old, problems, text } = yield* plan(asked)
      if (problems.length > 0) return yield* refuse("invalid_request", problems.join("\n"), { param: "document" })
      const beside = kind === "same" ? {} : { beside: { ...file, old } }
      const isFor = (now: string) =>
        Effect.map(otherText(file.name), (oldNow) => now === text && fingerprintOf(now, oldNow) === fingerprint)
      const write = change(isFor, () => Effect.succeed({ text: configured.text, param: "document", ...beside }))
      return { file: file.name, count, write: Effect.asVoid(write) }
    })
  }
}
