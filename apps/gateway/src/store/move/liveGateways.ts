import { listGateways } from "@tollgate/gateway/operator"
import { PostgresClient } from "@tollgate/server/postgres"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"

export interface Target {
  readonly address: Redacted.Redacted
  /** Without its password. */
  readonly shown: string
}

/** Who uses the database that a store was moved to, or why that is not certain. */
export type Usage =
  | { readonly kind: "none" }
  | { readonly kind: "live"; readonly name: string }
  | { readonly kind: "unsure"; readonly why: string }

const unsure = (why: string): Usage => ({ kind: "unsure", why })

/** A silent gateway may be dead, or may only hang and go on later. */
export const usageOf = (moved: string, target: Target | undefined, deadSeconds: number): Effect.Effect<Usage> => {
  if (target === undefined) return Effect.succeed(unsure("neither --to nor TOLLGATE_STORE says how to reach it"))
  if (target.shown !== moved) return Effect.succeed(unsure(`the database that is given is ${target.shown}`))
  return listGateways.pipe(
    Effect.map((found): Usage => {
      const live = found.find(({ silentMillis }) => silentMillis < deadSeconds * 1_000)
      if (live !== undefined) return { kind: "live", name: live.name }
      const [silent] = found
      if (silent === undefined) return { kind: "none" }
      return unsure(`${silent.name} is silent for ${Math.round(silent.silentMillis / 1_000)} s`)
    }),
    Effect.provide(PostgresClient.layer({ address: target.address, maxConnections: 1 })),
    Effect.catchTag("SqlError", ({ message }) => Effect.succeed(unsure(message)))
  )
}
