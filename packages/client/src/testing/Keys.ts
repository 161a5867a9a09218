import type { Refusal } from "@tollgate/contract/errors/encode"
import * as Headers from "@tollgate/contract/Headers"
import type { Exchange } from "./Call.ts"

/** An answer that is given again. */
interface Kept {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface First {
  readonly payload: string
  readonly requestId: string
  readonly until: number
  readonly state: "open" | "settled" | "unknown"
  readonly answer?: Kept
}

const keptMillis = 24 * 60 * 60 * 1000

/** How a call ended, for those who ask under the same key. `released`: it did not run, and may be made. */
type End =
  | { readonly state: "released" }
  | { readonly state: "unknown" }
  | { readonly state: "settled"; readonly answer?: Kept }

/** Idempotency as the gateway has it: by key and operation, for a day. */
export class Keys {
  readonly #firsts = new Map<string, First>()

  #idOf({ idempotencyKey, operation }: Exchange): string | undefined {
    return idempotencyKey === undefined ? undefined : `${operation} ${idempotencyKey}`
  }

  /** The answer of the first call under this key, or why there is none; `undefined` where this is the first. */
  repeated(exchange: Exchange): Kept | Refusal | undefined {
    const id = this.#idOf(exchange)
    const first = id === undefined ? undefined : this.#firsts.get(id)
    if (first === undefined || first.until <= exchange.at) return undefined
    const refused = (code: Refusal["code"], what: string): Refusal => ({
      code,
      message: `The first call under this key is ${first.requestId}${what}.`
    })
    if (first.payload !== exchange.payload) return refused("idempotency_mismatch", ", and it was another request")
    if (first.state === "open") return refused("idempotency_in_flight", ", which is still under way")
    if (first.state === "unknown") {
      return refused("idempotency_unknown", "; whether it was executed is not known")
    }
    const isReplay = exchange.headers[Headers.idempotencyMode.key(exchange.bound.names)] === "replay"
    return isReplay && first.answer !== undefined
      ? first.answer
      : refused("idempotency_completed", ", which is completed")
  }

  begin(exchange: Exchange): void {
    const id = this.#idOf(exchange)
    if (id === undefined) return
    const { at, payload, requestId } = exchange
    this.#firsts.set(id, { payload, requestId, until: at + keptMillis, state: "open" })
  }

  end(exchange: Exchange, end: End): void {
    const id = this.#idOf(exchange)
    const first = id === undefined ? undefined : this.#firsts.get(id)
    if (id === undefined || first?.requestId !== exchange.requestId || first.state !== "open") return
    if (end.state === "released") this.#firsts.delete(id)
    else this.#firsts.set(id, { ...first, ...end })
  }
}
