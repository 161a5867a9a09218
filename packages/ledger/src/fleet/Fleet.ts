import * as Context from "effect/Context"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { SqlError } from "effect/sql/SqlError"

/** Others have taken this gateway for dead and deleted its row. Nothing was written. */
export class OwnerGone extends Data.TaggedError("OwnerGone") {}

/** The gateways that share a store, seen from one of them. */
export class Fleet extends Context.Service<
  Fleet,
  {
    /** Whether no other gateway can use the store. */
    readonly isAlone: boolean
    /** The id of this gateway, which owns what it begins. It changes if others took this gateway for dead. */
    readonly owner: () => string
    /** How many gateways live, this one included. */
    readonly size: () => number
    /**
     * Runs a write that commits only while this gateway has its row (`fence.ts`). If the row is gone, the gateway
     * registers under a new id and the write runs again.
     */
    readonly asOwner: <A>(
      write: (owner: string) => Effect.Effect<A, SqlError | OwnerGone>
    ) => Effect.Effect<A, SqlError>
    /** `run` runs on each gateway after another one has gone, and after this one got a new id. One run at a time. */
    readonly onGone: (run: Effect.Effect<void>) => void
    /** Tells the other gateways which configuration this one has. */
    readonly setConfig: (digest: string) => Effect.Effect<void, SqlError>
  }
>()("@tollgate/ledger/Fleet") {
  /** For a store that one gateway uses at a time. */
  static readonly layerAlone: Layer.Layer<Fleet, never, SecureRandom> = Layer.effect(
    Fleet,
    Effect.suspend(() => alone)
  )
}

export const newOwner = Effect.map(
  SecureRandom.use((random) => random.randomBytes(8)),
  Hex.encode
)

const alone = Effect.map(newOwner, (owner) =>
  Fleet.of({
    isAlone: true,
    owner: () => owner,
    size: () => 1,
    // No row, so it cannot be gone.
    asOwner: (write) => Effect.catchTag(write(owner), "OwnerGone", Effect.die),
    onGone: () => {},
    setConfig: () => Effect.void
  })
)

/** The fleet that is provided. Without one, this gateway is alone. */
export const current: Effect.Effect<Fleet["Service"], never, SecureRandom> = Effect.flatMap(
  Effect.serviceOption(Fleet),
  Option.match({ onNone: () => alone, onSome: Effect.succeed })
)
