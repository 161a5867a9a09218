import { modelNamed } from "@tollgate/contract/price/contracts/modelRequest"
import { contractOf } from "@tollgate/contract/price/contracts"
import { isByModel, type Price } from "@tollgate/contract/price/Price"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Priced } from "../exchange/Exchange.ts"

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
/** A bit for each of the latest reports of a model, so many. */
const reports = (1 << 8) - 1

/** Only the last report tells what the call costs. */
const isReportedLast = (price: Price): boolean => {
  const at = contractOf(price).reportedAt?.(price)
  return at !== undefined && "field" in at
}

const nameOf = ({ model = "", operation }: Priced): string => `${operation.id} ${model}`

/**
 * Which models think unseen, by their latest reports, and which streams are read on after their callers have left. It outlives
 * a configuration reload.
 */
export class LeftStreams {
  /** The model that reported last is the last one. Only models that thought are here. */
  readonly #thinking = new Map<string, number>()
  readonly #limits: ReadOnLimits
  readonly #closed = Deferred.makeUnsafe<void>()
  #reading = 0

  constructor(limits: ReadOnLimits) {
    this.#limits = limits
  }

  /** The streams that are read on at the moment. */
  get reading(): number {
    return this.#reading
  }

  /** A model has reported so many tokens of reasoning. */
  reported(exchange: Priced, reasoning = 0): void {
    if (reasoning === 0 && this.#thinking.size === 0) return
    const name = nameOf(exchange)
    const before = this.#thinking.get(name) ?? 0
    const after = ((before << 1) | (reasoning > 0 ? 1 : 0)) & reports
    if (before !== 0) this.#thinking.delete(name)
    if (after === 0) return
    this.#thinking.set(name, after)
    const [oldest] = this.#thinking.keys()
    if (this.#thinking.size > mostModels && oldest !== undefined) this.#thinking.delete(oldest)
  }

  /**
   * Whether what the caller has seen says little about what was used: the price's entry says so, or the latest reports, or
   * the price is what the last report says.
   */
  thinks(exchange: Priced): boolean {
    const { model, price } = exchange
    if (!isByModel(price)) return isReportedLast(price)
    return modelNamed(price, model)?.thinks ?? this.#thinking.has(nameOf(exchange))
  }

  /** Reads a stream that was left on to its report, if its model thinks, until the gateway stops. */
  read(exchange: Priced, rest: (bounds: ReadBounds) => Effect.Effect<void>): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { millis, streams } = this.#limits
      if (millis === 0 || this.#reading >= streams || !this.thinks(exchange)) return Effect.void
      this.#reading++
      return Effect.ensuring(
        Effect.raceFirst(rest(this.#limits), Deferred.await(this.#closed)),
        Effect.sync(() => void this.#reading--)
      )
    })
  }

  /** Ends what is read on. It is settled by what has arrived. */
  readonly close: Effect.Effect<void> = Effect.suspend(() => Effect.asVoid(Deferred.succeed(this.#closed, undefined)))
}

/** The streams that were left, of one gateway. */
export const CurrentLeftStreams = Context.Reference<LeftStreams>("@tollgate/gateway/CurrentLeftStreams", {
  defaultValue: () => new LeftStreams({ millis: 0, bytes: 0, streams: 0 })
})
