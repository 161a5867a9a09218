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
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import * as Schema from "effect/Schema"
import { Keys } from "./credential/Keys.ts"
import type { Accepted, Authenticated, Decoded, Priced } from "./Exchange.ts"
import { OnMilestone } from "./milestone.ts"
import { Ledger, type Reservation, type StoredAnswer } from "./ledger/Ledger.ts"
import { Limits } from "./Limits.ts"
import type { Admission } from "./limits/Admission.ts"
import { keeper } from "./cache/keep.ts"
import { authorization } from "./link/authorize.ts"
import { answers } from "./own/answers.ts"
import { json } from "./own/json.ts"
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
import { meter, meterStream, type StreamEnd, usedTokens } from "./steps/11-meter.ts"
import { settle } from "./steps/12-settle.ts"
import { answer, answerStreaming, preflight, refusal } from "./steps/13-answer.ts"
import { stream } from "./steps/14-stream.ts"
import type { Streamed, Whole } from "./upstream/Called.ts"
import { Tasks } from "./task/Tasks.ts"
import { Upstreams } from "./upstream/Upstreams.ts"

const encodeQuote = Schema.encodeSync(Schema.fromJsonString(Quote))

type Restore = <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>

const free: Charge = { state: "none" }

const pending: Charge = { state: "pending" }
const unknown: Charge = { state: "unknown" }

/** An answer, and the tokens it is known to have used: `later`, where that is told when it has been handed on. */
interface Done {
  readonly response: HttpServerResponse
  readonly tokens: number | undefined | "later"
}

const unmetered = (response: HttpServerResponse): Done => ({ response, tokens: undefined })

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
  const own = yield* answers(catalogue)
  const { authorize, turnedAway } = yield* authorization(catalogue.names)
  const keep = yield* keeper
  const tasks = yield* Effect.serviceOption(Tasks)
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

  /** Once the whole answer is there, it is metered, settled, and only then handed on. */
  const finish = (priced: Priced, reservation: Reservation, called: Whole, { headers }: Admission) => {
    return Effect.flatMapEager(keep(priced, called.answer), (kept) => {
      const settled = meter(priced, { ...called, answer: kept })
      return Effect.mapEager(charge(reservation, kept.status, settled), (charge): Done => {
        reached("settled")
        return { response: answer(priced, kept, headers, charge), tokens: usedTokens(priced, settled) }
      })
    })
  }

  /** An answer that is handed on while it arrives is metered and settled when it ends; until then its place is taken. */
  const handOn = (priced: Priced, reservation: Reservation, called: Streamed, admission: Admission) => {
    const { protocol, streaming } = called
    const watch = protocol.watch(priced)
    const settle = (end: StreamEnd): Effect.Effect<Charge, Refused> => {
      const settled = meterStream(priced, streaming, watch.seen(), end)
      const unkept = { ...reservation, keepAnswer: false }
      return settled === "unknown"
        ? Effect.as(Effect.andThen(ledger.markUnknown(unkept), admission.end(undefined)), unknown)
        : Effect.ensuring(charge(unkept, streaming.status, settled), admission.end(usedTokens(priced, settled)))
    }
    return Effect.map(stream(streaming, watch, settle), (body): Done => ({
      response: answerStreaming(priced, streaming, body, admission.headers, pending),
      tokens: "later"
    }))
  }

  /** A call whose work goes on after it is answered is settled when that ends. */
  const begin = (priced: Priced, reservation: Reservation, admission: Admission, restore: Restore) => {
    if (Option.isNone(tasks)) {
      const refused = refuse("upstream_misconfigured", `${priced.operation.id} needs a keeper of tasks.`)
      return Effect.andThen(ledger.release(reservation, 503), Effect.fail(refused))
    }
    const called = Effect.tap(call(priced, reservation, restore), () => Effect.sync(() => reached("called")))
    return Effect.map(tasks.value.create(priced, reservation, called), (made): Done => {
      return { response: answer(priced, made.answer, admission.headers, made.charge), tokens: 0 }
    })
  }

  const execute = (priced: Priced, admission: Admission, restore: Restore): Effect.Effect<Done, Refused> =>
    Effect.flatMap(hold(priced), (reserved) => {
      if (reserved.kind === "replay") {
        const response = answer(priced, replayed(reserved.answer), admission.headers, free)
        return Effect.succeed<Done>({ response, tokens: 0 })
      }
      const { reservation } = reserved
      reached("reserved")
      if (priced.operation.limit.tasks !== undefined) return begin(priced, reservation, admission, restore)
      return Effect.flatMap(call(priced, reservation, restore), (called) => {
        reached("called")
        return called.kind === "whole"
          ? finish(priced, reservation, called, admission)
          : handOn(priced, reservation, called, admission)
      })
    })

  /** A task is kept track of also where it costs nothing. */
  const carry = (priced: Priced, admission: Admission, restore: Restore): Effect.Effect<Done, Refused> =>
    isFree(priced.price) && priced.operation.limit.tasks === undefined
      ? forFree(priced, admission, restore)
      : Effect.flatMapEager(cap(priced), () => execute(priced, admission, restore))

  /** For a linked user, where the operation wants one; a session that is turned down is not used again. */
  const act = (priced: Priced, admission: Admission, restore: Restore): Effect.Effect<Done, Refused> => {
    const asked = authorize(priced)
    return Effect.flatMapEager(Exit.isExit(asked) ? asked : restore(asked), (acting) =>
      acting === undefined
        ? carry(priced, admission, restore)
        : Effect.tapError(carry({ ...priced, acting }, admission, restore), ({ refusal }) =>
            refusal.code === "missing_scope" ? turnedAway(priced) : Effect.void
          )
    )
  }

  const forFree = (priced: Priced, { end, headers }: Admission, restore: Restore): Effect.Effect<Done, Refused> =>
    Effect.flatMap(restore(upstreams.call(priced)), (called) =>
      called.kind === "whole"
        ? Effect.succeed<Done>(unmetered(answer(priced, called.answer, headers, free)))
        : Effect.map(
            stream(called.streaming, called.protocol.watch(priced), () => Effect.as(end(undefined), free)),
            (body): Done => ({
              response: answerStreaming(priced, called.streaming, body, headers, free),
              tokens: "later"
            })
          )
    )

  const admitted = (decoded: Decoded, admission: Admission, restore: Restore): Effect.Effect<Done, Refused> => {
    const { headers } = admission
    const quoting = wantsQuote(decoded)
    const ours = own[decoded.operation.id]
    if (ours !== undefined && !quoting) {
      return Effect.map(restore(ours(decoded)), (own) => unmetered(answer(decoded, own, headers, free)))
    }
    return Effect.flatMapEager(estimate(decoded), (priced): Effect.Effect<Done, Refused> => {
      if (quoting)
        return Effect.map(quote(priced), (quote) => unmetered(answer(decoded, json(encodeQuote(quote)), headers, free)))
      return act(priced, admission, restore)
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

  const decode = (authenticated: Authenticated) => Effect.flatMapEager(operation(authenticated), request)

  /** What can be said at once needs no leave to be interrupted. */
  const decoding = (authenticated: Authenticated, restore: Restore): Effect.Effect<Decoded, Refused> => {
    const decoded = decode(authenticated)
    if (Exit.isExit(decoded) && Exit.isSuccess(decoded)) return decoded
    return Effect.catch(restore(decoded), turnAway(authenticated))
  }

  const carryOut = (accepted: Accepted, restore: Restore) =>
    Effect.flatMapEager(authenticate(accepted), (authenticated) =>
      Effect.flatMapEager(decoding(authenticated, restore), (decoded) =>
        Effect.flatMapEager(admit(decoded), (admission) =>
          // Suspended, so that whatever goes wrong in it goes the way of a failure: the place must be given back.
          Effect.matchCauseEffect(
            Effect.suspend(() => admitted(decoded, admission, restore)),
            {
              onSuccess: ({ response, tokens }) =>
                tokens === "later" ? Effect.succeed(response) : Effect.as(admission.end(tokens), response),
              onFailure: (cause) =>
                Effect.andThen(admission.end(provenTokens(cause)), turnDown(decoded, admission.headers)(cause))
            }
          )
        )
      )
    )

  // A caller may leave while its body is read and while an upstream works, and at no other moment: what is taken is
  // given back, and what is reserved is ended.
  return HttpServerRequest.use((request) => {
    const accepted = accept(router, request, nextId())
    if (request.method === "OPTIONS") return Effect.succeed(preflight(accepted))
    return Effect.uninterruptibleMask((restore) =>
      Effect.catchCause(
        Effect.suspend(() => carryOut(accepted, restore)),
        turnDown(accepted)
      )
    )
  })
})
