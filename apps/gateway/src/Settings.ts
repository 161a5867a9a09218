import { Names, defaults } from "@tollgate/contract/Names"
import * as Config from "effect/Config"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { readFile } from "node:fs/promises"

/** A setting that cannot be used, in one line for the person who set it. */
export class SettingsError extends Data.TaggedError("SettingsError")<{ readonly message: string }> {}

/** What a configuration file may hold. */
const File = Schema.Struct({
  names: Schema.optionalKey(Schema.Struct(partial(Names.fields))),
  /** Paths and parameter names of pending operations, by operation id. */
  bindings: Schema.optionalKey(
    Schema.Record(
      Schema.String,
      Schema.Struct({
        path: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^\/[^\s?#]*$/, { expected: "a path" }))),
        parameters: Schema.optionalKey(Schema.Record(Schema.String, Schema.NonEmptyString))
      })
    )
  )
})

function partial<F extends Schema.Struct.Fields>(fields: F) {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, Schema.optionalKey(field)])) as {
    readonly [K in keyof F]: Schema.optionalKey<F[K]>
  }
}

const decodeFile = Schema.decodeUnknownEffect(Schema.fromJsonString(File), { onExcessProperty: "error" })

/** 0 takes whatever port is free. */
const Port = Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: 65_535 }))

const variable = <A>(name: string, config: (name: string) => Config.Config<A>, expected: string) =>
  Effect.mapError(config(name), () => new SettingsError({ message: `${name} must be ${expected}` }))

const secret = (name: string, least: number) =>
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

const readSettingsFile = Effect.fnUntraced(function* (path: string) {
  const text = yield* Effect.tryPromise({
    try: () => readFile(path, "utf8"),
    catch: (cause) => new SettingsError({ message: `TOLLGATE_CONFIG: cannot read ${path} (${codeOf(cause)})` })
  })
  return yield* Effect.mapError(
    decodeFile(text),
    (error) => new SettingsError({ message: `TOLLGATE_CONFIG: ${path}: ${error.message.replaceAll(/\s*\n\s*/g, " ")}` })
  )
})

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "unknown error"

/** All that a command needs which only looks into the store. */
export const dataFolder = variable(
  "TOLLGATE_DATA",
  (name) => Config.withDefault(Config.NonEmptyString(name), ".tollgate"),
  "a folder"
)

/** From the environment, with an error that names the variable. */
export const settings = Effect.gen(function* () {
  const host = yield* variable(
    "TOLLGATE_HOST",
    (name) => Config.withDefault(Config.NonEmptyString(name), "127.0.0.1"),
    "an address"
  )
  const port = yield* variable(
    "TOLLGATE_PORT",
    (name) => Config.withDefault(Config.schema(Port, name), 8787),
    "a port, 0 to 65535"
  )
  const data = yield* dataFolder
  const configPath = yield* variable("TOLLGATE_CONFIG", (name) => Config.option(Config.NonEmptyString(name)), "a file")
  for (const name of ["TOLLGATE_DATABASE_URL", "TOLLGATE_REDIS_URL"]) {
    const url = yield* variable(name, (name) => Config.option(Config.NonEmptyString(name)), "a URL")
    if (Option.isSome(url)) {
      return yield* new SettingsError({
        message: `${name} is set, but this version has only the embedded store: unset it`
      })
    }
  }
  const file = Option.isSome(configPath) ? yield* readSettingsFile(configPath.value) : {}
  return {
    host,
    port,
    data,
    names: { ...defaults, ...file.names },
    bindings: file.bindings ?? {},
    bootstrapKey: yield* secret("TOLLGATE_BOOTSTRAP_KEY", 16),
    adminToken: yield* secret("TOLLGATE_ADMIN_TOKEN", 16)
  }
})

export type Settings = Effect.Success<typeof settings>
