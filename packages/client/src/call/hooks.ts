import type { Incoming } from "@tollgate/contract/carrier/Carrier"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type { Hooked } from "../Client.ts"
import { InputInvalid } from "../errors/errors.ts"
import { type Hide, hideIn } from "../credential/hideCredential.ts"
import type { Invocation } from "./Invocation.ts"
import { isHeader, lowerCase, type Written } from "./request.ts"

const asIs = (cause: unknown) => cause

/** Runs a program's own function, which may throw, return a promise or return an effect. */
const run = <A>(hook: () => Hooked<A>): Effect.Effect<A, unknown> =>
  Effect.flatMap(Effect.try({ try: hook, catch: asIs }), (made) => {
    if (Effect.isEffect(made)) return Effect.catchDefect(made, Effect.fail)
    return made instanceof Promise ? Effect.tryPromise({ try: () => made, catch: asIs }) : Effect.succeed(made)
  })

/** Sends one request between the client's hooks, if it has any. */
export const hooked = <E>(
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
