import type { Head, Incoming, Outgoing } from "@tollgate/contract/carrier/Carrier"
import { encode, type Refusal } from "@tollgate/contract/errors/encode"
import * as Headers from "@tollgate/contract/Headers"
import type { Charge } from "@tollgate/contract/Outcome"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Exchange } from "./Call.ts"

/** An answer before it is carried. */
export interface Written extends Head {
  readonly body: string
}

export const json = { "content-type": "application/json" }

const lowerCase = (headers: Head["headers"]): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

const costOf = ({ names }: Exchange["bound"], { micros, state }: Charge): Record<string, string> =>
  state === "unknown"
    ? {}
    : {
        [Headers.costState(names)]: state,
        ...(micros === undefined ? {} : { [Headers.cost(names)]: String(micros) })
      }

/** With what the gateway adds to every answer. */
export const told = ({ bound, requestId }: Exchange, { headers, ...answer }: Written, charge: Charge): Written => ({
  ...answer,
  headers: lowerCase({ ...headers, ...costOf(bound, charge), [Headers.requestId]: requestId })
})

export const refusal = ({ bound, requestId }: Exchange, refused: Refusal, more: Head["headers"] = {}): Written => {
  const { body, headers, status } = encode(bound.family, { ...refused, requestId })
  return { status, headers: lowerCase({ ...json, ...headers, ...more }), body: JSON.stringify(body) }
}

/** Whole, or as it arrives where the caller wants that. */
export const carried = (
  outgoing: Outgoing,
  { body, ...head }: Head & { readonly body: string | Exclude<Incoming["body"], Uint8Array> }
): Effect.Effect<Incoming, Stream.Error<Exclude<Incoming["body"], Uint8Array>>> => {
  if (typeof body !== "string" && outgoing.isStreamed(head)) return Effect.succeed({ ...head, body })
  const text =
    typeof body === "string"
      ? Effect.succeed(body)
      : Effect.map(Stream.runCollect(body), (pieces) => pieces.map(Utf8.decode).join(""))
  return Effect.map(text, (whole) => ({ ...head, body: Utf8.encode(whole) }))
}
