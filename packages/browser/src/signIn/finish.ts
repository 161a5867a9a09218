import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Attempt } from "./Attempt.ts"
import { ReturnInvalid, SignInDeclined } from "./errors.ts"
import type { Options } from "./Options.ts"
import type { Page } from "./Page.ts"
import type { Returned } from "./returned.ts"
import { secret } from "./secrets.ts"
import type { Session } from "./Session.ts"
import * as TokenEndpoint from "./TokenEndpoint.ts"

const lifetimeMillis = 900_000
const codes = /^[\x20-\x7e]{1,8192}$/

const messages: Readonly<Record<ReturnInvalid["why"], string>> = {
  state: "This answers no sign-in that was begun in this tab, or one that was answered before.",
  issuer: "Another server answers than the one that was asked.",
  late: "The sign-in was begun too long ago.",
  code: "The server does not take the code that it sent."
}

export const invalid = (why: ReturnInvalid["why"]) => new ReturnInvalid({ why, message: messages[why] })

const isFrom = ({ server }: Attempt, iss: string | undefined): boolean =>
  iss === undefined ? !server.namesItself : iss === server.issuer

/** Tokens for the code that answers an attempt. */
export const finish = Effect.fnUntraced(function* (
  page: Page,
  { clientId, redirectUri }: Options,
  attempt: Attempt,
  { code, error, iss, state }: Returned
) {
  if (state !== attempt.state) return yield* invalid("state")
  if (!isFrom(attempt, iss)) return yield* invalid("issuer")
  if ((yield* Clock.currentTimeMillis) > attempt.begunAt + lifetimeMillis) return yield* invalid("late")
  if (error !== undefined) {
    const shown = TokenEndpoint.errorCode.test(error) ? error : "unknown"
    return yield* new SignInDeclined({ error: shown, message: `The server did not sign the user in: ${shown}.` })
  }
  if (code === undefined || !codes.test(code)) return yield* invalid("code")
  const { server, verifier } = attempt
  const granted = yield* TokenEndpoint.exchange(page, server, { clientId, redirectUri, code, verifier })
  if (Option.isNone(granted)) return yield* invalid("code")
  const session: Session = { ...granted.value, server, id: yield* secret, turn: 0 }
  return session
})
