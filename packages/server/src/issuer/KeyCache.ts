import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { type IssuerKeys, KeysNotRead } from "./readKeys.ts"

/** A key that the issuer withdrew is accepted this long at most, if the issuer can be reached. */
const freshMillis = 600_000

/** Tokens with invented key names do not make the gateway ask more often than this. */
export const minIntervalMillis = 10_000

/** A clock that went back counts as time that has passed. */
const isWithin = (at: number | undefined, now: number, millis: number): boolean =>
  at !== undefined && now >= at && now - at < millis

/** The issuer's keys, read when they are needed. Callers that come while they are read wait for them. */
export class KeyCache {
  readonly #read: Effect.Effect<IssuerKeys, KeysNotRead>
  readonly #turn = Semaphore.makeUnsafe(1)
  #keys: IssuerKeys | undefined
  #readAt: number | undefined
  #triedAt: number | undefined
  #isFailing = false

  constructor(read: Effect.Effect<IssuerKeys, KeysNotRead>) {
    this.#read = read
  }

  /** The keys, if they need not be read again. */
  readonly fresh = (now: number): IssuerKeys | undefined =>
    isWithin(this.#readAt, now, freshMillis) ? this.#keys : undefined

  readonly current: Effect.Effect<IssuerKeys, KeysNotRead> = this.#unless(this.fresh)

  /** For a token whose key is not among `known`. Returns `known` if the issuer was asked a moment ago. */
  readonly newerThan = (known: IssuerKeys): Effect.Effect<IssuerKeys, KeysNotRead> =>
    this.#unless(() => (this.#keys === known ? undefined : this.#keys))

  #unless(enough: (now: number) => IssuerKeys | undefined): Effect.Effect<IssuerKeys, KeysNotRead> {
    const now = Effect.clockWith((clock) => Effect.succeed(clock.currentTimeMillisUnsafe()))
    return this.#turn.withPermit(
      Effect.flatMap(now, (now) => {
        const keys = enough(now)
        if (keys !== undefined) return Effect.succeed(keys)
        if (!isWithin(this.#triedAt, now, minIntervalMillis)) return this.#renew(now)
        return this.#keys === undefined || this.#isFailing
          ? Effect.fail(new KeysNotRead({ reason: "it failed a moment ago" }))
          : Effect.succeed(this.#keys)
      })
    )
  }

  #renew(now: number): Effect.Effect<IssuerKeys, KeysNotRead> {
    this.#triedAt = now
    return this.#read.pipe(
      Effect.tap((keys) =>
        Effect.sync(() => {
          this.#keys = keys
          this.#readAt = now
          this.#isFailing = false
        })
      ),
      Effect.tapError(({ reason }) => {
        if (this.#isFailing) return Effect.void
        this.#isFailing = true
        return Effect.logWarning("reading the issuer's keys failed", { reason })
      })
    )
  }
}
