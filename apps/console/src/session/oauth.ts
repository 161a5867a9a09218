import { make } from "@tollgate/browser/signIn"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { baseUrl, gateway } from "./gateway.ts"
import type { Session } from "./Session.ts"
import { withToken } from "./signIn.ts"

const auth = make({
  issuer: gateway.authorizationServer ?? baseUrl,
  resource: gateway.authorizationServer ?? baseUrl,
  // The authorization server knows its own console.
  clientId: "console",
  redirectUri: `${baseUrl}/sign-in`,
  scopes: ["use", "usage", "grants"]
})

/** Leaves this page for the authorization server. Succeeds with what went wrong. */
export const begin = (): Promise<string | undefined> =>
  Effect.runPromise(Effect.match(auth.signIn, { onSuccess: () => undefined, onFailure: ({ message }) => message }))

export interface Returned {
  readonly session?: Session
  readonly problem?: string
  /** Where the sign-in began. */
  readonly from?: string
}

const declined = "You denied access, so you are not signed in."

const handOver = Effect.fnUntraced(function* (from: string) {
  const token = yield* auth.credential
  const session = yield* Effect.promise(() => withToken(Redacted.value(token)))
  return typeof session === "string" ? { problem: session } : { session, from }
})

/** Completes the sign-in that this address answers. */
export const complete = (): Promise<Returned> =>
  auth.completeSignIn.pipe(
    Effect.flatMap((completed) =>
      completed === undefined ? Effect.succeed<Returned>({}) : handOver(completed.returnTo)
    ),
    Effect.catch(({ _tag, message }) =>
      Effect.succeed<Returned>({ problem: _tag === "SignInDeclined" ? declined : message })
    ),
    Effect.runPromise
  )
