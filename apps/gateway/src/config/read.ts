import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { readFile } from "node:fs/promises"
import { basename, dirname, resolve } from "node:path"
import { decode, decodeForCommands, decodePrices } from "./Config.ts"
import { codeOf } from "./replaceFile.ts"
import type { ReadOther } from "./operations/files.ts"
import { describe, type Invalid, problemLines } from "./text/Problem.ts"

/** The configuration file cannot be read or is not valid. `problems` names the file without its folder. */
export class ConfigError extends Data.TaggedError("ConfigError")<{
  readonly message: string
  readonly problems: ReadonlyArray<string>
}> {}

const maxProblems = 100

const cannotRead = (path: string, cause: unknown) => {
  const words = (file: string) => `cannot read ${file} (${codeOf(cause)})`
  return new ConfigError({ message: words(path), problems: [words(basename(path))] })
}

const notValid = (path: string, invalid: Invalid) =>
  new ConfigError({
    message: describe(path, invalid, (other) => resolve(dirname(path), other)),
    problems: problemLines(basename(path), invalid, maxProblems)
  })

const decoded = Effect.fnUntraced(function* <A>(path: string, decode: (text: string) => Effect.Effect<A, Invalid>) {
  const text = yield* Effect.tryPromise({
    try: () => readFile(path, "utf8"),
    catch: (cause) => cannotRead(path, cause)
  })
  return yield* Effect.mapError(decode(text), (invalid) => notValid(path, invalid))
})

/** Reads a file that the configuration names, relative to it. */
export const readNextTo =
  (path: string): ReadOther =>
  (name) =>
    Effect.tryPromise({ try: () => readFile(resolve(dirname(path), name), "utf8"), catch: codeOf })

/** Checks a text as if it were in the file. `others` reads the files that it names. */
export const check = (path: string, text: string, others: ReadOther = readNextTo(path)) =>
  Effect.mapError(decode(text, others), (invalid) => notValid(path, invalid))

export const read = (path: string) => decoded(path, (text) => decode(text, readNextTo(path)))

export const readForCommands = (path: string) => decoded(path, decodeForCommands)

export const readPrices = (path: string) => decoded(path, decodePrices)
