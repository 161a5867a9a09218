import { makeSignIn } from "@tollgate/browser/effect"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { baseUrl, gateway } from "./gateway.ts"

const auth = makeSignIn({
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
  readonly token?: string
  readonly problem?: string
  /** Where the sign-in began. */
  readonly from?: string
}

/** The token of the sign-in that this address answers. */
export const complete = (): Promise<Returned> =>
  Effect.gen(function* () {
    const completed = yield* auth.completeSignIn
    if (completed === undefined) return {}
    return { token: Redacted.value(yield* auth.credential), from: completed.returnTo }
  }).pipe(
    Effect.catch(({ _tag, message }) =>
      Effect.succeed<Returned>({
        problem: _tag === "SignInDeclined" ? "You denied access, so you are not signed in." : message
      })
    ),
    Effect.runPromise
  )
