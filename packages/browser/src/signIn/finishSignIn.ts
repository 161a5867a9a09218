import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Attempt, type AuthorizationResponse, randomSecret } from "./Attempt.ts"
import { ReturnInvalid, SignInDeclined } from "./errors.ts"
import type { Options } from "./Options.ts"
import type { Page } from "./Page.ts"
import type { Session } from "./SessionStore.ts"
import * as TokenEndpoint from "./TokenEndpoint.ts"

const lifetimeMillis = 900_000
const codePattern = /^[\x20-\x7e]{1,8192}$/

const messages: Readonly<Record<ReturnInvalid["why"], string>> = {
  state: "This tab did not start this sign-in, or it was already answered.",
  issuer: "The answer names another server than the one used.",
  late: "The sign-in started too long ago.",
  code: "The server rejected the code, or sent none."
}

export const invalid = (why: ReturnInvalid["why"]) => new ReturnInvalid({ why, message: messages[why] })

const isFromServer = ({ server }: Attempt, iss: string | undefined): boolean =>
  iss === undefined ? !server.sendsIssuer : iss === server.issuer

/** Checks the answer to an attempt and exchanges its code for tokens. */
export const finishSignIn = Effect.fnUntraced(function* (
  page: Page,
  { clientId, redirectUri }: Options,
  attempt: Attempt,
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
