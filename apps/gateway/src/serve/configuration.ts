import { Fleet } from "@tollgate/gateway"
import { version } from "../package.ts"
import { Family } from "@tollgate/gateway/driver"
import { FleetConfig, type ConfigurationControl, type Provider, Reloads } from "@tollgate/gateway/operator"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { ConfigurationCheck } from "@tollgate/contract/admin/Configuration"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Semaphore from "effect/Semaphore"
import { basename } from "node:path"
import { isDeepStrictEqual } from "node:util"
import type { Config } from "../config/Config.ts"
import { configPath } from "../settings/Settings.ts"
import { plan } from "../config/plan.ts"
import { type ConfigError, read } from "../config/read.ts"
import { recorder } from "./recorded.ts"

const lookEvery = "2 seconds"

const wordsOf = (sections: ReadonlyArray<string>, hasFile: boolean): string => {
  const differs = `the configuration differs from that of the other gateways in ${sections.join(", ")}; `
  return hasFile
    ? `${differs}give this gateway the same file, or reload it here to make it that of all`
    : `${differs}this gateway has no file: set TOLLGATE_CONFIG`
}

/** Whether this gateway has the configuration of the fleet. One that is alone on its store always has. */
const agreement = Effect.fnUntraced(function* (config: () => Config, hasFile: boolean) {
  const fleet = yield* Fleet
  const store = yield* FleetConfig.make
  let found: FleetConfig.Comparison = { differing: [], behind: [] }

  const look = Effect.gen(function* () {
    const before = found.differing.join()
    found = FleetConfig.compare(config().sections, yield* store.read, yield* Clock.currentTimeMillis)
    const sections = found.differing.join()
    if (sections === before) return
    yield* sections === ""
      ? Effect.logInfo("the configuration is that of the other gateways again")
      : Effect.logWarning("the configuration differs from that of the other gateways; this one is not ready", {
          sections
        })
  }).pipe(Effect.ignore)

  if (!fleet.isAlone) {
    const { sections } = config()
    yield* store.join(sections, fleet.size() === 1)
    yield* look
  }

  return {
    /** Whether it has all that the others shall have. */
    isReached: () => found.differing.length === 0 && found.behind.length === 0,
    reason: () => (found.differing.length === 0 ? undefined : wordsOf(found.differing, hasFile)),
    /** The operator has chosen the configuration in force here for all gateways. */
    adopt: fleet.isAlone
      ? Effect.void
      : Effect.suspend(() => store.adopt(config().sections)).pipe(
          Effect.tapError(() => Effect.logWarning("the other gateways were not told of the configuration")),
          Effect.ignore
        ),
    /** Compares at once. */
    look: fleet.isAlone ? Effect.void : look,
    families: (): Family.Snapshot => [
      Family.sharedGauge(
        "tollgate_configuration_differing_sections",
        "Sections of the configuration file that are not those of the other gateways. rolling: replaced within the last hour.",
        [
          { labels: { state: "differs" }, value: found.differing.length },
          { labels: { state: "rolling" }, value: found.behind.length }
        ]
      )
    ]
  }
})

const inForce: ConfigurationCheck = { valid: true, problems: [], in_force: true }

const invalid = ({ problems }: ConfigError): ConfigurationCheck => ({ valid: false, problems, in_force: false })

/** What a reload does not change. */
const readAtStart: ReadonlyArray<string> = [
  "limits",
  "oauth",
  "operators",
  "payments",
  "platform",
  "signupCredit",
  "tools"
]

const secretsOf = (provider: Provider | undefined): ReadonlyArray<string> => {
  const { cloud, credential } = provider ?? {}
  const own = (credential && (credential.rotation?.all ?? [credential.value])) ?? []
  return [...own, ...(cloud?.secret === undefined ? [] : [cloud.secret.first])].map(Redacted.value)
}

/** A file with a credential may have changed although the configuration file has not. */
const haveSameCredentials = (a: Config, b: Config): boolean =>
  Object.entries(a.upstreams).every(([name, mine]) => isDeepStrictEqual(secretsOf(mine), secretsOf(b.upstreams[name])))

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
  const outcomes = { changed: 0, refused: 0 }
  const fleet = yield* Fleet
  const agreed = yield* agreement(() => config, path !== undefined)

  /** Sections of this configuration that are not in force until the next start. */
  const needsRestart = ({ sections }: Config) =>
    readAtStart.filter((section) => sections[section] !== first.sections[section])

  const verdict = (next: Config, isLoaded: boolean): ConfigurationCheck => {
    const sections = needsRestart(next)
    if (sections.length === 0) return { ...inForce, in_force: isLoaded }
    return { ...inForce, in_force: false, needs_restart: sections }
  }

  const reloadFrom = (path: string, decoded: Config | undefined) =>
    Effect.gen(function* () {
      const next = decoded ?? (yield* read(path))
      yield* change(next)
      config = next
      loadedAt = yield* Clock.currentTimeMillis
      yield* Effect.ignore(fleet.setConfig(next.digest ?? ""))
      return next
    }).pipe(
      Effect.matchEffect({
        onSuccess: (next) => {
          outcomes.changed++
          const sections = needsRestart(next)
          const fields = sections.length === 0 ? {} : { needs_restart: sections.join(", ") }
          return Effect.as(Effect.logInfo("configuration reloaded", fields), verdict(next, true))
        },
        onFailure: (error) => {
          outcomes.refused++
          return Effect.as(
            Effect.logError("configuration not changed", { problems: error.problems.join("; ") }),
            invalid(error)
          )
        }
      }),
      turn.withPermits(1)
    )

  const own = (decoded?: Config) =>
    path === undefined ? Effect.succeed(inForce) : Effect.provideContext(reloadFrom(path, decoded), context)
  const record = yield* recorder
  let known: Config | undefined
  /** Only what all gateways shall have: while a file is rolled out, the old one is not recorded again. */
  const recorded = Effect.suspend(() => {
    if (known === config || !agreed.isReached()) return Effect.void
    known = config
    return record(config)
  })
  // The start does not wait for it.
  yield* Effect.forkScoped(recorded)
  if (!fleet.isAlone) {
    const look = Effect.andThen(agreed.look, recorded)
    yield* Effect.forkScoped(Effect.repeat(Effect.delay(look, lookEvery), Schedule.forever))
  }
  const told = Effect.tap(own(), ({ valid }) => Effect.andThen(agreed.look, valid ? recorded : Effect.void))
  const tellOthers = fleet.isAlone ? Effect.void : yield* Reloads.make(told)

  /** Who asks for a reload here wants the file on all gateways. */
  const reload = (decoded?: Config) =>
    Effect.tap(own(decoded), ({ valid }) =>
      valid && path !== undefined
        ? Effect.all([agreed.adopt, agreed.look, recorded, tellOthers], { discard: true })
        : Effect.void
    )

  const check = (path: string) =>
    Effect.gen(function* () {
      const next = yield* read(path)
      yield* plan(next)
      return verdict(next, next.digest === config.digest && haveSameCredentials(next, config))
    }).pipe(Effect.catchTag("ConfigError", (error) => Effect.succeed(invalid(error))))

  const control: ConfigurationControl = {
    current: Effect.sync(() => ({
      file: path === undefined ? null : basename(path),
      loaded_at: new Date(loadedAt).toISOString(),
      version: version(),
      upstreams: Object.keys(config.upstreams),
      sandbox: config.sandbox
    })),
    check: path === undefined ? Effect.succeed(inForce) : Effect.provideContext(check(path), context),
    reload: reload()
  }
  return {
    ...control,
    config: () => config,
    /** Of the file, if there is one. */
    path,
    /** Whether this gateway may take calls, as far as its configuration goes. */
    agreement: agreed,
    /** Like `reload`, with what the file says: with thousands of operations it takes long to decode. */
    reloadDecoded: reload,
    families: (): Family.Snapshot => [
      ...agreed.families(),
      Family.counter("tollgate_configuration_reloads_total", "Times that the configuration file was read again.", [
        { labels: { result: "changed" }, value: outcomes.changed },
        { labels: { result: "refused" }, value: outcomes.refused }
      ]),
      Family.sharedGauge(
        "tollgate_configuration_needs_restart",
        "Sections of the configuration file that were changed and that only a start puts in force.",
        Family.single(needsRestart(config).length)
      )
    ]
  }
})

export type Controlled = Effect.Success<ReturnType<typeof configuration>>
