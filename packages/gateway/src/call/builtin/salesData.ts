import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { encode } from "@tollgate/contract/errors/encode"
import * as Utf8 from "@tollgate/contract/Utf8"
import { type Answer, type Builtin, json } from "../../exchange/Reply.ts"

/** A verified snapshot of sales data. Times are in milliseconds since the epoch. */
export interface Snapshot {
  /** The time of its figures. */
  readonly observedAt: number
  /** From then on it is stale. Never if missing. */
  readonly expiresAt?: number
  readonly data: Readonly<Record<string, unknown>>
}

interface Dated {
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

const code = "verified_sales_source_unavailable"

type Headers = Answer["headers"]

const unavailable = (requestId: string, headers: Headers): Answer => {
  const message = "There is no verified snapshot of sales data."
  const { body, headers: hints, status } = encode("data", { code, message, requestId })
  return {
    status,
    contentType: "application/json",
    headers: { ...headers, ...hints },
    bytes: Utf8.encode(JSON.stringify({ ...(body as object), freshness: "unavailable", reason_code: code }))
  }
}

const encodeSnapshot = ({ freshness, snapshot: { data, observedAt } }: Dated): string =>
  JSON.stringify({ ...data, freshness, observed_at: new Date(observedAt).toISOString() })

/** As long as the source itself is cached. */
const caching = { "cache-control": "public, max-age=10", vary: "Origin" }

/** Serves the current snapshot, or the last one marked as stale if the source fails, or 503. */
export const salesData = Effect.fnUntraced(function* (headers: Headers) {
  const source = yield* SalesData
  /** A snapshot may be large, and the route is open: it is encoded once. */
  let encoded: (Dated & { readonly answer: Answer }) | undefined
  const answerOf = (dated: Dated): Answer => {
    if (encoded?.snapshot !== dated.snapshot || encoded.freshness !== dated.freshness) {
      encoded = { ...dated, answer: json(encodeSnapshot(dated), { ...headers, ...caching }) }
    }
    return encoded.answer
  }
  const current = source?.current ?? Effect.undefined
  const answer: Builtin = ({ requestId }) =>
    Effect.map(current, (dated) => (dated === undefined ? unavailable(requestId, headers) : answerOf(dated)))
  return answer
})
