import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { type Completed, makeSignIn } from "./signIn/makeSignIn.ts"
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

export interface SignInPromises {
  readonly signIn: () => Promise<void>
  readonly completeSignIn: () => Promise<Completed | undefined>
  readonly signInByPopup: () => Promise<void>
  readonly isSignedIn: () => boolean
  readonly signOut: () => Promise<{ readonly revoked: boolean }>
  /** A valid access token: the option `credential` of a client. */
  readonly credential: () => Promise<string>
}

/** Signing in with OAuth 2.1 (authorization code and PKCE). This sends no request yet. Pass `credential` to `createClient`. */
export const createSignIn = (options: Options): SignInPromises => {
  const { completeSignIn, credential, isSignedIn, signIn, signInByPopup, signOut } = makeSignIn(browser, options)
  return {
    signIn: () => Effect.runPromise(signIn),
    completeSignIn: () => Effect.runPromise(completeSignIn),
    signInByPopup: () => Effect.runPromise(signInByPopup),
    isSignedIn: () => Effect.runSync(isSignedIn),
    signOut: () => Effect.runPromise(signOut),
    credential: () => Effect.runPromise(Effect.map(credential, Redacted.value))
  }
}
