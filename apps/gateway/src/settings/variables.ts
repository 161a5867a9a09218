import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import { readFile } from "node:fs/promises"
import { didYouMean } from "../config/text/Problem.ts"
import { warning } from "../terminal/print.ts"

/** Every environment variable that the gateway and its commands read, one on each line. README.md describes them. */
export const variables = [
  "TOLLGATE_ADMIN_TOKEN",
  "TOLLGATE_BASE_URL",
  "TOLLGATE_BOOTSTRAP_KEY",
  "TOLLGATE_CONFIG",
  "TOLLGATE_CONFIG_WRITE",
  "TOLLGATE_DATA",
  "TOLLGATE_DEAD_SECONDS",
  "TOLLGATE_DRAIN_SECONDS",
  "TOLLGATE_HOST",
  "TOLLGATE_HTTP_READER",
  "TOLLGATE_LIMITS_FALLBACK",
  "TOLLGATE_LOG_CALLS",
  "TOLLGATE_LOG_FORMAT",
  "TOLLGATE_LOG_LEVEL",
  "TOLLGATE_METRICS_HOST",
  "TOLLGATE_METRICS_PORT",
  "TOLLGATE_METRICS_TOKEN",
  "TOLLGATE_PORT",
  "TOLLGATE_READER_SECONDS",
  "TOLLGATE_READ_ON_SECONDS",
  "TOLLGATE_REDIS",
  "TOLLGATE_RESUME_MEGABYTES",
  "TOLLGATE_RESUME_SECONDS",
  "TOLLGATE_SECRET",
  "TOLLGATE_SHUTDOWN_SECONDS",
  "TOLLGATE_STORE",
  "TOLLGATE_TRACE_CALLERS",
  "TOLLGATE_TRUSTED_PROXIES"
] as const

export type VariableName = (typeof variables)[number]

/** Not settings of the gateway, but of programs that may run in the same environment: the client reads its key here. */
export const ofOtherPrograms: ReadonlyArray<string> = ["TOLLGATE_KEY"]

/** Names of other gateways' settings, which are likely mistakes. The start is refused with what to do instead. */
export const refusedVariables = {
  TOLLGATE_DATABASE_URL: "set TOLLGATE_STORE instead, and unset it",
  TOLLGATE_REDIS_URL: "set TOLLGATE_REDIS instead, and unset it"
} as const

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
