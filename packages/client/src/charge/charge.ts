import type { CallStory } from "@tollgate/contract/account/LoggedCall"
import { amountOf } from "@tollgate/contract/Money"
import type { Charge } from "@tollgate/contract/Outcome"
import * as Effect from "effect/Effect"
import { callStory } from "../generated/accountApi.ts"
import { type AnyPromiseClient, isPromiseClient, onClient } from "../promises/runner.ts"
import type { Request } from "../managementApi/route.ts"

const chargeOf = ({ charged_micros_usd: micros, cost_state, state }: CallStory): Charge => {
  switch (state) {
    case "open":
    case "running":
      return { state: "pending" }
    case "unknown":
      return { state: "unknown" }
    case "settled":
      // An amount that no number holds exactly is a text.
      return { state: cost_state ?? "settled", ...(typeof micros === "number" ? amountOf(micros) : {}) }
    default:
      return { state: "none" }
  }
}

const read = (requestId: string): Request<Charge> => Effect.map(callStory(requestId), chargeOf)

/**
 * What a call was charged, by its request id: `yield* charge(requestId)`. Free of charge. It is `pending` while the call runs, and
 * for a moment after a stream was left. The credential must be allowed to read its usage.
 */
export function charge(requestId: string): Request<Charge>
/** With promises: `await charge(tollgate, requestId)`. */
export function charge(client: AnyPromiseClient, requestId: string): Promise<Charge>
export function charge(first: AnyPromiseClient | string, requestId = ""): unknown {
  if (typeof first === "string") return read(first)
  if (!isPromiseClient(first)) throw new TypeError("Pass a client from createClient")
  return first[onClient](read)(requestId as never)
}
