import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Attempt from "./Attempt.ts"
import { type CredentialError, credentialOf } from "./credential.ts"
import {
  PageUnfit,
  type ReturnInvalid,
  type ServerUnreachable,
  type ServerUnusable,
  SignInAbandoned,
  type SignInDeclined
} from "./errors.ts"
import { finish, invalid } from "./finish.ts"
import type { Options } from "./Options.ts"
import type { Page } from "./Page.ts"
import { byPopup, handOver } from "./popup.ts"
import { takeReturned } from "./returned.ts"
import * as Server from "./Server.ts"
import * as Sessions from "./Sessions.ts"
import { shared } from "./shared.ts"
import { revoke } from "./TokenEndpoint.ts"

type AnswerError = SignInDeclined | ReturnInvalid | ServerUnusable | ServerUnreachable
export type SignInError = AnswerError | SignInAbandoned | PageUnfit

export interface Completed {
  /** Where in this origin the user was when the sign-in was begun. */
  readonly returnTo: string
}

export interface SignIn {
  /** Leaves for the server's page, unless the user is signed in, or has come back from there with this address. */
  readonly signIn: Effect.Effect<void, SignInError>
  /** For the page at `redirectUri`, when it is loaded. Nothing where its address is no answer to a sign-in. */
  readonly completeSignIn: Effect.Effect<Completed | undefined, AnswerError>
  /** Signs in from a window and leaves the page as it is. To be run when the user clicks, or the browser opens none. */
  readonly signInByPopup: Effect.Effect<void, SignInError>
  readonly isSignedIn: Effect.Effect<boolean>
  /** Forgets the tokens, and has the server do so where it can. The user's session at the server goes on. */
  readonly signOut: Effect.Effect<{ readonly revoked: boolean }>
  /** For a client: a token that is good now. */
  readonly credential: Effect.Effect<Redacted.Redacted, CredentialError>
}

const unfit = (page: Page, { redirectUri }: Options): PageUnfit | undefined => {
  const { origin } = new URL(page.address())
  if (!page.isSecure()) return new PageUnfit({ why: "insecure", message: "Signing in takes a page over HTTPS." })
  if (URL.canParse(redirectUri) && new URL(redirectUri).origin === origin) return undefined
  return new PageUnfit({ why: "redirectUri", message: `redirectUri must be a whole address, and of ${origin}.` })
}

export const makeIn = (page: Page, options: Options): SignIn => {
  const sessions = Sessions.make(page, options)

  let known: Server.Server | undefined
  const server = Effect.suspend(() =>
    known === undefined
      ? Effect.tap(Server.discover(page, options), (found) => Effect.sync(() => (known = found)))
      : Effect.succeed(known)
  )

  const fit = Effect.suspend(() => {
    const why = unfit(page, options)
    return why === undefined ? Effect.void : Effect.fail(why)
  })

  const completeSignIn = shared(
    Effect.gen(function* () {
      const returned = takeReturned(page, options)
      if (returned === undefined) return undefined
      const { search, state = "" } = returned
      if (state.startsWith(Attempt.popupPrefix) && handOver(page, state, search)) return yield* Effect.never
      const attempt = yield* Attempt.take(page, options, state)
      if (Option.isNone(attempt)) return yield* invalid("state")
      sessions.put(yield* finish(page, options, attempt.value, returned))
      return { returnTo: attempt.value.from }
    })
  )

  return {
    completeSignIn,
    signIn: Effect.gen(function* () {
      yield* fit
      if ((yield* completeSignIn) !== undefined || sessions.get() !== undefined) return
      const { attempt, url } = yield* Attempt.begin(page, options, yield* server, "")
      yield* Attempt.put(page, options, attempt)
      yield* page.leave(url)
      return yield* new SignInAbandoned({ message: "The user came back without an answer of the server." })
    }),
    signInByPopup: Effect.gen(function* () {
      yield* fit
      sessions.put(yield* byPopup(page, options, server))
    }),
    isSignedIn: Effect.sync(() => sessions.get() !== undefined),
    signOut: Effect.gen(function* () {
      const session = sessions.get()
      sessions.drop("left")
      return { revoked: session !== undefined && (yield* revoke(page, session.server, options.clientId, session)) }
    }),
    credential: credentialOf(page, options, sessions)
  }
}
