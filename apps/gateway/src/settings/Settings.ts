import type { LoggedCalls, LogFormat } from "@tollgate/gateway/observe"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import type { LogLevel } from "effect/LogLevel"
import * as Option from "effect/Option"
import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { decodeForCommands, none } from "../config/Config.ts"
import { type ConfigError, read as readConfig, readForCommands } from "../config/read.ts"
import { version } from "../package.ts"
import { traceSettings } from "./traceSettings.ts"
import { read, refuseSetting, refusedVariables, SettingsError, variables } from "./variables.ts"

export { refuseSetting, SettingsError }

/** Where the data is, and the secret that gateways on one store may share: all that commands on the store need. */
export const place = Effect.all({
  data: read("TOLLGATE_DATA"),
  secret: read("TOLLGATE_SECRET"),
  store: read("TOLLGATE_STORE")
})

/** Where the gateway listens, and the address that callers use if it is another. */
export const address = Effect.all({
  host: read("TOLLGATE_HOST"),
  port: read("TOLLGATE_PORT"),
  baseUrl: read("TOLLGATE_BASE_URL")
})

/** Where the metrics are served, if they are. */
const metrics = Effect.gen(function* () {
  const port = yield* read("TOLLGATE_METRICS_PORT")
  const host = yield* read("TOLLGATE_METRICS_HOST")
  if (Option.isSome(host) && Option.isNone(port)) {
    return yield* refuseSetting("TOLLGATE_METRICS_HOST is set; set TOLLGATE_METRICS_PORT too")
  }
  return {
    metricsPort: port,
    metricsHost: Option.getOrElse(host, () => variables.TOLLGATE_METRICS_HOST.fallback),
    metricsToken: Option.fromUndefinedOr(yield* read("TOLLGATE_METRICS_TOKEN"))
  }
})

export interface LogSettings {
  readonly format: LogFormat
  readonly level: LogLevel
  readonly calls: LoggedCalls
}

const levels = { debug: "Debug", info: "Info", warn: "Warn", error: "Error", none: "None" } as const

const log = Effect.gen(function* () {
  const settings: LogSettings = {
    format: yield* read("TOLLGATE_LOG_FORMAT"),
    level: levels[yield* read("TOLLGATE_LOG_LEVEL")],
    calls: yield* read("TOLLGATE_LOG_CALLS")
  }
  return settings
})

/** The file of a gateway that names none. Its first start makes it. */
export const ownConfigIn = (folder: string): string => join(resolve(folder), "tollgate.jsonc")

export const configPath = Effect.gen(function* () {
  const named = yield* read("TOLLGATE_CONFIG")
  const { data, store } = yield* place
  const own = ownConfigIn(data)
  return Option.isNone(named) && store === undefined && existsSync(own) ? Option.some(own) : named
})

/** What is read from the configuration file, or else what counts without one. */
const inFile = <A>(readFile: (path: string) => Effect.Effect<A, ConfigError>, without: Effect.Effect<A>) =>
  Effect.flatMap(configPath, (path): Effect.Effect<A, SettingsError> =>
    Option.isNone(path)
      ? without
      : Effect.mapError(
          readFile(path.value),
          ({ message }) => new SettingsError({ message: `TOLLGATE_CONFIG: ${message}` })
        )
  )

/** The whole configuration file, with the credentials that it names. */
export const configuration = inFile(readConfig, none)

/** For commands: works without the credentials of upstreams, and the secrets of webhooks. */
export const forCommands = inFile(readForCommands, Effect.orDie(decodeForCommands("{}")))

/** Read from the environment. An error names the variable. */
export const settings = Effect.gen(function* () {
  const environment = {
    ...(yield* address),
    httpReader: yield* read("TOLLGATE_HTTP_READER"),
    readerSeconds: yield* read("TOLLGATE_READER_SECONDS"),
    readOnSeconds: yield* read("TOLLGATE_READ_ON_SECONDS"),
    resumeSeconds: yield* read("TOLLGATE_RESUME_SECONDS"),
    resumeMegabytes: yield* read("TOLLGATE_RESUME_MEGABYTES"),
    responsesDays: yield* read("TOLLGATE_RESPONSES_DAYS"),
    responsesMegabytes: yield* read("TOLLGATE_RESPONSES_MEGABYTES"),
    shutdownSeconds: yield* read("TOLLGATE_SHUTDOWN_SECONDS"),
    drainSeconds: yield* read("TOLLGATE_DRAIN_SECONDS"),
    trustedProxies: yield* read("TOLLGATE_TRUSTED_PROXIES"),
    deadSeconds: yield* read("TOLLGATE_DEAD_SECONDS"),
    ...(yield* place),
    /** Counts the limits. */
    redis: yield* read("TOLLGATE_REDIS"),
    limitsFallback: yield* read("TOLLGATE_LIMITS_FALLBACK")
  }
  for (const [name, instead] of Object.entries(refusedVariables)) {
    const url = yield* Effect.option(Config.NonEmptyString(name))
    if (Option.isSome(url)) return yield* refuseSetting(`${name} is set; ${instead}`)
  }
  const config = yield* configuration
  if (config.issuer !== undefined && Option.isNone(environment.baseUrl)) {
    return yield* refuseSetting("TOLLGATE_BASE_URL must be set: the tokens of oauth.issuer are issued for this address")
  }
  const adminToken = Option.fromUndefinedOr(yield* read("TOLLGATE_ADMIN_TOKEN"))
  if (!config.operators.sharedToken && Option.isSome(adminToken)) {
    return yield* refuseSetting("TOLLGATE_ADMIN_TOKEN is set, and operators.sharedToken is false; unset one of them")
  }
  return {
    ...environment,
    ...config,
    log: yield* log,
    traces: yield* traceSettings(version()),
    bootstrapKey: Option.fromUndefinedOr(yield* read("TOLLGATE_BOOTSTRAP_KEY")),
    adminToken,
    configWrite: yield* read("TOLLGATE_CONFIG_WRITE"),
    ...(yield* metrics)
  }
})

export type Settings = Effect.Success<typeof settings>

/** The variable that says where the store is. */
export const variableOf = ({ store }: Pick<Settings, "store">): string =>
  store === undefined ? "TOLLGATE_DATA" : "TOLLGATE_STORE"
