import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Attempt from "./Attempt.ts"
import { type AuthorizationResponse, randomSecret } from "./Attempt.ts"
import { type CredentialError, credentialOf, singleFlight } from "./credential.ts"
import {
  PageUnfit,
  ReturnInvalid,
  type ServerUnreachable,
  type ServerUnusable,
  SignInAbandoned,
  SignInDeclined
} from "./errors.ts"
import type { Options } from "./Options.ts"
import type { Page, Popup } from "./Page.ts"
import * as Server from "./Server.ts"
import * as SessionStore from "./SessionStore.ts"
import type { Session } from "./SessionStore.ts"
import * as TokenEndpoint from "./TokenEndpoint.ts"
import { revoke } from "./TokenEndpoint.ts"
import * as Schedule from "effect/Schedule"
import * as Clock from "effect/Clock"

const lifetimeMillis = 900_000
const codePattern = /^[\x20-\x7e]{1,8192}$/

const messages: Readonly<Record<ReturnInvalid["why"], string>> = {
  state: "This tab did not start this sign-in, or it was already answered.",
  issuer: "The answer names another server than the one used.",
  late: "The sign-in started too long ago.",
  code: "The server rejected the code, or sent none."
}

const invalid = (why: ReturnInvalid["why"]) => new ReturnInvalid({ why, message: messages[why] })

const isFromServer = ({ server }: Attempt.Attempt, iss: string | undefined): boolean =>
  iss === undefined ? !server.sendsIssuer : iss === server.issuer

/** Checks the answer to an attempt and exchanges its code for tokens. */
const finishSignIn = Effect.fnUntraced(function* (
  page: Page,
  { clientId, redirectUri }: Options,
  attempt: Attempt.Attempt,
  { code, error, iss, state }: AuthorizationResponse
) {
  if (state !== attempt.state) return yield* invalid("state")
  if (!isFromServer(attempt, iss)) return yield* invalid("issuer")
  if ((yield* Clock.currentTimeMillis) > attempt.begunAt + lifetimeMillis) return yield* invalid("late")
  if (error !== undefined) {
    const shown = TokenEndpoint.errorCode.test(error) ? error : "unknown"
    return yield* new SignInDeclined({ error: shown, message: `The server did not sign the user in: ${shown}.` })
  }
  if (code === undefined || !codePattern.test(code)) return yield* invalid("code")
  const { server, verifier } = attempt
  const tokens = yield* TokenEndpoint.exchangeCode(page, server, { clientId, redirectUri, code, verifier })
  if (Option.isNone(tokens)) return yield* invalid("code")
  const session: Session = { ...tokens.value, server, id: yield* randomSecret, renewals: 0 }
  return session
})

const channelName = (state: string) => `tollgate.signIn.${state}`

const pollMillis = 300

const whenClosed = (popup: Popup) =>
  Effect.sync(() => popup.closed).pipe(
    Effect.repeat({ until: (isClosed) => isClosed, schedule: Schedule.spaced(pollMillis) }),
    // Its last message may still be in transit.
    Effect.andThen(Effect.sleep(pollMillis)),
    Effect.andThen(Effect.fail(new SignInAbandoned({ message: "The user closed the window." })))
  )

const receiveAnswer = (page: Page, { state }: Attempt.Attempt) =>
  Effect.acquireUseRelease(
    Effect.sync(() => page.channel(channelName(state))),
    (channel) =>
      Effect.callback<string>((resume) => {
        channel.onmessage = ({ data }: MessageEvent<unknown>) => {
          if (typeof data === "string") resume(Effect.succeed(data))
        }
      }),
    (channel) => Effect.sync(() => channel.close())
  )

/** Opens the window first: later, the browser would block it as not requested by the user. */
const byPopup = <E>(page: Page, options: Options, server: Effect.Effect<Server.Server, E>) =>
  Effect.acquireUseRelease(
    Effect.suspend(() => {
      const popup = page.popup()
      return popup === null
        ? Effect.fail(new PageUnfit({ why: "popup", message: "The browser does not let this page open a window." }))
        : Effect.succeed(popup)
    }),
    Effect.fnUntraced(function* (popup) {
      const { attempt, url } = yield* Attempt.begin(page, options, yield* server, Attempt.popupPrefix)
      popup.location.href = url
      const search = yield* Effect.raceFirst(receiveAnswer(page, attempt), whenClosed(popup))
      return yield* finishSignIn(page, options, attempt, Attempt.parse(search))
    }),
    (popup) => Effect.sync(() => popup.close())
  )

/** Runs in the popup: sends the answer to the page that opened it. Returns whether the popup could close itself. */
const sendToOpener = (page: Page, state: string, search: string): boolean => {
  const channel = page.channel(channelName(state))
  channel.postMessage(search)
  channel.close()
  return page.close()
}

type AnswerError = SignInDeclined | ReturnInvalid | ServerUnusable | ServerUnreachable
export type SignInError = AnswerError | SignInAbandoned | PageUnfit

export interface Completed {
  /** The page of this origin where the sign-in started. */
  readonly returnTo: string
}

export interface SignIn {
  /** Navigates to the server's page, unless the user is signed in or this address completes a sign-in. */
  readonly signIn: Effect.Effect<void, SignInError>
  /** Run this when the page at `redirectUri` loads. `undefined` if its address does not answer a sign-in. */
  readonly completeSignIn: Effect.Effect<Completed | undefined, AnswerError>
  /** Signs in through a popup; the page stays. Run it in a click handler, or the browser blocks the popup. */
  readonly signInByPopup: Effect.Effect<void, SignInError>
  readonly isSignedIn: Effect.Effect<boolean>
  /** Discards the tokens and revokes them if the server supports it. The user's session at the server continues. */
  readonly signOut: Effect.Effect<{ readonly revoked: boolean }>
  /** The credential for a client: a valid access token. */
  readonly credential: Effect.Effect<Redacted.Redacted, CredentialError>
}

const pageProblem = (page: Page, { redirectUri }: Options): PageUnfit | undefined => {
  const { origin } = new URL(page.address())
  if (!page.isSecure()) return new PageUnfit({ why: "insecure", message: "Signing in needs a page loaded over HTTPS." })
  if (URL.canParse(redirectUri) && new URL(redirectUri).origin === origin) return undefined
  return new PageUnfit({ why: "redirectUri", message: `redirectUri must be an absolute address of ${origin}.` })
}

export const makeSignIn = (page: Page, options: Options): SignIn => {
  const sessions = SessionStore.make(page, options)

  let cached: Server.Server | undefined
  const server = Effect.suspend(() =>
    cached === undefined
      ? Effect.tap(Server.discover(page, options), (found) => Effect.sync(() => (cached = found)))
      : Effect.succeed(cached)
  )

  const requireUsablePage = Effect.suspend(() => {
    const problem = pageProblem(page, options)
    return problem === undefined ? Effect.void : Effect.fail(problem)
  })

  const completeSignIn = singleFlight(
    Effect.gen(function* () {
      const response = Attempt.takeAuthorizationResponse(page, options)
      if (response === undefined) return undefined
      const { search, state = "" } = response
      if (state.startsWith(Attempt.popupPrefix) && sendToOpener(page, state, search)) return yield* Effect.never
      const attempt = yield* Attempt.take(page, options, state)
      if (Option.isNone(attempt)) return yield* invalid("state")
      sessions.put(yield* finishSignIn(page, options, attempt.value, response))
      return { returnTo: attempt.value.from }
    })
  )

  return {
    completeSignIn,
    signIn: Effect.gen(function* () {
      yield* requireUsablePage
      if ((yield* completeSignIn) !== undefined || sessions.get() !== undefined) return
      const { attempt, url } = yield* Attempt.begin(page, options, yield* server, "")
      yield* Attempt.put(page, options, attempt)
      yield* page.navigate(url)
      return yield* new SignInAbandoned({ message: "The user came back without an answer from the server." })
    }),
    signInByPopup: Effect.gen(function* () {
      yield* requireUsablePage
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
