import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import { readFile } from "node:fs/promises"
import { warning } from "../terminal/print.ts"
import { didYouMean } from "../config/text/Problem.ts"
import { ofOtherPrograms, refusedVariables, variables } from "./variables.ts"

const prefix = "TOLLGATE"
const configName = `${prefix}_CONFIG`

const known: ReadonlySet<string> = new Set([...variables, ...ofOtherPrograms, ...Object.keys(refusedVariables)])

/** The names of all variables with a value under this path. A provider splits names at each `_`. */
const namesUnder = (
  provider: ConfigProvider.ConfigProvider,
  path: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<string>, ConfigProvider.SourceError> =>
  Effect.gen(function* () {
    const node = yield* provider.load(path)
    if (node === undefined) return []
    const own = node.value === undefined ? [] : [path.join("_")]
    if (node._tag !== "Record") return own
    const below = yield* Effect.forEach(node.keys, (key) => namesUnder(provider, [...path, key]))
    return [...own, ...below.flat()]
  })

const readText = (path: string | undefined) =>
  path === undefined
    ? Effect.succeed("")
    : Effect.orElseSucceed(
        Effect.tryPromise(() => readFile(path, "utf8")),
        () => ""
      )

/** A name that was typed wrong, with the line that says so. */
const describe = (name: string): string =>
  `${name} is not a setting${didYouMean(name, variables).replaceAll('"', "") || "; it is ignored"}`

/** Prints a line for each variable that looks like a setting and is none. The configuration file may name any variable. */
export const warnOfUnknownVariables = Effect.ignore(
  Effect.gen(function* () {
    const provider = yield* ConfigProvider.ConfigProvider
    const unknown = (yield* namesUnder(provider, [prefix])).filter((name) => !known.has(name))
    if (unknown.length === 0) return
    const file = yield* readText((yield* provider.load([configName]))?.value)
    for (const name of unknown.sort()) if (!file.includes(name)) yield* warning(describe(name))
  })
)
