import type { Catalogue } from "@tollgate/contract/Catalogue"
import * as Headers from "@tollgate/contract/Headers"
import type { Charge } from "@tollgate/contract/Outcome"
import type { RateLimits } from "@tollgate/contract/RateLimits"
import { isFree } from "@tollgate/contract/price/Price"
import { Quote } from "@tollgate/contract/resources/Quote"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Schema from "effect/Schema"
import { Keys } from "./credential/Keys.ts"
import type { Accepted, Authenticated, Decoded, Priced } from "./Exchange.ts"
import { OnMilestone } from "./milestone.ts"
import { Ledger, type StoredAnswer } from "./ledger/Ledger.ts"
import { Limits } from "./Limits.ts"
import type { Admission } from "./limits/Admission.ts"
import { contracts } from "./own/contracts.ts"
import { json } from "./own/json.ts"
import type { Own } from "./own/Own.ts"
import { usage } from "./own/usage.ts"
import { Prices } from "./Prices.ts"
import { Refused, refuse } from "./Refused.ts"
import * as RequestIds from "./RequestIds.ts"
import * as Router from "./Router.ts"
import { accept } from "./steps/01-accept.ts"
import { credential } from "./steps/02-credential.ts"
import { operation } from "./steps/03-operation.ts"
import { request } from "./steps/04-request.ts"
import { counted, limits, provenTokens } from "./steps/05-limits.ts"
import { price } from "./steps/06-price.ts"
import { quote, wantsQuote } from "./steps/07-quote.ts"
import { cap } from "./steps/08-cap.ts"
import { reserve } from "./steps/09-reserve.ts"
import { upstream } from "./steps/10-upstream.ts"
import { meter, usedTokens } from "./steps/11-meter.ts"
import { settle } from "./steps/12-settle.ts"
import { answer, preflight, refusal } from "./steps/13-answer.ts"
import { Upstreams } from "./upstream/Upstreams.ts"
import { Usage } from "./usage/Usage.ts"

const encodeQuote = Schema.encodeSync(Schema.fromJsonString(Quote))

type Restore = <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>

const free: Charge = { state: "none" }

const unmetered = (response: HttpServerResponse) => ({ response, tokens: undefined })

/** Whether a completed call is answered again where the caller does not say. */
export const ReplayByDefault = Context.Reference<boolean>("@tollgate/gateway/ReplayByDefault", {
  defaultValue: () => false
})

const replayed = (stored: StoredAnswer) => ({ ...stored, headers: { [Headers.idempotentReplayed]: "true" } })

const nameAndPlace = (defect: unknown): string => {
  if (!(defect instanceof Error)) return typeof defect
  // A line of the message may look like one of the trace, so the message goes first.
  const [, trace = ""] = splitOnce(defect.stack ?? "", defect.message)
  return [defect.name, ...trace.split("\n").filter((line) => /^\s+at /.test(line))].join("\n")
}

const splitOnce = (text: string, at: string): ReadonlyArray<string> => {
  const index = text.indexOf(at)
  return index === -1 ? [text] : [text.slice(0, index), text.slice(index + at.length)]
}

/** The path of a request, from top to bottom. Every operation takes it; there is no other door. */
export const make = Effect.fnUntraced(function* (catalogue: Catalogue) {
  const router = Router.make(catalogue.bound)
  const nextId = yield* RequestIds.make
  const reports = yield* Effect.serviceOption(Usage)
  const own: Readonly<Record<string, Own>> = {
    ...(yield* contracts(catalogue)),
    ...(Option.isSome(reports) ? { usage: usage(reports.value) } : {})
  }
  const ledger = yield* Ledger
  const reached = yield* OnMilestone
  const prices = yield* Prices

  const authenticate = credential(yield* Keys)
  const admit = limits(yield* Limits)
  const turnAway = counted(yield* Limits)
  const estimate = price(prices)
  const hold = reserve(ledger, yield* Digest, yield* ReplayByDefault)
  const upstreams = yield* Upstreams
  const call = upstream(upstreams, ledger)
  const charge = settle(ledger)

  const execute = (priced: Priced, restore: Restore) =>
    Effect.flatMap(hold(priced), (reserved) => {
      if (reserved.kind === "replay")
        return Effect.succeed({ answer: replayed(reserved.answer), charge: free, tokens: 0 })
      const { reservation } = reserved
      reached("reserved")
      return Effect.flatMap(call(priced, reservation, restore), (called) => {
        reached("called")
        const settled = meter(priced, called)
        return Effect.mapEager(charge(reservation, called, settled), (charge) => {
          reached("settled")
          return { answer: called.answer, charge, tokens: usedTokens(priced, settled) }
        })
      })
    })

  /** The answer, and the tokens it is known to have used. */
  const admitted = (decoded: Decoded, { headers }: Admission, restore: Restore) => {
    const quoting = wantsQuote(decoded)
    const ours = own[decoded.operation.id]
    if (ours !== undefined && !quoting) {
      return Effect.map(restore(ours(decoded)), (own) => unmetered(answer(decoded, own, headers, free)))
    }
    return Effect.flatMapEager(estimate(decoded), (priced) => {
      if (quoting)
        return Effect.map(quote(priced), (quote) => unmetered(answer(decoded, json(encodeQuote(quote)), headers, free)))
      if (isFree(priced.price)) {
        return Effect.map(restore(upstreams.call(priced)), (called) =>
          unmetered(answer(decoded, called.answer, headers, free))
        )
      }
      return Effect.flatMapEager(cap(priced), () =>
        Effect.map(execute(priced, restore), (done) => ({
          response: answer(decoded, done.answer, headers, done.charge),
          tokens: done.tokens
        }))
      )
    })
  }

  const failed = (accepted: Accepted, defect: unknown, limits: RateLimits) =>
    Effect.as(
      // The name and the place only: a message may quote what the caller sent.
      Effect.logError("request failed", { requestId: accepted.requestId, defect: nameAndPlace(defect) }),
      refusal(accepted, refuse("internal_error", "The gateway failed to handle the request."), catalogue.names, limits)
    )

  const turnDown =
    (accepted: Accepted, limits: RateLimits = {}) =>
    (cause: Cause.Cause<Refused>) => {
      if (Cause.hasInterrupts(cause)) return Effect.failCause(cause as Cause.Cause<never>)
      const error = Cause.squash(cause)
      return error instanceof Refused
        ? Effect.succeed(refusal(accepted, error, catalogue.names, limits))
        : failed(accepted, error, limits)
    }

  const decode = (authenticated: Authenticated) => Effect.flatMap(operation(authenticated), request)

  const carryOut = (accepted: Accepted, restore: Restore) =>
    Effect.flatMapEager(authenticate(accepted), (authenticated) =>
      Effect.flatMap(Effect.catch(restore(decode(authenticated)), turnAway(authenticated)), (decoded) =>
        Effect.flatMapEager(admit(decoded), (admission) =>
          Effect.matchCauseEffect(admitted(decoded, admission, restore), {
            onSuccess: ({ response, tokens }) => Effect.as(admission.end(tokens), response),
            onFailure: (cause) =>
              Effect.andThen(admission.end(provenTokens(cause)), turnDown(decoded, admission.headers)(cause))
          })
        )
      )
    )

  // A caller may leave while its body is read and while an upstream works, and at no other moment: what is taken is
  // given back, and what is reserved is ended.
  return HttpServerRequest.use((request) => {
    const accepted = accept(router, request, nextId())
    if (request.method === "OPTIONS") return Effect.succeed(preflight(accepted))
    return Effect.uninterruptibleMask((restore) => Effect.catchCause(carryOut(accepted, restore), turnDown(accepted)))
  })
})
