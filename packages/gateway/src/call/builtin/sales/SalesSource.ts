import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"

/** A verified snapshot of sales data. Times are in milliseconds since the epoch. */
export interface Snapshot {
  /** The time of its figures. */
  readonly observedAt: number
  /** From then on it is stale. Never if missing. */
  readonly expiresAt?: number
  readonly data: Readonly<Record<string, unknown>>
}

export interface Dated {
  readonly snapshot: Snapshot
  readonly freshness: "fresh" | "stale"
}

const cacheMillis = 10_000
const readTimeout = "5 seconds"

/** Reads snapshots, at most one in ten seconds, and keeps the last one for when reading fails. */
export class SalesSource {
  readonly #read: Effect.Effect<Snapshot, unknown>
  readonly #turn = Semaphore.makeUnsafe(1)
  #last: Snapshot | undefined
  #readAt: number | undefined
  #isFailing = false

  constructor(read: Effect.Effect<Snapshot, unknown>) {
    this.#read = read
  }

  /** `undefined` if no snapshot was ever read. */
  readonly current: Effect.Effect<Dated | undefined> = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    this.#isCached(now)
      ? Effect.succeed(this.#dated(now))
      : this.#turn.withPermit(
          Effect.suspend(() => (this.#isCached(now) ? Effect.void : this.#renew(now))).pipe(
            Effect.andThen(Clock.currentTimeMillis),
            Effect.map((later) => this.#dated(later))
          )
        )
  )

  /** A clock that went back ends the cache too. */
  #isCached(now: number): boolean {
    return this.#readAt !== undefined && now >= this.#readAt && now - this.#readAt < cacheMillis
  }

  #renew(now: number): Effect.Effect<void> {
    return Effect.matchCauseEffect(Effect.timeout(this.#read, readTimeout), {
      onSuccess: (snapshot) =>
        Effect.sync(() => {
          this.#last = snapshot
          this.#readAt = now
          this.#isFailing = false
        }),
      onFailure: () =>
        Effect.suspend(() => {
          this.#readAt = now
          if (this.#isFailing) return Effect.void
          this.#isFailing = true
          return Effect.logWarning("reading sales data failed")
        })
    })
  }

  #dated(now: number): Dated | undefined {
    const snapshot = this.#last
    if (snapshot === undefined) return undefined
    const isStale = this.#isFailing || (snapshot.expiresAt !== undefined && snapshot.expiresAt <= now)
    return { snapshot, freshness: isStale ? "stale" : "fresh" }
  }
}

/** The verified source of sales data. `undefined`: none is configured. */
export const SalesData = Context.Reference<SalesSource | undefined>("@tollgate/gateway/SalesData", {
  defaultValue: () => undefined
})
