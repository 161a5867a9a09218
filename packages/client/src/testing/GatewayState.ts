import type { Charge } from "@tollgate/contract/Outcome"
import type { MicroUsd } from "@tollgate/contract/Money"
import type { VideoTask } from "@tollgate/contract/resources/VideoTask"
import { videoCreate } from "@tollgate/contract/operations/videoCreate"
import type * as Clock from "effect/Clock"
import type { ReceivedCall } from "./Call.ts"
import { IdempotencyKeys } from "./IdempotencyKeys.ts"
import { Prices } from "./Prices.ts"
import { Tasks } from "./Tasks.ts"
import type { Video } from "./Step.ts"
import type { TextAnswer } from "./wire.ts"

/** A charge for a call or a task. */
export interface RecordedCharge {
  readonly operation: string
  readonly requestId: string
  /** Milliseconds on the test's clock. */
  readonly at: number
  readonly micros: MicroUsd
}

/** Idempotency keys, prices, tasks and charges of a scripted gateway. */
export class GatewayState {
  readonly keys = new IdempotencyKeys()
  readonly prices = new Prices()
  readonly tasks = new Tasks()
  readonly #charges: Array<RecordedCharge> = []
  #clock: Clock.Clock | undefined

  /** The clock of the last request: task states are read outside an effect. */
  set clock(clock: Clock.Clock) {
    this.#clock = clock
  }

  get now(): number {
    return this.#clock?.currentTimeMillisUnsafe() ?? 0
  }

  #record({ operation, requestId }: ReceivedCall, { micros = 0 }: Charge): void {
    if (micros > 0) this.#charges.push({ operation, requestId, at: this.now, micros })
  }

  get charges(): ReadonlyArray<RecordedCharge> {
    const operation = videoCreate.id
    const tasks = this.tasks.succeeded(this.now).map((task) => ({ operation, ...task }))
    return [...this.#charges, ...tasks].sort((a, b) => a.at - b.at)
  }

  settle(received: ReceivedCall, answer: TextAnswer, cost: string | undefined): Charge {
    const charge = this.prices.charge(received, answer.body, cost)
    this.#record(received, charge)
    this.keys.end(received, { state: "settled", answer: { ...answer, charge } })
    return charge
  }

  /** A stream cannot be replayed, so its key has no stored answer. */
  settleStream(received: ReceivedCall, ending: "whole" | "cut", events: number, cost: string | undefined): Charge {
    if (ending === "cut" && events === 0) {
      this.keys.end(received, { state: "unknown" })
      return { state: "unknown" }
    }
    const estimated = this.prices.charge(received, "", cost)
    const charge: Charge =
      ending === "cut" && estimated.micros !== undefined ? { ...estimated, state: "estimated" } : estimated
    this.#record(received, charge)
    this.keys.end(received, { state: "settled" })
    return charge
  }

  beginTask(received: ReceivedCall, video: Video, prompt: string): VideoTask {
    const { requestId } = received
    return this.tasks.begin(video, { at: this.now, requestId, prompt, cost: this.prices.task(received, video.cost) })
  }
}
