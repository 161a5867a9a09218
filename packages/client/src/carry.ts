import type { Incoming, Outgoing } from "@tollgate/contract/carrier/Carrier"
import type { Bound } from "@tollgate/contract/Operation"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { broken } from "./broken.ts"
import type { Client } from "./Client.ts"
import { CredentialUnavailable, type TransportFailed } from "./errors.ts"
import type { PaceExceeded } from "./pace/errors.ts"
import { paced } from "./pace/paced.ts"
import type { Written } from "./request.ts"
import { TurnedDown } from "./TurnedDown.ts"

export type CarryError = TransportFailed | CredentialUnavailable | PaceExceeded

export type Manner = Pick<Outgoing, "deadlineMillis" | "idleMillis" | "isStreamed">

const credentialOf = ({ credential }: Client["Service"], { id }: Bound) =>
  Effect.mapError(
    credential,
    (cause) =>
      new CredentialUnavailable({
        operation: id,
        message: "No credential could be had",
        outcome: "not executed",
        cause
      })
  )

/**
 * Sends a request under the credential of this moment. Where that is turned down and there is another by now, the request
 * goes once more: a 401 is said before anything runs.
 */
export const carry = Effect.fnUntraced(function* (
  client: Client["Service"],
  operation: Bound,
  written: Written,
  manner: Manner
): Effect.fn.Return<Incoming, CarryError> {
  const sendAs = (credential: Redacted.Redacted) => {
    const sent = Effect.mapError(
      client.carry({
        ...written,
        ...manner,
        origin: client.origin,
        private: true,
        headers: { ...written.headers, authorization: `Bearer ${Redacted.value(credential)}` }
      }),
      broken(operation.id, manner.deadlineMillis)
    )
    return paced(client, operation, written, credential, sent)
  }
  const credential = yield* credentialOf(client, operation)
  const incoming = yield* sendAs(credential)
  if (incoming.status !== 401) return incoming
  const renewed = yield* Effect.provideService(credentialOf(client, operation), TurnedDown, credential)
  return Redacted.value(renewed) === Redacted.value(credential) ? incoming : yield* sendAs(renewed)
})
