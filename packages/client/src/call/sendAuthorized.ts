import { type Head, type Incoming, NotCarried } from "@tollgate/contract/carrier/Carrier"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import { CredentialProblem } from "../credential/credential.ts"
import { RejectedCredential } from "../credential/RejectedCredential.ts"
import {
  CredentialUnavailable,
  InputInvalid,
  type PaceExceeded,
  transportFailed,
  type TransportFailed
} from "../errors/errors.ts"
import { type Hide, hiding, hideIn } from "../credential/hideCredential.ts"
import type { Invocation } from "./Invocation.ts"
import { paced } from "./paced.ts"
import { type Written, isHeader, lowerCase } from "./request.ts"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import type { Hooked } from "../Client.ts"

const asIs = (cause: unknown) => cause

/** Runs a program's own function, which may throw, return a promise or return an effect. */
const run = <A>(hook: () => Hooked<A>): Effect.Effect<A, unknown> =>
  Effect.flatMap(Effect.try({ try: hook, catch: asIs }), (made) => {
    if (Effect.isEffect(made)) return Effect.catchDefect(made, Effect.fail)
    return made instanceof Promise ? Effect.tryPromise({ try: () => made, catch: asIs }) : Effect.succeed(made)
  })

/** Sends one request between the client's hooks, if it has any. */
const hooked = <E>(
  { client, leftMillis, operation }: Invocation,
  written: Written,
  send: (written: Written) => Effect.Effect<Incoming, E>,
  hide: Hide
): Effect.Effect<Incoming, E | InputInvalid> => {
  const { afterResponse, beforeRequest } = client
  if (afterResponse === undefined && beforeRequest === undefined) return send(written)
  const { body, headers, method, path } = written
  const request = { operation: operation.id, method, url: client.origin + path, headers, body }
  const refused = (message: string, cause?: unknown) =>
    new InputInvalid({
      operation: operation.id,
      message,
      outcome: "not executed",
      ...(cause === undefined ? {} : { cause })
    })
  // Suspended, since pacing may delay it.
  return Effect.suspend(() =>
    Effect.timeoutOrElse(
      run(() => beforeRequest?.(request)),
      { duration: leftMillis(), orElse: () => Effect.fail("It takes too long") }
    )
  ).pipe(
    Effect.mapError((cause) => refused("beforeRequest failed, so nothing was sent", cause)),
    Effect.flatMap((added): Effect.Effect<Incoming, E | InputInvalid> => {
      const more = lowerCase(added ?? {})
      const unusable = Object.entries(more).find((header) => !isHeader(header))
      return unusable === undefined
        ? send({ ...written, headers: { ...more, ...headers } })
        : Effect.fail(refused(`${unusable[0]}: this header of beforeRequest cannot be sent`))
    }),
    Effect.tap(({ headers, status }) =>
      // Not waited for: whatever the hook does, the answer is not lost. Effect's loggers would fill the bundle.
      run(() => afterResponse?.({ request, status, headers: hideIn(headers, hide) })).pipe(
        Effect.catchCause((cause) => Console.warn("afterResponse failed", Cause.squash(cause))),
        Effect.forkDetach({ startImmediately: true })
      )
    )
  )
}

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
          invocation.isSent = true
          const request = client.carry({
            ...written,
            onUnsent: () => void (invocation.isSent = false),
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
