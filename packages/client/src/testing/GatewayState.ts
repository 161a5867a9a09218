import type { Refusal } from "@tollgate/contract/errors/Refused"
import * as Headers from "@tollgate/contract/Headers"
import type { Charge } from "@tollgate/contract/Outcome"
import type { ReceivedCall } from "./Call.ts"
import type { TextAnswer } from "./wire.ts"
import type { MicroUsd } from "@tollgate/contract/Money"
import { Prices } from "./Prices.ts"

/** An answer that is replayed, and what its call was charged: `pending` for a task. */
interface StoredAnswer extends TextAnswer {
  readonly charge: Charge
}

/** How a call ended. `released`: it did not run, so the key can be used again. */
type End = { readonly state: "released" | "unknown" } | { readonly state: "settled"; readonly answer?: StoredAnswer }

type FirstCall = Pick<ReceivedCall, "at" | "payload" | "requestId"> & {
  readonly end: { readonly state: "open" } | End
}

const lifetimeMillis = 24 * 60 * 60 * 1000

const idOf = ({ idempotencyKey, operation }: ReceivedCall): string => `${operation} ${idempotencyKey}`

/** Idempotency as in the gateway: by key and operation, for a day. */
class IdempotencyKeys {
  readonly #calls = new Map<string, FirstCall>()

  /** The stored answer or a refusal, if the key was used before; `undefined` for the first call. */
  previous(received: ReceivedCall): StoredAnswer | Refusal | undefined {
    const first = this.#calls.get(idOf(received))
    if (first === undefined || received.at >= first.at + lifetimeMillis) return undefined
    const { end, payload, requestId } = first
    const refused = (code: Refusal["code"], detail: string): Refusal => ({
      code,
      message: `The first call under this key is ${requestId}${detail}`
    })
    if (payload !== received.payload)
      return refused("idempotency_mismatch", ", and it was another request. Send a new key with a new request.")
    if (end.state === "open") {
      const again = "Send this request with its key again in a moment."
      return refused("idempotency_in_flight", `, which is still under way. ${again}`)
    }
    if (end.state !== "settled") {
      const why = "whether it was executed is not known. Under a new key it may be executed and charged a second time."
      return refused("idempotency_unknown", `; ${why}`)
    }
    const isReplay = received.headers[Headers.idempotencyMode.key(received.bound.names)] === "replay"
    return (isReplay ? end.answer : undefined) ?? refused("idempotency_completed", ", which is completed.")
  }

  begin(received: ReceivedCall): void {
    const { at, idempotencyKey, payload, requestId } = received
    if (idempotencyKey !== undefined)
      this.#calls.set(idOf(received), { at, payload, requestId, end: { state: "open" } })
  }

  /** Only the first end of a call counts. */
  end(received: ReceivedCall, end: End): void {
    const id = idOf(received)
    const first = this.#calls.get(id)
    if (first?.requestId !== received.requestId || first.end.state !== "open") return
    if (end.state === "released") this.#calls.delete(id)
    else this.#calls.set(id, { ...first, end })
  }
}

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
