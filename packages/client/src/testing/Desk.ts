import type { Charge } from "@tollgate/contract/Outcome"
import { type MicroUsd, micro } from "@tollgate/contract/Money"
import type { VideoTask } from "@tollgate/contract/resources/VideoTask"
import { videoCreate } from "@tollgate/contract/operations/videoCreate"
import type * as Clock from "effect/Clock"
import type { Exchange } from "./Call.ts"
import { Keys } from "./Keys.ts"
import { Prices } from "./Prices.ts"
import { Tasks } from "./Tasks.ts"
import type { Video } from "./Turn.ts"
import type { Written } from "./wire.ts"

/** What the gateway has taken for a call. */
export interface Booked {
  readonly operation: string
  readonly requestId: string
  /** Milliseconds on the test's clock. */
  readonly at: number
  readonly micros: MicroUsd
}

/** What the gateway keeps, and how a call ends. */
export class Desk {
  readonly keys = new Keys()
  readonly prices = new Prices()
  readonly tasks = new Tasks()
  readonly #booked: Array<Booked> = []
  #clock: Clock.Clock | undefined

  /** Of the last request: where a task stands is asked without an effect. */
  set clock(clock: Clock.Clock) {
    this.#clock = clock
  }

  get now(): number {
    return this.#clock?.currentTimeMillisUnsafe() ?? 0
  }

  #book({ operation, requestId }: Exchange, { micros = micro(0n) }: Charge): void {
    if (micros > 0n) this.#booked.push({ operation, requestId, at: this.now, micros })
  }

  get booked(): ReadonlyArray<Booked> {
    const operation = videoCreate.id
    const tasks = this.tasks.succeeded(this.now).map((task) => ({ operation, ...task }))
    return [...this.#booked, ...tasks].sort((a, b) => a.at - b.at)
  }

  settle(exchange: Exchange, answer: Written, cost: string | undefined): Charge {
    const charge = this.prices.charge(exchange, answer.body, cost)
    this.#book(exchange, charge)
    this.keys.end(exchange, { state: "settled", answer })
    return charge
  }

  /** What a stream has said cannot be had a second time, so nothing is kept of it. */
  settleStream(exchange: Exchange, how: "whole" | "cut", events: number, cost: string | undefined): Charge {
    if (how === "cut" && events === 0) {
      this.keys.end(exchange, { state: "unknown" })
      return { state: "unknown" }
    }
    const reckoned = this.prices.charge(exchange, "", cost)
    const charge: Charge =
      how === "cut" && reckoned.micros !== undefined ? { ...reckoned, state: "estimated" } : reckoned
    this.#book(exchange, charge)
    this.keys.end(exchange, { state: "settled" })
    return charge
  }

  begin(exchange: Exchange, video: Video, prompt: string): VideoTask {
    const { requestId } = exchange
    return this.tasks.begin(video, { at: this.now, requestId, prompt, cost: this.prices.task(exchange, video.cost) })
  }
}
