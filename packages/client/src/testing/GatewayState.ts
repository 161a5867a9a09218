import type { Refusal } from "@tollgate/contract/errors/Refused"
import * as Headers from "@tollgate/contract/Headers"
import { type MicroUsd, type NanoUsd, parseUsd, toMicros } from "@tollgate/contract/Money"
import { isQuotable } from "@tollgate/contract/Operation"
import type { Charge } from "@tollgate/contract/Outcome"
import { contractOf } from "@tollgate/contract/price/contracts"
import * as Option from "effect/Option"
import type { ReceivedCall } from "./Call.ts"
import type { TextAnswer } from "./wire.ts"

export const usd = (text: string): NanoUsd =>
  Option.getOrThrowWith(
    parseUsd(text),
    () => new Error(`"${text}" is not an amount: write decimal USD with up to nine decimals, such as "0.000025"`)
  )

/** A charge for a call. */
export interface RecordedCharge {
  readonly operation: string
  readonly requestId: string
  /** Milliseconds on the test's clock. */
  readonly at: number
  readonly micros: MicroUsd
}

/** An answer that is replayed, and what its call was charged. */
interface StoredAnswer extends TextAnswer {
  readonly charge: Charge
}

/** How a call ended. `released`: it did not run, so the key can be used again. */
type End = "released" | "unknown" | "settled"

interface FirstCall extends Pick<ReceivedCall, "idempotencyKey" | "payload" | "requestId"> {
  end?: End
  answer?: StoredAnswer | undefined
}

const idOf = ({ idempotencyKey, operation }: ReceivedCall): string => `${operation} ${idempotencyKey}`

/** Idempotency keys, prices and charges of a scripted gateway. */
export class GatewayState {
  /** By operation, for quotes, caps and charges. */
  readonly prices = new Map<string, NanoUsd>()
  readonly charges: Array<RecordedCharge> = []
  readonly #calls = new Map<string, FirstCall>()
  readonly #charged = new Map<string, Charge>()

  /** The stored answer or a refusal, if the key was used before; `undefined` for the first call. */
  previous(call: ReceivedCall): StoredAnswer | Refusal | undefined {
    const first = this.#calls.get(idOf(call))
    if (first === undefined) return undefined
    const { answer, end, payload, requestId } = first
    const refused = (code: Refusal["code"], detail: string): Refusal => ({
      code,
      message: `The first call under this key is ${requestId}${detail}`
    })
    if (payload !== call.payload)
      return refused("idempotency_mismatch", ", and it was another request. Send a new key with a new request.")
    if (end === undefined) {
      const again = "Send this request with its key again in a moment."
      return refused("idempotency_in_flight", `, which is still under way. ${again}`)
    }
    if (end === "unknown") {
      const why = "whether it was executed is not known. Under a new key it may be executed and charged a second time."
      return refused("idempotency_unknown", `; ${why}`)
    }
    const isReplay = call.headers[Headers.idempotencyMode.key(call.bound.names)] === "replay"
    return (isReplay ? answer : undefined) ?? refused("idempotency_completed", ", which is completed.")
  }

  begin(call: ReceivedCall): void {
    if (call.idempotencyKey !== undefined) this.#calls.set(idOf(call), call)
  }

  /** Only the first end of a call counts. */
  end(call: ReceivedCall, end: End, answer?: StoredAnswer): void {
    const id = idOf(call)
    const first = this.#calls.get(id)
    if (first?.requestId !== call.requestId || first.end !== undefined) return
    if (end === "released") this.#calls.delete(id)
    else this.#calls.set(id, { ...first, end, answer })
  }

  /** What the call of a key was charged, as an answer to the modes `charge` and `cancel`. */
  told(key: string | undefined): object | undefined {
    const first = [...this.#calls.values()].find(({ idempotencyKey }) => idempotencyKey === key)
    if (first === undefined) return undefined
    const ended = first.end === undefined ? "pending" : first.end === "unknown" ? "unknown" : "none"
    const { micros, state } = this.#charged.get(first.requestId) ?? { state: ended }
    return { request_id: first.requestId, cost_state: state, cost_micros_usd: micros }
  }

  /** Charges a call that ran: the scripted cost, or else the price that is set. */
  charge(call: ReceivedCall, cost: string | undefined): Charge {
    const charge = this.#chargeFor(call, cost)
    this.#charged.set(call.requestId, charge)
    return charge
  }

  #chargeFor({ at, bound, operation, requestId }: ReceivedCall, cost: string | undefined): Charge {
    if (!isQuotable(bound)) return { state: "none" }
    const amount = cost === undefined ? this.prices.get(operation) : usd(cost)
    // The task has not ended.
    if (cost === undefined && contractOf(bound.price).startsTask) return { state: "pending" }
    if (amount === undefined) return { state: "unknown" }
    const micros = toMicros(amount)
    if (micros > 0) this.charges.push({ operation, requestId, at, micros })
    return { state: "settled", micros }
  }
}
