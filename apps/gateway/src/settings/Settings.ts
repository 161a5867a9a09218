import { defaultGrantPolicy } from "@tollgate/gateway/driver"
import type { LoggedCalls, LogFormat } from "@tollgate/gateway/observe"
import { parseAddress as parsePostgres } from "@tollgate/server/postgres"
import { parseAddress as parseRedis } from "@tollgate/server/redis"
import * as Config from "effect/Config"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { LogLevel } from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { none } from "../config/Config.ts"
import { type ConfigError, read, readForCommands } from "../config/read.ts"
import { version } from "../package.ts"
import { traceSettings } from "./traceSettings.ts"
import { refusedVariables, type VariableName } from "./variables.ts"

/** An invalid setting, in one line for the person who set it. */
export class SettingsError extends Data.TaggedError("SettingsError")<{ readonly message: string }> {}

const variable = <A>(name: VariableName, config: (name: string) => Config.Config<A>, expected: string) =>
  Effect.mapError(config(name), () => new SettingsError({ message: `${name} must be ${expected}` }))

const whole = (minimum: number, maximum: number) =>
  Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum, maximum }))

const seconds = (name: VariableName, fallback: number, least: number, most: number) =>
  variable(
    name,
    (name) => Config.withDefault(Config.schema(whole(least, most), name), fallback),
    `whole seconds, ${least} to ${most}`
  )

/** 0 takes any free port. */
const Port = whole(0, 65_535)
const portExpected = "a port, 0 to 65535"

/** The address that callers use, if the gateway listens at another. */
const BaseAddress = Schema.String.check(Schema.isPattern(/^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*[^\s?#/])?$/))

const redacted = (name: VariableName, expected: string) =>
  variable(name, (name) => Config.option(Config.Redacted(name)), expected)

const mostSecret = 200

const secret = Effect.fnUntraced(function* (name: VariableName, least: number) {
  const value = yield* redacted(name, "text")
  const isSecret = new RegExp(`^[\\x21-\\x7e]{${least},${mostSecret}}$`)
  if (Option.isSome(value) && !isSecret.test(Redacted.value(value.value))) {
    return yield* new SettingsError({
      message: `${name} must be ${least} to ${mostSecret} printable characters, no spaces`
    })
  }
  return value
})

/** The only setting that a command on the store needs. */
export const dataFolder = variable(
  "TOLLGATE_DATA",
  (name) => Config.withDefault(Config.NonEmptyString(name), ".tollgate"),
  "a folder"
)

export const deadSeconds = seconds("TOLLGATE_DEAD_SECONDS", 10, 2, 600)

/** The most that is sensible: the key of an HMAC. */
const mostSecretBytes = 256
const leastSecretBytes = 32

/** The secret that all gateways on one store share, instead of the file in the data folder. */
export const sharedSecret = Effect.gen(function* () {
  const value = yield* redacted("TOLLGATE_SECRET", "text")
  if (Option.isNone(value)) return undefined
  const text = Redacted.value(value.value)
  const bytes = new Uint8Array(Buffer.from(text, "base64"))
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text) || bytes.length < leastSecretBytes || bytes.length > mostSecretBytes) {
    return yield* new SettingsError({
      message: `TOLLGATE_SECRET must be base64 of ${leastSecretBytes} to ${mostSecretBytes} bytes, as openssl rand -base64 32 prints`
    })
  }
  return Redacted.make(bytes, { label: "secret" })
})

const databaseAddress = Effect.fnUntraced(function* (
  name: VariableName,
  parse: (address: Redacted.Redacted) => Result.Result<unknown, string>
) {
  const value = yield* redacted(name, "an address")
  const address = Option.map(value, parse)
  if (Option.isSome(address) && Result.isFailure(address.value)) {
    return yield* new SettingsError({ message: `${name}: ${address.value.failure}` })
  }
  return Option.getOrUndefined(value)
})

/** The address of a PostgreSQL database, instead of the embedded store in the data folder. */
export const storeAddress = databaseAddress("TOLLGATE_STORE", parsePostgres)

/** Where the gateway listens, and the address that callers use if it is another. */
export const address = Effect.all({
  host: variable("TOLLGATE_HOST", (name) => Config.withDefault(Config.NonEmptyString(name), "127.0.0.1"), "an address"),
  port: variable("TOLLGATE_PORT", (name) => Config.withDefault(Config.schema(Port, name), 8787), portExpected),
  baseUrl: variable(
    "TOLLGATE_BASE_URL",
    (name) => Config.option(Config.schema(BaseAddress, name)),
    "an address such as https://gateway.example.com, without a slash at the end"
  )
})

/** Where the metrics are served, if they are. */
const metrics = Effect.gen(function* () {
  const port = yield* variable(
    "TOLLGATE_METRICS_PORT",
    (name) => Config.option(Config.schema(Port, name)),
    portExpected
  )
  const host = yield* variable(
    "TOLLGATE_METRICS_HOST",
    (name) => Config.option(Config.NonEmptyString(name)),
    "an address"
  )
  if (Option.isSome(host) && Option.isNone(port)) {
    return yield* new SettingsError({ message: "TOLLGATE_METRICS_HOST is set; set TOLLGATE_METRICS_PORT too" })
  }
  return {
    metricsPort: port,
    metricsHost: Option.getOrElse(host, () => "127.0.0.1"),
    metricsToken: yield* secret("TOLLGATE_METRICS_TOKEN", 16)
  }
})

const oneOf = <const A extends string>(name: VariableName, choices: readonly [A, ...ReadonlyArray<A>], fallback: A) =>
  variable(
    name,
    (name) => Config.withDefault(Config.schema(Schema.Literals(choices), name), fallback),
    `one of ${choices.join(", ")}`
  )

export interface LogSettings {
  readonly format: LogFormat
  /** The least important entries that are logged. */
  readonly level: LogLevel
  readonly calls: LoggedCalls
}

const levels = { debug: "Debug", info: "Info", warn: "Warn", error: "Error", none: "None" } as const

const log = Effect.gen(function* () {
  const settings: LogSettings = {
    format: yield* oneOf("TOLLGATE_LOG_FORMAT", ["readable", "json"], "readable"),
    level: levels[yield* oneOf("TOLLGATE_LOG_LEVEL", ["debug", "info", "warn", "error", "none"], "info")],
    calls: yield* oneOf("TOLLGATE_LOG_CALLS", ["none", "failures", "all"], "none")
  }
  return settings
})

const traces = Effect.mapError(
  Effect.suspend(() => traceSettings(version())),
  ({ message }) => new SettingsError({ message })
)

/** The file of the configuration, if there is one. */
export const configPath = variable(
  "TOLLGATE_CONFIG",
  (name) => Config.option(Config.NonEmptyString(name)),
  "the path of a file"
)

/** What is read from the configuration file, or else what counts without one. */
const inFile = <A, B>(readFile: (path: string) => Effect.Effect<A, ConfigError>, without: B) =>
  Effect.flatMap(configPath, (path): Effect.Effect<A | B, SettingsError> =>
    Option.isNone(path)
      ? Effect.succeed(without)
      : Effect.mapError(
          readFile(path.value),
          ({ message }) => new SettingsError({ message: `TOLLGATE_CONFIG: ${message}` })
        )
  )

/** The whole configuration file, with the credentials that it names. */
export const configuration = inFile(read, none)

/** For commands: works without the credentials of upstreams, and the secrets of webhooks. */
export const forCommands = inFile(readForCommands, {
  grantPolicy: defaultGrantPolicy,
  signupCredit: undefined,
  webhooks: []
})

/** Read from the environment. An error names the variable. */
export const settings = Effect.gen(function* () {
  const environment = {
    ...(yield* address),
    httpReader: yield* oneOf("TOLLGATE_HTTP_READER", ["own", "node"], "own"),
    readerSeconds: yield* seconds("TOLLGATE_READER_SECONDS", 60, 1, 3_600),
    readOnSeconds: yield* seconds("TOLLGATE_READ_ON_SECONDS", 60, 0, 3_600),
    resumeSeconds: yield* seconds("TOLLGATE_RESUME_SECONDS", 60, 0, 3_600),
    resumeMegabytes: yield* variable(
      "TOLLGATE_RESUME_MEGABYTES",
      (name) => Config.withDefault(Config.schema(whole(8, 65_536), name), 64),
      "whole megabytes, 8 to 65536"
    ),
    shutdownSeconds: yield* seconds("TOLLGATE_SHUTDOWN_SECONDS", 30, 0, 3_600),
    drainSeconds: yield* seconds("TOLLGATE_DRAIN_SECONDS", 0, 0, 300),
    trustedProxies: yield* variable(
      "TOLLGATE_TRUSTED_PROXIES",
      (name) => Config.withDefault(Config.schema(whole(0, 10), name), 0),
      "how many proxies are in front of the gateway, 0 to 10"
    ),
    deadSeconds: yield* deadSeconds,
    data: yield* dataFolder,
    store: yield* storeAddress,
    /** Counts the limits. */
    redis: yield* databaseAddress("TOLLGATE_REDIS", parseRedis),
    limitsFallback: yield* variable(
      "TOLLGATE_LIMITS_FALLBACK",
      (name) => Config.withDefault(Config.schema(Schema.Literals(["share", "refuse"]), name), "share"),
      "share or refuse"
    ),
    secret: yield* sharedSecret
  }
  for (const [name, instead] of Object.entries(refusedVariables)) {
    const url = yield* Effect.option(Config.NonEmptyString(name))
    if (Option.isSome(url)) return yield* new SettingsError({ message: `${name} is set; ${instead}` })
  }
  const config = yield* configuration
  if (config.issuer !== undefined && Option.isNone(environment.baseUrl)) {
    return yield* new SettingsError({
      message: "TOLLGATE_BASE_URL must be set: the tokens of oauth.issuer are issued for this address"
    })
  }
  return {
    ...environment,
    ...config,
    log: yield* log,
    traces: yield* traces,
    bootstrapKey: yield* secret("TOLLGATE_BOOTSTRAP_KEY", 16),
    adminToken: yield* secret("TOLLGATE_ADMIN_TOKEN", 16),
    configWrite: yield* oneOf("TOLLGATE_CONFIG_WRITE", ["off", "on"], "off"),
    ...(yield* metrics)
  }
})

export type Settings = Effect.Success<typeof settings>

/** The variable that says where the store is. */
export const variableOf = ({ store }: Pick<Settings, "store">): string =>
  store === undefined ? "TOLLGATE_DATA" : "TOLLGATE_STORE"
