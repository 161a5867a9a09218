import { parseAddress } from "@tollgate/server/postgres"
import { parseAddress as parseRedis } from "@tollgate/server/redis"
import * as Config from "effect/Config"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { none } from "../config/Config.ts"
import { read } from "../config/read.ts"
import { formats, levelNames, levels, loggedCalls } from "./logSettings.ts"
import { traceSettings } from "./traceSettings.ts"
import { refusedVariables, type VariableName } from "./variables.ts"
import { version } from "../package.ts"

/** An invalid setting, in one line for the person who set it. */
export class SettingsError extends Data.TaggedError("SettingsError")<{ readonly message: string }> {}

/** 0 takes any free port. */
const Port = Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: 65_535 }))

const ShutdownSeconds = Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: 3_600 }))
const ReaderSeconds = Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: 3_600 }))
const DrainSeconds = Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: 300 }))
const DeadSeconds = Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 2, maximum: 600 }))
const ProxyCount = Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: 10 }))

/** The address that callers use, if the gateway listens at another. */
const BaseAddress = Schema.String.check(Schema.isPattern(/^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*[^\s?#/])?$/))

const variable = <A>(name: VariableName, config: (name: string) => Config.Config<A>, expected: string) =>
  Effect.mapError(config(name), () => new SettingsError({ message: `${name} must be ${expected}` }))

const secret = (name: VariableName, least: number) =>
  Effect.gen(function* () {
    const value = yield* variable(name, (name) => Config.option(Config.Redacted(name)), "text")
    if (Option.isSome(value) && !isSecret(value.value, least)) {
      return yield* new SettingsError({
        message: `${name} must be ${least} to ${mostSecret} printable characters, no spaces`
      })
    }
    return value
  })

const mostSecret = 200

const isSecret = (value: Redacted.Redacted, least: number): boolean =>
  new RegExp(`^[\\x21-\\x7e]{${least},${mostSecret}}$`).test(Redacted.value(value))

const readConfig = (path: string) =>
  Effect.mapError(read(path), ({ message }) => new SettingsError({ message: `TOLLGATE_CONFIG: ${message}` }))

/** The only setting that a command on the store needs. */
export const dataFolder = variable(
  "TOLLGATE_DATA",
  (name) => Config.withDefault(Config.NonEmptyString(name), ".tollgate"),
  "a folder"
)

/** The most that is sensible: the key of an HMAC. */
const mostSecretBytes = 256
const leastSecretBytes = 32

/** The secret that all gateways on one store share, instead of the file in the data folder. */
export const deadSeconds = variable(
  "TOLLGATE_DEAD_SECONDS",
  (name) => Config.withDefault(Config.schema(DeadSeconds, name), 10),
  "whole seconds, 2 to 600"
)

export const sharedSecret = Effect.gen(function* () {
  const value = yield* variable("TOLLGATE_SECRET", (name) => Config.option(Config.Redacted(name)), "text")
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

/** The address of a PostgreSQL database, instead of the embedded store in the data folder. */
export const storeAddress = Effect.gen(function* () {
  const value = yield* variable("TOLLGATE_STORE", (name) => Config.option(Config.Redacted(name)), "an address")
  const address = Option.map(value, parseAddress)
  if (Option.isSome(address) && Result.isFailure(address.value)) {
    return yield* new SettingsError({ message: `TOLLGATE_STORE: ${address.value.failure}` })
  }
  return Option.getOrUndefined(value)
})

/** The address of a Redis that counts the limits. */
const redisAddress = Effect.gen(function* () {
  const value = yield* variable("TOLLGATE_REDIS", (name) => Config.option(Config.Redacted(name)), "an address")
  const address = Option.map(value, parseRedis)
  if (Option.isSome(address) && Result.isFailure(address.value)) {
    return yield* new SettingsError({ message: `TOLLGATE_REDIS: ${address.value.failure}` })
  }
  return Option.getOrUndefined(value)
})

/** Where the gateway listens, and the address that callers use if it is another. */
export const address = Effect.all({
  host: variable("TOLLGATE_HOST", (name) => Config.withDefault(Config.NonEmptyString(name), "127.0.0.1"), "an address"),
  port: variable("TOLLGATE_PORT", (name) => Config.withDefault(Config.schema(Port, name), 8787), "a port, 0 to 65535"),
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
    "a port, 0 to 65535"
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

const log = Effect.gen(function* () {
  return {
    format: yield* oneOf("TOLLGATE_LOG_FORMAT", formats, "readable"),
    level: levels[yield* oneOf("TOLLGATE_LOG_LEVEL", levelNames, "info")],
    calls: yield* oneOf("TOLLGATE_LOG_CALLS", loggedCalls, "none")
  }
})

const traces = Effect.mapError(
  Effect.suspend(() => traceSettings(version())),
  ({ message }) => new SettingsError({ message })
)

/** Read from the environment. An error names the variable. */
export const settings = Effect.gen(function* () {
  const { baseUrl, host, port } = yield* address
  const readerSeconds = yield* variable(
    "TOLLGATE_READER_SECONDS",
    (name) => Config.withDefault(Config.schema(ReaderSeconds, name), 60),
    "whole seconds, 1 to 3600"
  )
  const shutdownSeconds = yield* variable(
    "TOLLGATE_SHUTDOWN_SECONDS",
    (name) => Config.withDefault(Config.schema(ShutdownSeconds, name), 30),
    "whole seconds, 0 to 3600"
  )
  const drainSeconds = yield* variable(
    "TOLLGATE_DRAIN_SECONDS",
    (name) => Config.withDefault(Config.schema(DrainSeconds, name), 0),
    "whole seconds, 0 to 300"
  )
  const trustedProxies = yield* variable(
    "TOLLGATE_TRUSTED_PROXIES",
    (name) => Config.withDefault(Config.schema(ProxyCount, name), 0),
    "how many proxies are in front of the gateway, 0 to 10"
  )
  const dead = yield* deadSeconds
  const data = yield* dataFolder
  const configPath = yield* variable("TOLLGATE_CONFIG", (name) => Config.option(Config.NonEmptyString(name)), "a file")
  const store = yield* storeAddress
  const redis = yield* redisAddress
  const limitsFallback = yield* variable(
    "TOLLGATE_LIMITS_FALLBACK",
    (name) => Config.withDefault(Config.schema(Schema.Literals(["share", "refuse"]), name), "share"),
    "share or refuse"
  )
  const secretGiven = yield* sharedSecret
  for (const [name, instead] of Object.entries(refusedVariables)) {
    const url = yield* Effect.option(Config.NonEmptyString(name))
    if (Option.isSome(url)) return yield* new SettingsError({ message: `${name} is set; ${instead}` })
  }
  const config = Option.isSome(configPath) ? yield* readConfig(configPath.value) : none
  if (config.issuer !== undefined && Option.isNone(baseUrl)) {
    return yield* new SettingsError({
      message: "TOLLGATE_BASE_URL must be set: the tokens of oauth.issuer are issued for this address"
    })
  }
  return {
    host,
    port,
    baseUrl,
    shutdownSeconds,
    drainSeconds,
    trustedProxies,
    readerSeconds,
    deadSeconds: dead,
    data,
    store,
    redis,
    limitsFallback,
    secret: secretGiven,
    log: yield* log,
    traces: yield* traces,
    ...config,
    bootstrapKey: yield* secret("TOLLGATE_BOOTSTRAP_KEY", 16),
    adminToken: yield* secret("TOLLGATE_ADMIN_TOKEN", 16),
    ...(yield* metrics)
  }
})

export type Settings = Effect.Success<typeof settings>

/** The variable that says where the store is. */
export const variableOf = ({ store }: Pick<Settings, "store">): string =>
  store === undefined ? "TOLLGATE_DATA" : "TOLLGATE_STORE"
