import * as Cause from "effect/Cause"
import { Clock } from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Fiber } from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Random } from "effect/Random"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { ownerOf } from "@tollgate/ledger/credential/Keys"
import type { Decoded, Sent } from "../exchange/Exchange.ts"
import type { Answer } from "../exchange/Reply.ts"
import { isFree } from "@tollgate/contract/price/Price"
import { callerMayDisconnect } from "../internal/callerMayDisconnect.ts"
import * as Headers from "@tollgate/contract/Headers"
import { codes } from "@tollgate/contract/errors/codes"
import { afterTrying, Refused, type TriedUpstream } from "@tollgate/contract/errors/Refused"
import type { Failure } from "./Breaker.ts"
import { asServed, type Called, called } from "./Called.ts"
import { type CloudServices, layerSigning } from "./cloud/CloudAccess.ts"
import { Carrier, type Incoming, NotCarried } from "@tollgate/contract/carrier/Carrier"
import type { Slot } from "./Connections.ts"
import { type Course, fallbackOf, nothing, type OnAttempt, type Outcome, triedBy, without } from "./Course.ts"
import { carryWith, callHeaders, outgoing, typed } from "./outgoing.ts"
import { acceptsEvents, callTool } from "./mcp/callTool.ts"
import { firstEvent } from "./firstEvent.ts"
import { forwardedQuery } from "./forwardedQuery.ts"
import { type Endpoint, endpointsOf } from "./Endpoint.ts"
import { notRun } from "./notRun.ts"
import { preferred } from "./preferred.ts"
import type { Protocol } from "./Protocol.ts"
import { asksForStream } from "./protocols/message.ts"
import { ProviderStates } from "./ProviderStates.ts"
import * as refusals from "./refusals.ts"
import type { Timed } from "./Speed.ts"
import { choose, makeFinder, type Route, sharedRoutes, targetsOf } from "./Route.ts"
import { turn } from "./translation.ts"
import { translate } from "./translate/translate.ts"

/** The port to everything that is not this gateway. */
export class Upstreams extends Context.Service<
  Upstreams,
  {
    readonly call: (exchange: Decoded, onAttempt?: OnAttempt) => Effect.Effect<Called, Refused>
    /** The names of the caller's headers that some upstream of this call gets beside those of its protocol. */
    readonly forwardedHeaders: (exchange: Decoded) => ReadonlyArray<string>
    /** Whether the caller asks for events that some upstream of this call would answer with. */
    readonly wantsEvents: (exchange: Decoded) => boolean
    /** The names of other models that may serve this call. */
    readonly fallbackModels: (exchange: Decoded) => ReadonlyArray<string>
  }
>()("@tollgate/gateway/Upstreams") {
  static readonly layer = (
    routes: ReadonlyArray<Route>,
    states = new ProviderStates()
  ): Layer.Layer<Upstreams, never, Carrier> =>
    Layer.provide(Layer.effect(Upstreams, make(routes, states)), layerSigning)
}

const isCreate = ({ operation }: Decoded): boolean => operation.replay === "create"

/** The only 3xx that is no redirect. */
const notModified = 304

/** RFC 9110 has no other statuses than 100 to 599, and those below 200 are not final. */
const notFinal = new NotCarried({ why: "broken", answered: "The upstream's status is none that an answer can have" })

/** What a stream costs is metered, so that it has to be one of the protocol. */
const isBilled = ({ operation, price = operation.price }: Sent): boolean => !isFree(price)

type Calling = Effect.Effect<Called, Refused>
type Tried = ReadonlyArray<TriedUpstream>

const accountOf = ({ principal }: Decoded): string => principal?.account ?? ""
const keyOf = ({ principal }: Decoded): string => (principal === undefined ? "" : ownerOf(principal))

const mayHaveRun: ReadonlyArray<string> = ["failed", "timed out", "broken off"] satisfies ReadonlyArray<Outcome>

const withHeaders = <A extends Pick<Answer, "headers">>(head: A, more: Answer["headers"]): A => ({
  ...head,
  headers: { ...head.headers, ...more }
})

/** The route's word holds. Where it has none, the caller's does. */
const mayPayAgain = ({ operation, request }: Decoded, { route }: Course): boolean => {
  const asked = request.headers[Headers.paidAgain.key(operation.names)]
  return route?.paidAgain === undefined ? asked === "once" : route.paidAgain === "once" && asked !== "never"
}

/** An answer after an attempt that may have run. It names that one, and what the call costs in all is not known. */
const againOf = ({ operation }: Decoded, answered: Called, tried: Tried): Called => {
  const first = tried.find(({ outcome }) => mayHaveRun.includes(outcome))?.upstream ?? ""
  const mark = { [Headers.paidAgain.key(operation.names)]: first }
  const again = { tried, costs: undefined, ranTwice: true } as const
  return answered.kind === "whole"
    ? { ...answered, ...again, answer: withHeaders(answered.answer, mark) }
    : { ...answered, ...again, streaming: withHeaders(answered.streaming, mark) }
}

const make = Effect.fnUntraced(function* (routes: ReadonlyArray<Route>, states: ProviderStates) {
  const { carry } = yield* Carrier
  const cloudServices = yield* Effect.context<CloudServices>()
  const all = endpointsOf(routes, states)
  const find = makeFinder(all)
  const findShared = makeFinder(endpointsOf(sharedRoutes(routes), states))

  /** For a call of which it is certain that nothing of it ran: tries the next upstream. */
  const next = (exchange: Decoded, endpoint: Endpoint, course: Course, refused: Refused, outcome: Outcome): Calling =>
    anyOf(exchange, without(endpoint, course, refused, outcome))

  const fail = (endpoint: Endpoint, course: Course, refused: Refused, outcome: Outcome): Calling => {
    const tried = triedBy(endpoint, course, outcome)
    // That this one did not run proves nothing of the attempt before.
    const ranBefore = codes[refused.refusal.code].outcome === "not executed" ? course.otherwise : undefined
    return ranBefore?.(tried) ?? Effect.fail(afterTrying(refused, tried))
  }

  const canGoOn = (exchange: Decoded, course: Course): boolean =>
    course.endpoints.length > 0 || fallbackOf(exchange, course) !== undefined

  /** The attempt may have run. With leave for that, one more is made elsewhere. `otherwise`: how the call ends if none answers. */
  const payAgain = (
    exchange: Decoded,
    endpoint: Endpoint,
    course: Course,
    outcome: Outcome,
    otherwise: (tried: Tried) => Calling
  ): Calling | undefined => {
    if (course.otherwise !== undefined || isCreate(exchange) || !mayPayAgain(exchange, course)) return undefined
    const on = { ...without(endpoint, course, refusals.failedAtOnce(exchange), outcome), otherwise }
    return canGoOn(exchange, on) ? Effect.suspend(() => anyOf(exchange, on)) : undefined
  }

  const send = (
    exchange: Decoded,
    endpoint: Endpoint,
    protocol: Protocol,
    slot: Slot,
    course: Course,
    timed?: Timed
  ): Calling => {
    const { breaker, speed } = endpoint
    if (speed !== undefined && timed === undefined) {
      return Effect.clockWith((clock) => {
        const begun = speed.begin(asksForStream(exchange), clock)
        return send(exchange, endpoint, protocol, slot, course, begun)
      })
    }
    const state = breaker?.state ?? 0
    const failed = (failure: Failure, then: Calling): Calling =>
      breaker === undefined
        ? then
        : Effect.clockWith((clock) => {
            breaker.failed(state, accountOf(exchange), failure, clock.currentTimeMillisUnsafe())
            return then
          })
    const notWritten = (refused: Refused): Calling => {
      slot.end()
      breaker?.abandoned(state)
      return fail(endpoint, course, refused, "not written")
    }
    const isPlain = endpoint.shape === undefined && endpoint.provider.lacks === undefined
    const turned = isPlain ? undefined : turn(asServed(exchange, endpoint), endpoint, protocol)
    if (turned !== undefined && Result.isFailure(turned)) {
      // A fallback that cannot say it leaves the caller with what happened before.
      if (endpoint.lossy !== "skip" && endpoint.when === undefined) return notWritten(turned.failure)
      slot.end()
      breaker?.abandoned(state)
      return next(exchange, endpoint, course, turned.failure, "not expressible")
    }
    const translation = turned?.success
    const translated = translate(translation?.exchange ?? exchange, endpoint)
    if (Result.isFailure(translated)) return notWritten(translated.failure)
    const attempted = course.onAttempt?.(exchange, endpoint.provider)
    const { cloud, names, provider, sessions, tool } = endpoint
    const sent = translated.success
    const message = () => outgoing(sent, endpoint, protocol, attempted)
    const carrying: Effect.Effect<Incoming, NotCarried | Refused> =
      sessions === undefined
        ? cloud !== undefined
          ? Effect.provideContext(cloud.carry(provider, message), cloudServices)
          : sent.exchange.linkedUserHeaders === undefined
            ? carryWith(carry, provider, message)
            : carry(message())
        : callTool({
            exchange: sent.exchange,
            provider,
            sessions,
            tool,
            names,
            carry,
            headers: callHeaders(sent, provider, attempted)
          })
    /** Of what the upstream sends. */
    const meterOf = (exchange: Decoded) => () => protocol.streamMeter(exchange, provider.eventBytes)
    const carried = Effect.onExitPrimitive(carrying, (exit) => {
      attempted?.carried(exit)
      // A stream holds its connection until its end.
      if (Exit.isFailure(exit) || exit.value.body instanceof Uint8Array) slot.end()
      if (Exit.isFailure(exit) && Cause.hasInterrupts(exit.cause)) breaker?.abandoned(state)
      return undefined
    })
    /** `isFirstError`: the stream began with it. Nothing was delivered, and nothing ran. */
    const answeredBy = (incoming: Incoming, isFirstError = false): Calling => {
      const { body, headers, status } = incoming
      timed?.(status)
      const answer = (tried: Tried | undefined = course.tried && triedBy(endpoint, course, "answered")): Calling => {
        const own = called(exchange, incoming, translation?.protocol ?? protocol, endpoint, slot)
        const answered = translation === undefined ? own : translation.called(own)
        if (tried === undefined) return Effect.succeed(answered)
        return Effect.succeed(
          course.otherwise === undefined ? { ...answered, tried } : againOf(exchange, answered, tried)
        )
      }
      /** Goes on elsewhere if there is something to go on to: otherwise the upstream's own words say most. */
      const elsewhere = (refused: Refused, outcome: Outcome): Calling | undefined => {
        const on = without(endpoint, course, refused, outcome)
        return canGoOn(exchange, on) ? Effect.suspend(() => anyOf(exchange, on)) : undefined
      }
      const reason =
        (status === 400 || status >= 500) && body instanceof Uint8Array && !isCreate(exchange)
          ? notRun(provider.protocol, status, body, isFirstError)
          : undefined
      if (status >= 500) {
        const proven = reason ?? (isFirstError && status !== 504 && !isCreate(exchange) ? "failed at once" : undefined)
        if (proven !== undefined) {
          return failed("failed", elsewhere(refusals.failedAtOnce(exchange), proven) ?? answer())
        }
        return failed("failed", payAgain(exchange, endpoint, course, "failed", answer) ?? answer())
      }
      breaker?.succeeded(state, accountOf(exchange))
      if (reason !== undefined) return elsewhere(refusals.tooLong(), reason) ?? answer()
      if (isFirstError && isCreate(exchange)) return answer()
      if (exchange.linkedUserHeaders === undefined) {
        if (status === 401 || status === 403) {
          return next(exchange, endpoint, course, refusals.gatewayCredentialRejected(), "credential refused")
        }
      } else if (status === 401) return fail(endpoint, course, refusals.linkedTokenRejected(), "linked session refused")
      if (status === 429) {
        return Effect.clockWith((clock) =>
          next(
            exchange,
            endpoint,
            course,
            refusals.upstreamLimit(headers["retry-after"], clock.currentTimeMillisUnsafe()),
            "rate limited"
          )
        )
      }
      return status >= 300 && status < 400 && status !== notModified
        ? fail(endpoint, course, refusals.redirectNotFollowed(), "redirected")
        : answer()
    }
    /** The breaker counts a stream by its first event. */
    const begins = (given: Incoming, body: Stream.Stream<Uint8Array, NotCarried>): Calling => {
      const isTyped = given.headers["content-type"] !== undefined
      const incoming = isTyped ? given : { ...given, ...typed(given, protocol.request(sent.exchange, endpoint)) }
      const abandoned = Effect.sync(() => {
        slot.end()
        breaker?.abandoned(state)
      })
      return Effect.flatMap(
        Effect.onInterrupt(
          firstEvent(incoming, body, isBilled(sent.exchange) ? meterOf(sent.exchange) : undefined),
          () => abandoned
        ),
        (began) => {
          if (Stream.isStream(began)) return answeredBy({ ...incoming, body: began })
          slot.end()
          if (began instanceof Uint8Array) return answeredBy({ ...given, body: began })
          const headers = { ...incoming.headers, "content-type": "application/json" }
          return answeredBy({ headers, status: began.status, body: began.body }, true)
        }
      )
    }
    const uncertain = (refused: Refused, outcome: Outcome): Calling =>
      payAgain(exchange, endpoint, course, outcome, (tried) => Effect.fail(afterTrying(refused, tried))) ??
      fail(endpoint, course, refused, outcome)
    return Effect.matchEffect(carried, {
      onSuccess: (incoming) => {
        if (incoming.status < 200 || incoming.status > 599) {
          return failed("failed", uncertain(refusals.notCarried(notFinal, exchange, provider), "broken off"))
        }
        return incoming.body instanceof Uint8Array || sessions !== undefined
          ? answeredBy(incoming)
          : begins(incoming, incoming.body)
      },
      onFailure: (error) => {
        timed?.(undefined)
        // The server refused it in a declared way: nothing ran.
        if (error instanceof Refused) {
          if (cloud !== undefined) {
            breaker?.abandoned(state)
            const isAway = error.refusal.code === "upstream_unreachable"
            return next(exchange, endpoint, course, error, isAway ? "not connected" : "credential refused")
          }
          breaker?.succeeded(state, accountOf(exchange))
          return next(exchange, endpoint, course, error, "tool refused")
        }
        const { why } = error
        const refused = refusals.notCarried(error, exchange, endpoint.provider)
        if (why === "not sent") {
          return failed(
            "unreached",
            Effect.suspend(() => next(exchange, endpoint, course, refused, "not connected"))
          )
        }
        if (why !== "too large") {
          return failed("failed", uncertain(refused, why === "timeout" ? "timed out" : "broken off"))
        }
        breaker?.succeeded(state, accountOf(exchange))
        return fail(endpoint, course, refused, "answer too large")
      }
    })
  }

  /** A caller who leaves the queue, or waits too long, has sent nothing. */
  const queue = (exchange: Decoded, endpoint: Endpoint, slot: Slot, course: Course): Calling => {
    const connection = Effect.timeoutOption(slot.connection, endpoint.provider.deadlineMillis)
    // A caller who leaves proves that nothing ran, unless an attempt was made before.
    const waiting = course.otherwise === undefined ? callerMayDisconnect(connection) : connection
    return Effect.onError(
      Effect.flatMap(waiting, (connected) => {
        if (Option.isSome(connected) && connected.value) {
          // Later, because this runs inside the end of the call that had the connection before.
          return Effect.andThen(
            Effect.yieldNow,
            Effect.suspend(() => attempt(exchange, endpoint, course, slot))
          )
        }
        slot.end()
        return next(exchange, endpoint, course, refusals.connectionsBusy(), "busy")
      }),
      () => Effect.sync(() => slot.end())
    )
  }

  /** `held` is a connection that the call waited for. */
  const attempt = (exchange: Decoded, endpoint: Endpoint, course: Course, held?: Slot): Calling => {
    const { breaker, connections, protocol, quota } = endpoint
    if (protocol === undefined) return next(exchange, endpoint, course, refusals.unrouted(exchange), "unknown protocol")
    const unfit = protocol.refuse?.(exchange, endpoint.provider)
    if (unfit !== undefined) {
      held?.end()
      return next(exchange, endpoint, course, unfit, "not allowed")
    }
    const open = breaker === undefined || breaker.isClosed ? undefined : breaker
    if (open === undefined && quota === undefined) {
      const slot = held ?? connections.enter(keyOf(exchange))
      if (slot === undefined) return next(exchange, endpoint, course, refusals.connectionsBusy(), "busy")
      return slot.hasConnection
        ? send(exchange, endpoint, protocol, slot, course)
        : queue(exchange, endpoint, slot, course)
    }
    return Effect.clockWith((clock) => {
      const now = clock.currentTimeMillisUnsafe()
      const account = accountOf(exchange)
      const refused = (refusal: Refused, outcome: Outcome): Calling => {
        held?.end()
        return next(exchange, endpoint, course, refusal, outcome)
      }
      quota?.refill(quota.limit, now)
      const full = quota?.wait(1) ?? 0
      if (quota !== undefined && full > 0) return refused(refusals.quotaReached(quota, full), "quota reached")
      const wait = open?.wait(account, now) ?? 0
      if (wait > 0) return refused(refusals.circuitOpen(wait), "paused")
      const slot = held ?? connections.enter(keyOf(exchange))
      if (slot === undefined) return next(exchange, endpoint, course, refusals.connectionsBusy(), "busy")
      if (!slot.hasConnection) return queue(exchange, endpoint, slot, course)
      quota?.take(1)
      open?.probe(account, now)
      return send(exchange, endpoint, protocol, slot, course)
    })
  }

  const chosen = (exchange: Decoded, { endpoints, route }: Course, fiber: Fiber<unknown, unknown>) => {
    const some =
      route?.prefer === undefined
        ? endpoints
        : preferred(route, endpoints, exchange, fiber.getRef(Clock).currentTimeMillisUnsafe())
    return choose(some, fiber.getRef(Random).nextDoubleUnsafe())
  }

  const anyOf = (exchange: Decoded, course: Course): Calling =>
    Effect.withFiber((fiber) => {
      const { endpoints, otherwise, refused, tried } = course
      const [first = fallbackOf(exchange, course)] = endpoints
      const endpoint = endpoints.length > 1 ? chosen(exchange, course, fiber) : first
      if (endpoint !== undefined) return attempt(exchange, endpoint, course)
      if (refused === undefined || tried === undefined) return Effect.fail(refusals.unrouted(exchange))
      return otherwise?.(tried) ?? Effect.fail(afterTrying(refused, tried))
    })

  const routeFor = ({ model, operation }: Decoded): Route<Endpoint> | undefined =>
    find(operation.id, model) ?? findShared(operation.id, model)

  const endpointsFor = (exchange: Decoded): ReadonlyArray<Endpoint> => {
    const route = routeFor(exchange)
    return route === undefined ? nothing : targetsOf(route)
  }

  const hasFallbackModels = all.some(({ fallback }) => fallback?.some(({ model }) => model !== undefined))

  const fallbackModels = (exchange: Decoded): ReadonlyArray<string> =>
    hasFallbackModels
      ? (routeFor(exchange)?.fallback ?? nothing).flatMap(({ model }) => (model === undefined ? [] : [model]))
      : nothing

  const call = (exchange: Decoded, onAttempt?: OnAttempt): Calling => {
    const route = routeFor(exchange)
    return anyOf(exchange.query === "" ? exchange : { ...exchange, query: forwardedQuery(exchange) }, {
      route,
      endpoints: route?.to ?? nothing,
      fallback: route?.fallback ?? nothing,
      met: nothing,
      refused: undefined,
      tried: undefined,
      otherwise: undefined,
      onAttempt
    })
  }

  const forwardedHeaders = (exchange: Decoded) =>
    endpointsFor(exchange).flatMap(({ forwardedHeaders = [], provider }) => [
      ...provider.forwardedHeaders,
      ...forwardedHeaders
    ])

  const wantsEvents = (exchange: Decoded) =>
    asksForStream(exchange) ||
    (acceptsEvents(exchange) && endpointsFor(exchange).some(({ sessions }) => sessions !== undefined))

  return Upstreams.of({ call, forwardedHeaders, wantsEvents, fallbackModels })
})
