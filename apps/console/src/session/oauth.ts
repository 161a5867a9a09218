import { make, type SignedOut } from "@tollgate/browser/signIn"
import * as Effect from "effect/Effect"
import { baseUrl, gateway } from "./gateway.ts"
import { type Session, sessionOf } from "./Session.ts"

const auth = make({
  issuer: gateway.authorizationServer ?? baseUrl,
  resource: gateway.authorizationServer ?? baseUrl,
  // The authorization server knows its own console.
  clientId: "console",
  redirectUri: `${baseUrl}/sign-in`,
  scopes: ["use", "usage", "grants"],
  keep: "sessionStorage"
})

const isSignedOut = (error: { readonly _tag: string }): error is SignedOut => error._tag === "SignedOut"

const session = (): Session =>
  sessionOf({
    by: "oauth",
    credential: (end) =>
      Effect.tapError(auth.credential, (error) =>
        Effect.sync(() => {
          if (isSignedOut(error) && error.why === "ended")
            end("You are signed out. The sign-in expired or was revoked.")
        })
      ),
    leave: () => Effect.runPromise(auth.signOut)
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

const declined = "You did not allow access, so you are not signed in."

/** Completes the sign-in that this address answers. */
export const complete = (): Promise<Returned> =>
  Effect.runPromise(
    Effect.match(auth.completeSignIn, {
      onSuccess: (completed): Returned =>
        completed === undefined ? {} : { session: session(), from: completed.returnTo },
      onFailure: ({ _tag, message }): Returned => ({ problem: _tag === "SignInDeclined" ? declined : message })
    })
  )

/** The session of this tab before it was loaded again. */
export const resume = (): Session | undefined => (Effect.runSync(auth.isSignedIn) ? session() : undefined)
