import * as Effect from "effect/Effect"
import { type Completed, makeSignIn, type SignIn } from "./signIn/makeSignIn.ts"
import type { Options } from "./signIn/Options.ts"
import { browser } from "./signIn/Page.ts"

export {
  PageUnfit,
  ReturnInvalid,
  ServerUnreachable,
  ServerUnusable,
  SignedOut,
  SignInAbandoned,
  SignInDeclined
} from "./signIn/errors.ts"

/** Signing in with OAuth 2.1 (authorization code and PKCE), as effects. This sends no request yet. */
export const make = (options: Options): SignIn => makeSignIn(browser, options)

export interface SignInPromises {
  readonly signIn: () => Promise<void>
  readonly completeSignIn: () => Promise<Completed | undefined>
  readonly signInByPopup: () => Promise<void>
  readonly isSignedIn: () => boolean
  readonly signOut: () => Promise<{ readonly revoked: boolean }>
  readonly credential: SignIn["credential"]
}

/** The same functions with promises, which reject with the same errors. Pass `credential` to `createClient`. */
export const createSignIn = (options: Options): SignInPromises => {
  const { completeSignIn, credential, isSignedIn, signIn, signInByPopup, signOut } = make(options)
  return {
    signIn: () => Effect.runPromise(signIn),
    completeSignIn: () => Effect.runPromise(completeSignIn),
    signInByPopup: () => Effect.runPromise(signInByPopup),
    isSignedIn: () => Effect.runSync(isSignedIn),
    signOut: () => Effect.runPromise(signOut),
    credential
  }
}
