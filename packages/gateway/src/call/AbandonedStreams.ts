import { modelNamed } from "@tollgate/contract/price/contracts/modelDimensions"
import { contractOf } from "@tollgate/contract/price/contracts"
import { isByModel, type Price } from "@tollgate/contract/price/Price"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Priced } from "../exchange/Exchange.ts"
import type { Streamed } from "../upstream/Called.ts"

/** How far the rest of a stream is read. */
export interface ReadBounds {
  readonly millis: number
  readonly bytes: number
}

export interface ReadOnLimits extends ReadBounds {
  /** Of all streams that are read on at a time. */
  readonly streams: number
}

export const readOnDefaults: ReadOnLimits = { millis: 60_000, bytes: 16 * 1024 * 1024, streams: 1_000 }

/** How far the streams of models that think unseen are read after their callers have left. No time: not at all. */
export const ReadOn = Context.Reference<ReadOnLimits>("@tollgate/gateway/ReadOn", {
  defaultValue: () => readOnDefaults
})

const mostModels = 1_000
/** How long a model counts as one that thinks, however many reports without reasoning its callers ask for. */
const rememberedMillis = 86_400_000

/** Only the last report tells what the call costs. */
const isReportedLast = (price: Price): boolean => {
  const at = contractOf(price).reportedAt?.(price)
  return at !== undefined && "field" in at
}

const nameOf = ({ model = "", operation }: Priced): string => `${operation.id} ${model}`

/**
 * Which models think unseen, by their reports of the last day, and which streams are read on after their callers have left. It outlives
 * a configuration reload.
 */
export class AbandonedStreams {
  /** When models last thought. The one that did last comes last. */
  readonly #thinking = new Map<string, number>()
  readonly #limits: ReadOnLimits
  readonly #clock: Clock.Clock
  readonly #closed = Deferred.makeUnsafe<void>()
  #reading = 0
  readonly #readingOf = new Map<string, number>()

  constructor(limits: ReadOnLimits, clock: Clock.Clock) {
    this.#limits = limits
    this.#clock = clock
  }

  /** The streams that are read on at the moment. */
  get reading(): number {
    return this.#reading
  }

  /** A model has reported that it thought. */
  thought(exchange: Priced): void {
    const name = nameOf(exchange)
    this.#thinking.delete(name)
    this.#thinking.set(name, this.#clock.currentTimeMillisUnsafe())
    const [oldest] = this.#thinking.keys()
    if (this.#thinking.size > mostModels && oldest !== undefined) this.#thinking.delete(oldest)
  }

  /**
   * Whether what the caller has seen says little about what was used: the price's entry says so, or a report of the last day, or
   * the price is what the last report says.
   */
  thinks(exchange: Priced): boolean {
    const { model, price } = exchange
    if (!isByModel(price)) return isReportedLast(price)
    const thoughtAt = this.#thinking.get(nameOf(exchange)) ?? -Infinity
    const isRecent = Math.abs(this.#clock.currentTimeMillisUnsafe() - thoughtAt) < rememberedMillis
    return modelNamed(price, model)?.thinks ?? isRecent
  }

  /**
   * Reads a stream that was left on to its report, if its model thinks, until the gateway stops. Half of an upstream's connections
   * stay with those who have not left.
   */
  read(
    exchange: Priced,
    { connections, provider }: Streamed,
    rest: (bounds: ReadBounds) => Effect.Effect<void>
  ): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { millis, streams } = this.#limits
      if (millis === 0 || this.#reading >= streams || !this.thinks(exchange)) return Effect.void
      if ((this.#readingOf.get(provider) ?? 0) >= Math.max(1, Math.floor(connections / 2))) return Effect.void
      this.#count(provider, 1)
      return Effect.ensuring(
        Effect.raceFirst(rest(this.#limits), Deferred.await(this.#closed)),
        Effect.sync(() => this.#count(provider, -1))
      )
    })
  }

  #count(provider: string, change: 1 | -1): void {
    const count = (this.#readingOf.get(provider) ?? 0) + change
    this.#reading += change
    if (count === 0) this.#readingOf.delete(provider)
    else this.#readingOf.set(provider, count)
  }

  /** Ends what is read on. It is settled by what has arrived. */
  readonly close: Effect.Effect<void> = Effect.suspend(() => Effect.asVoid(Deferred.succeed(this.#closed, undefined)))
}

/** The streams that were left, of one gateway. */
export const CurrentAbandonedStreams = Context.Reference<AbandonedStreams>("@tollgate/gateway/CurrentLeftStreams", {
  defaultValue: () => new AbandonedStreams({ millis: 0, bytes: 0, streams: 0 }, Clock.Clock.defaultValue())
})
