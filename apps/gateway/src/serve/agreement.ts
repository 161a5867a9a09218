import { Fleet } from "@tollgate/gateway"
import { Family } from "@tollgate/gateway/driver"
import { FleetConfig } from "@tollgate/gateway/operator"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import cluster from "node:cluster"
import type { Config } from "../config/Config.ts"
import { adoptsConfiguration } from "./workers/Message.ts"

const lookEvery = "2 seconds"

const wordsOf = (sections: ReadonlyArray<string>, hasFile: boolean): string => {
  const differs = `the configuration differs from that of the other gateways in ${sections.join(", ")}; `
  return hasFile
    ? `${differs}give this gateway the same file, or reload it here to make it that of all`
    : `${differs}this gateway has no file: set TOLLGATE_CONFIG`
}

export interface Agreement {
  /** Why the gateway is not ready. */
  readonly reason: () => string | undefined
  /** The operator has chosen the configuration in force here for all gateways. */
  readonly adopt: Effect.Effect<void>
  /** Compares at once. */
  readonly look: Effect.Effect<void>
  readonly families: () => Family.Snapshot
}

/** Whether this gateway has the configuration of the fleet. One that is alone on its store always has. */
export const agreement = Effect.fnUntraced(function* (config: () => Config, hasFile: boolean) {
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
    const isOrdered = cluster.isWorker && process.env[adoptsConfiguration] !== undefined
    yield* isOrdered && hasFile ? store.adopt(sections) : store.join(sections, fleet.size() === 1)
    yield* look
    yield* Effect.forkScoped(Effect.repeat(Effect.delay(look, lookEvery), Schedule.forever))
  }

  const made: Agreement = {
    reason: () => (found.differing.length === 0 ? undefined : wordsOf(found.differing, hasFile)),
    adopt: fleet.isAlone
      ? Effect.void
      : Effect.suspend(() => store.adopt(config().sections)).pipe(
          Effect.tapError(() => Effect.logWarning("the other gateways were not told of the configuration")),
          Effect.ignore
        ),
    look: fleet.isAlone ? Effect.void : look,
    families: () => [
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
  return made
})
