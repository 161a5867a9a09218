import type { Charge } from "@tollgate/contract/Outcome"
import type { MicroUsd } from "@tollgate/contract/Money"
import type { ReceivedCall } from "./Call.ts"
import { IdempotencyKeys } from "./IdempotencyKeys.ts"
import { Prices } from "./Prices.ts"
import type { TextAnswer } from "./wire.ts"

/** A charge for a call. */
export interface RecordedCharge {
  readonly operation: string
  readonly requestId: string
  /** Milliseconds on the test's clock. */
  readonly at: number
  readonly micros: MicroUsd
}

/** Idempotency keys, prices and charges of a scripted gateway. */
export class GatewayState {
  readonly keys = new IdempotencyKeys()
  readonly prices = new Prices()
  readonly charges: Array<RecordedCharge> = []

  #record({ at, operation, requestId }: ReceivedCall, { micros = 0 }: Charge): void {
    if (micros > 0) this.charges.push({ operation, requestId, at, micros })
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
}
