import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { readFile } from "node:fs/promises"
import { decode, decodeCredit } from "./Config.ts"
import { describe, type Invalid } from "./Invalid.ts"

/** The configuration file cannot be read or is not valid. */
export class ConfigError extends Data.TaggedError("ConfigError")<{ readonly message: string }> {}

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "unknown error"

const decoded = Effect.fnUntraced(function* <A>(path: string, decode: (text: string) => Effect.Effect<A, Invalid>) {
  const text = yield* Effect.tryPromise({
    try: () => readFile(path, "utf8"),
    catch: (cause) => new ConfigError({ message: `cannot read ${path} (${codeOf(cause)})` })
  })
  return yield* Effect.mapError(decode(text), (invalid) => new ConfigError({ message: describe(path, invalid) }))
})

export const read = (path: string) => decoded(path, decode)

/** Reads only the signup credit and ignores the rest of the file. */
export const readCredit = (path: string) => decoded(path, decodeCredit)
