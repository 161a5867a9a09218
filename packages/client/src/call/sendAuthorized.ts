import { type Head, type Incoming, NotCarried } from "@tollgate/contract/carrier/Carrier"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import { CredentialProblem } from "../credential/credential.ts"
import {
  CredentialUnavailable,
  type InputInvalid,
  type PaceExceeded,
  transportFailed,
  type TransportFailed
} from "../errors/errors.ts"
import { type Hide, hiding } from "../credential/hideCredential.ts"
import { hooked } from "./hooks.ts"
import type { Invocation } from "./Invocation.ts"
import { paced } from "./paced.ts"
import type { Written } from "./request.ts"
import { RejectedCredential } from "../credential/RejectedCredential.ts"

export type SendError = TransportFailed | InputInvalid | CredentialUnavailable | PaceExceeded

export interface Received extends Incoming {
  /** For errors that are made from the answer. */
  readonly hide: Hide
}

/** `stream/limits.ts` limits the body of a stream instead, since it knows the stream's progress. */
const idleMillis = 2 ** 31 - 1

const credentialOf = ({ client, leftMillis, operation, timeoutMillis }: Invocation) => {
  const { credential } = client
  const failed = (cause: unknown) =>
    new CredentialUnavailable({
      operation: operation.id,
      message: cause instanceof CredentialProblem ? cause.message : "The credential could not be obtained",
      outcome: "not executed",
      cause
    })
  const got = Effect.mapError(credential, failed)
  // One that is known needs no time limit, which costs a fiber.
  return Exit.isExit(credential)
    ? got
    : Effect.timeoutOrElse(got, {
        duration: leftMillis(),
        orElse: () => Effect.fail(failed(new CredentialProblem(`No credential within ${timeoutMillis} ms`)))
      })
}

/**
 * Sends a request with the current credential. After a 401 it asks for the credential again and, if that is a new one, sends
 * the request once more: a 401 means that nothing ran.
 */
export const sendAuthorized = Effect.fnUntraced(function* (
  invocation: Invocation,
  written: Written,
  isStreamed: (head: Head) => boolean
): Effect.fn.Return<Received, SendError> {
  const { attemptMillis, client, leftMillis, operation, timeoutMillis, trace } = invocation
  const sendAs = (credential: Redacted.Redacted, hide: Hide) => {
    const sendOnce = (written: Written) => {
      let limitMillis = timeoutMillis
      return Effect.mapError(
        // Suspended, since pacing may delay it.
        Effect.suspend(() => {
          const left = leftMillis()
          const deadlineMillis = Math.min(left, attemptMillis)
          if (attemptMillis < left) limitMillis = attemptMillis
          if (deadlineMillis === 0) return Effect.fail(new NotCarried({ why: "not sent", late: true }))
          if (trace !== undefined) trace.sent = true
          const request = client.carry({
            ...written,
            deadlineMillis,
            idleMillis,
            isStreamed,
            origin: client.origin,
            private: true,
            headers: { ...written.headers, authorization: `Bearer ${Redacted.value(credential)}` }
          })
          const carried = written.around === undefined ? request : written.around(request, { body: written.body, hide })
          if (!invocation.isStream) return carried
          return Effect.map(carried, (incoming) => {
            if (!(incoming.body instanceof Uint8Array)) invocation.unread = incoming.body
            return incoming
          })
        }),
        (error) => transportFailed(operation.id, limitMillis, hide, error)
      )
    }
    const sent = hooked(invocation, written, sendOnce, hide)
    return paced(invocation, written, credential, sent)
  }
  let credential = yield* credentialOf(invocation)
  let hide = hiding(credential)
  let incoming = yield* sendAs(credential, hide)
  if (incoming.status === 401) {
    const renewed = yield* Effect.provideService(credentialOf(invocation), RejectedCredential, credential)
    if (Redacted.value(renewed) !== Redacted.value(credential)) {
      credential = renewed
      hide = hiding(credential)
      incoming = yield* sendAs(credential, hide)
    }
  }
  if (trace !== undefined) trace.head = { status: incoming.status, headers: incoming.headers }
  return { ...incoming, hide }
})
