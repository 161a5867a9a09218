import type { ConfigurationCheck } from "@tollgate/contract/admin/Configuration"
import { Fleet } from "@tollgate/gateway"
import { type ConfigurationControl, Reloads } from "@tollgate/gateway/operator"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import { basename } from "node:path"
import { line } from "../terminal/print.ts"
import type { Config } from "../config/Config.ts"
import { configPath } from "../settings/Settings.ts"
import { plan } from "../config/plan.ts"
import { type ConfigError, read } from "../config/read.ts"

const print = (text: string) => Effect.ignore(line(text))
const printError = (text: string) => Effect.sync(() => process.stderr.write(`${text}\n`))

const inForce: ConfigurationCheck = { valid: true, problems: [], in_force: true }

const invalid = ({ problems }: ConfigError): ConfigurationCheck => ({ valid: false, problems, in_force: false })

export interface Controlled extends ConfigurationControl {
  readonly config: () => Config
  readonly hasFile: boolean
}

/** Reads the file again, for a signal or the admin API. An invalid file changes nothing. */
export const configuration = Effect.fnUntraced(function* (
  first: Config,
  change: (config: Config) => Effect.Effect<void, ConfigError>
) {
  const path = Option.getOrUndefined(yield* configPath)
  // The environment's credentials and the output are those of the start, whoever asks.
  const context = yield* Effect.context<never>()
  const turn = Semaphore.makeUnsafe(1)
  let config = first
  let loadedAt = yield* Clock.currentTimeMillis
  const fleet = yield* Fleet

  const reload = (path: string) =>
    Effect.gen(function* () {
      const next = yield* read(path)
      yield* change(next)
      config = next
      loadedAt = yield* Clock.currentTimeMillis
      yield* Effect.ignore(fleet.setConfig(next.digest ?? ""))
    }).pipe(
      Effect.matchEffect({
        onSuccess: () => Effect.as(print("Configuration reloaded."), inForce),
        onFailure: (error) =>
          Effect.as(printError(`TOLLGATE_CONFIG: ${error.message}\nConfiguration not changed.`), invalid(error))
      }),
      turn.withPermits(1)
    )

  const own = path === undefined ? Effect.succeed(inForce) : Effect.provideContext(reload(path), context)
  const tellOthers = fleet.isAlone ? Effect.void : yield* Reloads.make(own)

  const check = (path: string) =>
    Effect.gen(function* () {
      const next = yield* read(path)
      yield* plan(next)
      return { ...inForce, in_force: next.digest === config.digest }
    }).pipe(Effect.catchTag("ConfigError", (error) => Effect.succeed(invalid(error))))

  const control: Controlled = {
    config: () => config,
    hasFile: path !== undefined,
    current: Effect.sync(() => ({
      file: path === undefined ? null : basename(path),
      loaded_at: new Date(loadedAt).toISOString(),
      upstreams: Object.keys(config.upstreams),
      sandbox: config.sandbox
    })),
    check: path === undefined ? Effect.succeed(inForce) : Effect.provideContext(check(path), context),
    reload: Effect.tap(own, ({ valid }) => (valid ? tellOthers : Effect.void))
  }
  return control
})
