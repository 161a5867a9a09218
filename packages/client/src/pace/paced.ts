import type { Incoming } from "@tollgate/contract/carrier/Carrier"
import * as Headers from "@tollgate/contract/Headers"
import type { Bound } from "@tollgate/contract/Operation"
import { estimateTokens } from "@tollgate/contract/price/estimate"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Client } from "../Client.ts"
import type { Written } from "../request.ts"
import { PaceExceeded } from "./errors.ts"
import { learn } from "./learn.ts"
import { unlimited } from "./Limit.ts"
import type { Pace } from "./Pace.ts"
import { paceOf } from "./registry.ts"
import type { Claim, Turn } from "./Turn.ts"

/** As the gateway reckons: a quote is one more request and nothing else. */
const claimOf = ({ tokens }: Pace, { limit: group, names, price }: Bound, { body, headers }: Written): Claim => {
  const isQuote = headers[Headers.costMode.key(names)] !== undefined
  const isCounted = group.tokens && !isQuote && Math.min(tokens.told, tokens.most) < unlimited
  return {
    group,
    // The body is read once more only where there is a limit to hold it against.
    tokens: isCounted ? estimateTokens(price, body === undefined ? {} : JSON.parse(Utf8.decode(body))) : undefined,
    concurrent: group.concurrency && !isQuote
  }
}

/** Fails where the turn would come too late, or has not come in time. */
const wait = (pace: Pace, turn: Turn, { id }: Bound, patienceMillis: number): Effect.Effect<void, PaceExceeded> => {
  const exceeded = Effect.suspend(() => {
    const retryAfter = pace.wait(turn)
    const message = `The call's turn is ${retryAfter} ms away: this client keeps to its limits`
    return Effect.fail(new PaceExceeded({ operation: id, message, outcome: "not executed", retryAfter }))
  })
  if (pace.wait(turn) > patienceMillis) return exceeded
  const turned = Effect.callback<void>((resume) => {
    if (turn.state === "waiting") turn.go = () => resume(Effect.void)
    else resume(Effect.void)
  })
  return Effect.timeoutOrElse(turned, { duration: patienceMillis, orElse: () => exceeded })
}

/** Sends the request when it is its turn under this credential. */
export const paced = <E>(
  client: Client["Service"],
  operation: Bound,
  written: Written,
  credential: Redacted.Redacted,
  sent: Effect.Effect<Incoming, E>
): Effect.Effect<Incoming, E | PaceExceeded> => {
  const { pace: pacing, policy } = client
  // What needs no credential counts for none.
  if (pacing === false || operation.access === "open") return sent
  return Effect.withFiber((fiber) => {
    const pace = paceOf(fiber.getRef(Clock.Clock), client.origin + client.path, Redacted.value(credential))
    pace.heed(pacing)
    return Effect.uninterruptibleMask((restore) => {
      const turn = pace.join(claimOf(pace, operation, written), fiber.context)
      const patience = pacing.patienceMillis ?? policy.patienceMillis
      const going = turn.state === "waiting" ? Effect.andThen(wait(pace, turn, operation, patience), sent) : sent
      return Effect.matchCauseEffect(restore(going), {
        onFailure: (cause) => {
          pace.end(turn, false)
          return Effect.failCause(cause)
        },
        onSuccess: (incoming) => {
          pace.answered(turn)
          learn(pace, turn, operation, incoming)
          const { body } = incoming
          if (body instanceof Uint8Array) {
            pace.end(turn, true)
            return Effect.succeed(incoming)
          }
          pace.advance()
          // A stream may be left before it is read: then only its scope ends.
          const end = (whole: boolean) => Effect.sync(() => pace.end(turn, whole))
          const scope = Context.getOption(fiber.context, Scope.Scope)
          const left = Option.isSome(scope) ? Scope.addFinalizer(scope.value, end(false)) : Effect.void
          return Effect.as(left, { ...incoming, body: Stream.ensuring(Stream.onEnd(body, end(true)), end(false)) })
        }
      })
    })
  })
}
