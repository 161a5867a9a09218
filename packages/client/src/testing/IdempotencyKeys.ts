import type { Refusal } from "@tollgate/contract/errors/Refused"
import * as Headers from "@tollgate/contract/Headers"
import type { Charge } from "@tollgate/contract/Outcome"
import type { ReceivedCall } from "./Call.ts"

/** An answer that is replayed. */
interface StoredAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Of the call that was answered with it; `pending` for a task. */
  readonly charge: Charge
}

interface FirstCall {
  readonly payload: string
  readonly requestId: string
  readonly until: number
  readonly state: "open" | "settled" | "unknown"
  readonly answer?: StoredAnswer
}

const lifetimeMillis = 24 * 60 * 60 * 1000

/** How a call ended. `released`: it did not run, so the key can be used again. */
type End =
  | { readonly state: "released" }
  | { readonly state: "unknown" }
  | { readonly state: "settled"; readonly answer?: StoredAnswer }

/** Idempotency as in the gateway: by key and operation, for a day. */
export class IdempotencyKeys {
  readonly #calls = new Map<string, FirstCall>()

  #idOf({ idempotencyKey, operation }: ReceivedCall): string | undefined {
    return idempotencyKey === undefined ? undefined : `${operation} ${idempotencyKey}`
  }

  /** The stored answer or a refusal, if the key was used before; `undefined` for the first call. */
  previous(received: ReceivedCall): (StoredAnswer & { readonly requestId: string }) | Refusal | undefined {
    const id = this.#idOf(received)
    const first = id === undefined ? undefined : this.#calls.get(id)
    if (first === undefined || first.until <= received.at) return undefined
    const refused = (code: Refusal["code"], detail: string): Refusal => ({
      code,
      message: `The first call under this key is ${first.requestId}${detail}`
    })
    if (first.payload !== received.payload)
      return refused("idempotency_mismatch", ", and it was another request. Send a new key with a new request.")
    if (first.state === "open")
      return refused(
        "idempotency_in_flight",
        ", which is still under way. Send this request with its key again in a moment."
      )
    if (first.state === "unknown") {
      return refused(
        "idempotency_unknown",
        "; whether it was executed is not known. Under a new key it may be executed and charged a second time."
      )
    }
    const isReplay = received.headers[Headers.idempotencyMode.key(received.bound.names)] === "replay"
    if (isReplay && first.answer !== undefined) return { ...first.answer, requestId: first.requestId }
    const hint = isReplay ? "Its answer was not stored." : "The idempotency mode replay returns its answer."
    return refused("idempotency_completed", `, which is completed. ${hint}`)
  }

  begin(received: ReceivedCall): void {
    const id = this.#idOf(received)
    if (id === undefined) return
    const { at, payload, requestId } = received
    this.#calls.set(id, { payload, requestId, until: at + lifetimeMillis, state: "open" })
  }

  end(received: ReceivedCall, end: End): void {
    const id = this.#idOf(received)
    const first = id === undefined ? undefined : this.#calls.get(id)
    if (id === undefined || first?.requestId !== received.requestId || first.state !== "open") return
    if (end.state === "released") this.#calls.delete(id)
    else this.#calls.set(id, { ...first, ...end })
  }
}
