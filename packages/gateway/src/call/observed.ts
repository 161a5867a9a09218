import type { Charge } from "@tollgate/contract/Outcome"
import type { Refused } from "@tollgate/contract/errors/Refused"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Scope } from "effect/Scope"
import * as Stream from "effect/Stream"
import { Ledger, type Reservation } from "@tollgate/ledger/ledger/Ledger"
import type { Accepted } from "../exchange/Exchange.ts"
import type { Reply } from "../exchange/Reply.ts"
import { ObservedCall } from "../observe/ObservedCall.ts"
import { OnCallEnded } from "../observe/CallEvent.ts"
import { inEnd, inReserve } from "../observe/trace/CallTrace.ts"
import { parse } from "../observe/trace/TraceContext.ts"
import { CurrentTracing } from "../observe/trace/Tracing.ts"
import { Upstreams } from "../upstream/Upstreams.ts"
import type { StreamEnd } from "./Ending.ts"
import { type Forward, forward } from "./endings/forward.ts"
import type { Endings } from "./endings/Endings.ts"
import type { Steps } from "./steps/Steps.ts"

/** How observation listens to the path: by what it puts around the services, steps and endings that the path uses. */
interface Observation {
  /** Provides the ledger and the upstreams, observed, to the effect that makes steps or endings. */
  readonly services: <A, E, R>(
    making: Effect.Effect<A, E, R | Ledger | Upstreams>
  ) => Effect.Effect<A, E, R | Ledger | Upstreams>
  readonly steps: (steps: Steps) => Steps
  readonly endings: (endings: Endings) => Endings
  readonly forward: Forward
  /** `undefined`: nobody listens. */
  readonly run:
    | ((accepted: Accepted, reply: Effect.Effect<Reply, never, Scope>) => Effect.Effect<Reply, never, Scope>)
    | undefined
}

/** Of a gateway that nobody observes: it pays nothing. */
const none: Observation = {
  services: (making) => making,
  steps: (steps) => steps,
  endings: (endings) => endings,
  forward,
  run: undefined
}

/** The calls under way, by request id. */
type Calls = ReadonlyMap<string, ObservedCall>

const observeLedger = (ledger: Ledger["Service"], calls: Calls): Ledger["Service"] => {
  const ended = <A, E>(
    kind: "release" | "mark_unknown" | "begin",
    reservation: Reservation,
    end: Effect.Effect<A, E>
  ) => inEnd(calls.get(reservation.call)?.trace, kind, reservation, undefined, end)
  return {
    ...ledger,
    settle: (reservation, settled, by) => {
      const observed = calls.get(reservation.call)
      observed?.meteredAs(settled, reservation)
      return inEnd(observed?.trace, "settle", reservation, settled, ledger.settle(reservation, settled, by))
    },
    release: (reservation, status, failed, by) =>
      ended("release", reservation, ledger.release(reservation, status, failed, by)),
    markUnknown: (reservation, by) => ended("mark_unknown", reservation, ledger.markUnknown(reservation, by)),
    begin: (reservation, task, answer, by) => ended("begin", reservation, ledger.begin(reservation, task, answer, by))
  }
}

const observeUpstreams = (upstreams: Upstreams["Service"], calls: Calls): Upstreams["Service"] => ({
  ...upstreams,
  call: (exchange) => {
    const observed = calls.get(exchange.requestId)
    if (observed === undefined) return upstreams.call(exchange)
    const { trace } = observed
    const call = upstreams.call(exchange, trace && ((sent, provider) => trace.attempt(sent, provider)))
    return Effect.mapEager(call, (called) => {
      observed.answeredBy(called)
      return called
    })
  }
})

const observeSteps = (steps: Steps, calls: Calls): Steps => ({
  ...steps,
  credential: (accepted) =>
    Effect.mapEager(steps.credential(accepted), (authenticated) => {
      const observed = calls.get(accepted.requestId)
      if (observed !== undefined) observed.principal = authenticated.principal
      return authenticated
    }),
  request: (routed) => {
    const observed = calls.get(routed.requestId)
    if (observed === undefined) return steps.request(routed)
    observed.isQuote = routed.wantsQuote
    return Effect.mapEager(steps.request(routed), (decoded) => {
      observed.model = decoded.model
      observed.tags = decoded.tags
      return decoded
    })
  },
  reserve: (exchange) => {
    const observed = calls.get(exchange.requestId)
    if (observed === undefined) return steps.reserve(exchange)
    return Effect.mapEager(inReserve(observed.trace, steps.reserve(exchange)), (reserved) => {
      if (reserved.kind === "replay") {
        observed.isReplayed = true
        observed.isCached = false
      }
      return reserved
    })
  }
})

const observeEndings = (endings: Endings, calls: Calls): Endings => ({
  ...endings,
  kept: (exchange, hit, admission) => {
    const observed = calls.get(exchange.requestId)
    if (observed !== undefined) observed.isCached = true
    return endings.kept(exchange, hit, admission)
  }
})

/** A stream has ended when it is settled. `broken`: why it has no proper end. */
const observeSettling = (
  observed: ObservedCall,
  status: number,
  settling: Effect.Effect<Charge, Refused>,
  end: StreamEnd,
  broken: Refused | undefined
): Effect.Effect<Charge, Refused> =>
  Effect.matchEffect(settling, {
    onSuccess: (charge) => {
      if (broken !== undefined) observed.end({ kind: "refused", refused: broken, status, charge })
      else if (end === "left") observed.end({ kind: "left", status, charge })
      else observed.end({ kind: "answered", status, charge, streamed: true })
      return Effect.succeed(charge)
    },
    onFailure: (refused) => {
      observed.end({ kind: "refused", refused, status })
      return Effect.fail(refused)
    }
  })

const noteFirstByte = (observed: ObservedCall, body: Stream.Stream<Uint8Array, Refused>) =>
  Stream.transformPull(body, (pull) => {
    let isFirst = true
    return Effect.succeed(
      Effect.map(pull, (chunks) => {
        if (isFirst) observed.sendsFirstByte(chunks[0])
        isFirst = false
        return chunks
      })
    )
  })

const observeForward =
  (calls: Calls): Forward =>
  (exchange, streaming, meter, settle, readRest, isBilled) => {
    const observed = calls.get(exchange.requestId)
    if (observed === undefined) return forward(exchange, streaming, meter, settle, readRest, isBilled)
    const settling = (end: StreamEnd, broken?: Refused) =>
      observeSettling(observed, streaming.status, settle(end, broken), end, broken)
    return Effect.map(forward(exchange, streaming, meter, settling, readRest, isBilled), (body) =>
      noteFirstByte(observed, body)
    )
  }

/**
 * Every reply passes here once. A path without a reply is one whose caller left. A stream ends when it is settled, and one that
 * is sent again is settled elsewhere.
 */
const observeReply = (observed: ObservedCall, exit: Exit.Exit<Reply>): void => {
  if (Exit.isFailure(exit)) return observed.end({ kind: "left" })
  const reply = exit.value
  if (reply.kind === "refused") observed.end({ kind: "refused", refused: reply.refused })
  else if (reply.kind === "whole") {
    observed.end({ kind: "answered", status: reply.answer.status, charge: reply.charge, streamed: false })
  } else if (observed.isReplayed) {
    observed.end({ kind: "answered", status: reply.head.status, charge: reply.charge, streamed: true })
  }
}

export const make = Effect.gen(function* () {
  const listeners = yield* OnCallEnded
  if (listeners.length === 0) return none
  const tracing = yield* CurrentTracing
  const clock = yield* Clock.Clock
  const ledger = yield* Ledger
  const upstreams = yield* Upstreams
  const calls = new Map<string, ObservedCall>()

  /** Begins the call's trace if it is recorded. If not, its event still names the trace of a caller who has one. */
  const begin = (accepted: Accepted): ObservedCall => {
    const { match, request, requestId } = accepted
    const operation = match?.operations.get(request.method)?.id
    const observed = new ObservedCall(listeners, clock, request.via ?? "http", requestId, operation)
    observed.trace = tracing?.begin(accepted)
    const { traceparent } = request.headers
    if (observed.trace === undefined && traceparent !== undefined) observed.traceId = parse(traceparent)?.traceId
    return observed
  }

  const observation: Observation = {
    services: (making) =>
      making.pipe(
        Effect.provideService(Ledger, observeLedger(ledger, calls)),
        Effect.provideService(Upstreams, observeUpstreams(upstreams, calls))
      ),
    steps: (steps) => observeSteps(steps, calls),
    endings: (endings) => observeEndings(endings, calls),
    forward: observeForward(calls),
    run: (accepted, reply) => {
      const { requestId } = accepted
      const observed = begin(accepted)
      // The first finalizer runs last: a stream that nobody reads is settled before.
      return Effect.andThen(
        Effect.addFinalizer(() => Effect.sync(() => calls.delete(requestId))),
        Effect.suspend(() => {
          calls.set(requestId, observed)
          return Effect.onExit(reply, (exit) => {
            observeReply(observed, exit)
            return Effect.void
          })
        })
      )
    }
  }
  return observation
})
