import type { Incoming, Outgoing } from "@tollgate/contract/carrier/Carrier"
import type { Bound } from "@tollgate/contract/Operation"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { transportFailed } from "./transportFailed.ts"
import type { Client } from "./Client.ts"
import { CredentialUnavailable, type TransportFailed } from "./errors.ts"
import type { PaceExceeded } from "./pace/errors.ts"
import { paced } from "./pace/paced.ts"
import type { Written } from "./request.ts"
import { RejectedCredential } from "./RejectedCredential.ts"

export type SendError = TransportFailed | CredentialUnavailable | PaceExceeded

export type SendOptions = Pick<Outgoing, "deadlineMillis" | "idleMillis" | "isStreamed">

const credentialOf = ({ credential }: Client["Service"], { id }: Bound) =>
  Effect.mapError(
    credential,
    (cause) =>
      new CredentialUnavailable({
        operation: id,
        message: "The credential could not be obtained",
        outcome: "not executed",
        cause
      })
  )

/**
 * Sends a request with the current credential. After a 401 it asks for the credential again and, if that is a new one, sends
 * the request once more: a 401 means that nothing ran.
 */
export const sendAuthorized = Effect.fnUntraced(function* (
  client: Client["Service"],
  operation: Bound,
  written: Written,
  options: SendOptions
): Effect.fn.Return<Incoming, SendError> {
  const sendAs = (credential: Redacted.Redacted) => {
    const sent = Effect.mapError(
      client.carry({
        ...written,
        ...options,
        origin: client.origin,
        private: true,
        headers: { ...written.headers, authorization: `Bearer ${Redacted.value(credential)}` }
      }),
      transportFailed(operation.id, options.deadlineMillis)
    )
    return paced(client, operation, written, credential, sent)
  }
  const credential = yield* credentialOf(client, operation)
  const incoming = yield* sendAs(credential)
  if (incoming.status !== 401) return incoming
  const renewed = yield* Effect.provideService(credentialOf(client, operation), RejectedCredential, credential)
  return Redacted.value(renewed) === Redacted.value(credential) ? incoming : yield* sendAs(renewed)
})
