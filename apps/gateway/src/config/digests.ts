import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { hash } from "node:crypto"
import { fileNamesIn, type ReadOther } from "./operations/files.ts"
import { objectOf, parse } from "./text/jsonc.ts"

/** What a configuration file says, in short. */
export interface Digests {
  /** Identifies what is in the file, and in those that it names. */
  readonly digest: string
  /** Identifies what is in each section of the file. */
  readonly sections: Readonly<Record<string, string>>
}

const digestOf = (value: unknown): string => hash("sha256", JSON.stringify(value))

/** `texts`: of the files of operations. Comments and spaces count only in them. */
export const digestsOf = (raw: Readonly<Record<string, unknown>>, texts: ReadonlyArray<string>): Digests => {
  const files = texts.map((text) => hash("sha256", text))
  const sections = Object.fromEntries(
    Object.entries(raw)
      .filter(([name]) => name !== "$schema")
      .map(([name, value]) => [name, digestOf(name === "operations" ? [value, files] : value).slice(0, 16)])
      .toSorted()
  )
  return { sections, digest: digestOf(sections) }
}

/**
 * The digest that `decode` would give to a text, without decoding: with thousands of operations that takes seconds.
 * Missing: the text is not JSON or has a key twice, or a file that it names cannot be read.
 */
export const digestIn = Effect.fnUntraced(function* (text: string, readOther: ReadOther) {
  const document = Result.getOrUndefined(parse(text))
  if (document === undefined || document.repeated.length > 0) return undefined
  const raw = objectOf(document.value)
  const texts = yield* Effect.result(Effect.forEach(fileNamesIn(raw.operations), readOther))
  return Result.isFailure(texts) ? undefined : digestsOf(raw, texts.success).digest
})
