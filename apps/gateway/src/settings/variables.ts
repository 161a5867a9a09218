import type { LoggedCalls, LogFormat } from "@tollgate/gateway/observe"
import { parseAddress as parsePostgres } from "@tollgate/server/postgres"
import { parseAddress as parseRedis } from "@tollgate/server/redis"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { readFile } from "node:fs/promises"
import { didYouMean } from "../config/text/Problem.ts"
import { warning } from "../terminal/print.ts"

/** An invalid setting, in one line for the person who set it. */
export class SettingsError extends Data.TaggedError("SettingsError")<{ readonly message: string }> {}

export const refuseSetting = (message: string): Effect.Effect<never, SettingsError> =>
  Effect.fail(new SettingsError({ message }))

/** How a variable is read, and its line in docs/settings.md, which `pnpm generate` writes. */
interface Variable<A> {
  readonly about: string
  /** As the page shows it. */
  readonly fallback: string
  readonly read: (name: string) => Effect.Effect<A, SettingsError>
}

const variable = <A>(
  about: string,
  fallback: string,
  expected: string,
  config: (name: string) => Config.Config<A>
): Variable<A> => ({
  about,
  fallback,
  read: (name) => Effect.mapError(config(name), () => new SettingsError({ message: `${name} must be ${expected}` }))
})

const text = (fallback: string, expected: string, about: string) =>
  variable(about, fallback, expected, (name) => Config.withDefault(Config.NonEmptyString(name), fallback))

const optional = (expected: string, about: string, fallback = "") =>
  variable(about, fallback, expected, (name) => Config.option(Config.NonEmptyString(name)))

const whole = (minimum: number, maximum: number) =>
  Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum, maximum }))

/** Whole numbers, and the one without the variable. */
interface Range {
  readonly from: number
  readonly to: number
  readonly usual: number
}

const number = ({ from, to, usual }: Range, what: string, about: string) =>
  variable(about, String(usual), `${what}, ${from} to ${to}`, (name) =>
    Config.withDefault(Config.schema(whole(from, to), name), usual)
  )

const seconds = (range: Range, about: string) => number(range, "whole seconds", about)

const oneOf = <const A extends string>(choices: readonly [A, ...ReadonlyArray<A>], about: string, words?: string) =>
  variable(about, choices[0], words ?? `one of ${choices.join(", ")}`, (name) =>
    Config.withDefault(Config.schema(Schema.Literals(choices), name), choices[0])
  )

/** An error does not repeat the value. `parse` fails with what is wrong. */
const redacted = <A>(
  about: string,
  parse: (value: Redacted.Redacted, name: string) => Result.Result<A, string>
): Variable<A | undefined> => ({
  about,
  fallback: "",
  read: Effect.fnUntraced(function* (name: string) {
    const given = yield* Effect.mapError(
      Config.option(Config.Redacted(name)),
      () => new SettingsError({ message: `${name} must be a text` })
    )
    if (Option.isNone(given)) return undefined
    const parsed = parse(given.value, name)
    return Result.isFailure(parsed) ? yield* refuseSetting(parsed.failure) : parsed.success
  })
})

const leastSecret = 16
const mostSecret = 200
const isSecret = new RegExp(`^[\\x21-\\x7e]{${leastSecret},${mostSecret}}$`)

const secret = (about: string) =>
  redacted(about, (value, name) =>
    isSecret.test(Redacted.value(value))
      ? Result.succeed(value)
      : Result.fail(`${name} must be ${leastSecret} to ${mostSecret} printable characters, no spaces`)
  )

const database = (about: string, parse: (address: Redacted.Redacted) => Result.Result<unknown, string>) =>
  redacted(about, (value, name) =>
    Result.mapBoth(parse(value), { onSuccess: () => value, onFailure: (problem) => `${name}: ${problem}` })
  )

/** The most that is sensible: the key of an HMAC. */
const mostSecretBytes = 256
const leastSecretBytes = 32

const secretBytes = (value: Redacted.Redacted, name: string) => {
  const text = Redacted.value(value)
  const bytes = new Uint8Array(Buffer.from(text, "base64"))
  return /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) && bytes.length >= leastSecretBytes && bytes.length <= mostSecretBytes
    ? Result.succeed(Redacted.make(bytes, { label: "secret" }))
    : Result.fail(
        `${name} must be base64 of ${leastSecretBytes} to ${mostSecretBytes} bytes, as openssl rand -base64 32 prints`
      )
}

/** The address that callers use, if the gateway listens at another. */
const BaseAddress = Schema.String.check(Schema.isPattern(/^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*[^\s?#/])?$/))

const mostPort = 65_535

/** Every environment variable that the gateway and its commands read. OpenTelemetry's own are in traceSettings.ts. */
export const variables = {
  TOLLGATE_HOST: text("127.0.0.1", "an address", "the address to listen on"),
  TOLLGATE_PORT: number({ usual: 8787, from: 0, to: mostPort }, "a port", "the port to listen on; 0 takes a free one"),
  TOLLGATE_BASE_URL: variable(
    "the URL that callers use, if it differs",
    "",
    "an address such as https://gateway.example.com, without a slash at the end",
    (name) => Config.option(Config.schema(BaseAddress, name))
  ),
  TOLLGATE_TRUSTED_PROXIES: number(
    { usual: 0, from: 0, to: 10 },
    "how many proxies are in front of the gateway",
    "how many proxies are in front, each adding to `X-Forwarded-For`; limits by address need it"
  ),
  TOLLGATE_DRAIN_SECONDS: seconds(
    { usual: 0, from: 0, to: 300 },
    "how long a stop signal still accepts calls, so that load balancers notice first"
  ),
  TOLLGATE_SHUTDOWN_SECONDS: seconds(
    { usual: 30, from: 0, to: 3_600 },
    "how long a stop signal waits for calls in flight before it cuts them"
  ),
  TOLLGATE_READER_SECONDS: seconds(
    { usual: 60, from: 1, to: 3_600 },
    "after this time a caller who reads nothing of a stream is disconnected"
  ),
  TOLLGATE_HTTP_READER: oneOf(["own", "node"], "`node`: only `node:http` reads requests, which costs more"),
  TOLLGATE_READ_ON_SECONDS: seconds(
    { usual: 60, from: 0, to: 3_600 },
    "how long an [abandoned stream](streams.md) is read for its usage report; 0: never"
  ),
  TOLLGATE_RESUME_SECONDS: seconds(
    { usual: 60, from: 0, to: 3_600 },
    "how long a [resumable stream](streams.md#resume-a-stream) goes on without its caller; 0: never"
  ),
  TOLLGATE_RESUME_MEGABYTES: number(
    { usual: 64, from: 8, to: 65_536 },
    "whole megabytes",
    "memory for answers that are sent again; an account has an eighth of it"
  ),
  TOLLGATE_RESPONSES_DAYS: number(
    { usual: 30, from: 0, to: 3_650 },
    "a whole number of days",
    "how long [responses](reference.md#responses) can be gone on from; 0: none are kept"
  ),
  TOLLGATE_RESPONSES_MEGABYTES: number(
    { usual: 256, from: 1, to: 1_048_576 },
    "whole megabytes",
    "the kept responses of one account; the oldest go first, and one may have a 32nd of it"
  ),
  TOLLGATE_DATA: text(".tollgate", "a folder", "the folder of the embedded store; one gateway at a time uses it"),
  TOLLGATE_STORE: database(
    "the address of a [PostgreSQL](scale.md) database, instead of the embedded store",
    parsePostgres
  ),
  TOLLGATE_SECRET: redacted(
    "the secret of [all gateways](scale.md#add-gateways) on one store; default: a file",
    secretBytes
  ),
  TOLLGATE_DEAD_SECONDS: seconds(
    { usual: 10, from: 2, to: 600 },
    "after this time a silent gateway is [dead](scale.md#when-a-gateway-dies) to others"
  ),
  TOLLGATE_REDIS: database(
    "the address of a Redis that counts the [limits](scale.md#share-rate-limits-between-gateways) of many gateways",
    parseRedis
  ),
  TOLLGATE_LIMITS_FALLBACK: oneOf(
    ["share", "refuse"],
    "what a gateway does if the store of the limits is gone: `share` or `refuse`",
    "share or refuse"
  ),
  TOLLGATE_CONFIG: optional(
    "the path of a file",
    "the [configuration file](configuration.md); without it [`tollgate.jsonc` of the data folder](configuration.md#without-a-file-of-your-own)"
  ),
  TOLLGATE_CONFIG_WRITE: oneOf(
    ["off", "on"],
    "`on`: the gateway may write it: [prices](admin.md#apply-prices), [APIs](admin.md#add-an-api)"
  ),
  TOLLGATE_BOOTSTRAP_KEY: secret("a key of your own instead of the generated one: 16 to 200 characters"),
  TOLLGATE_ADMIN_TOKEN: secret("turns on the [admin API](admin.md) with this token: 16 to 200 characters"),
  TOLLGATE_METRICS_PORT: variable(
    "serves [metrics](metrics.md) for Prometheus at a port of their own",
    "",
    `a port, 0 to ${mostPort}`,
    (name) => Config.option(Config.schema(whole(0, mostPort), name))
  ),
  TOLLGATE_METRICS_HOST: optional("an address", "the address of that port", "127.0.0.1"),
  TOLLGATE_METRICS_TOKEN: secret("asks for this token; without a port, serves the metrics at the gateway's"),
  TOLLGATE_LOG_FORMAT: oneOf<LogFormat>(
    ["readable", "json"],
    "`json` for log lines that programs read: [docs/logs.md](logs.md)"
  ),
  TOLLGATE_LOG_LEVEL: oneOf(
    ["info", "debug", "warn", "error", "none"],
    "the least important log lines that are written"
  ),
  TOLLGATE_LOG_CALLS: oneOf<LoggedCalls>(["none", "failures", "all"], "a log line for `all` calls, or for `failures`"),
  TOLLGATE_TRACE_CALLERS: number(
    { usual: 10, from: 0, to: 100_000 },
    "a whole number",
    "[traces](traces.md) a second that are recorded because callers want it"
  )
} satisfies Readonly<Record<string, Variable<unknown>>>

export type VariableName = keyof typeof variables

type ValueOf<Name extends VariableName> = (typeof variables)[Name] extends Variable<infer A> ? A : never

export const read = <Name extends VariableName>(name: Name) =>
  variables[name].read(name) as Effect.Effect<ValueOf<Name>, SettingsError>

/** Not settings of the gateway, but of programs that may run in the same environment: the client reads its key here. */
export const ofOtherPrograms: ReadonlyArray<string> = ["TOLLGATE_KEY"]

/** Names of other gateways' settings, which are likely mistakes. The start is refused with what to do instead. */
export const refusedVariables = {
  TOLLGATE_DATABASE_URL: "set TOLLGATE_STORE instead, and unset it",
  TOLLGATE_REDIS_URL: "set TOLLGATE_REDIS instead, and unset it"
} as const

const prefix = "TOLLGATE"
const configName = `${prefix}_CONFIG`

const known: ReadonlySet<string> = new Set([
  ...Object.keys(variables),
  ...ofOtherPrograms,
  ...Object.keys(refusedVariables)
])

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
  `${name} is not a setting${didYouMean(name, Object.keys(variables)).replaceAll('"', "") || "; it is ignored"}`

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
