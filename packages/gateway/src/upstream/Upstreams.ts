import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Random } from "effect/Random"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { ownerOf } from "@tollgate/ledger/credential/Keys"
import type { Decoded, Sent } from "../exchange/Exchange.ts"
import { isFree } from "@tollgate/contract/price/Price"
import { callerMayDisconnect } from "../internal/callerMayDisconnect.ts"
import { afterTrying, Refused } from "@tollgate/contract/errors/Refused"
import type { Failure } from "./Breaker.ts"
import { type Called, called } from "./Called.ts"
import { Carrier, type Incoming, NotCarried } from "@tollgate/contract/carrier/Carrier"
import type { Slot } from "./Connections.ts"
import { type Course, type OnAttempt, type Outcome, triedBy, without } from "./Course.ts"
import { carryWith, callHeaders, outgoing, typed } from "./outgoing.ts"
import { acceptsEvents, callTool } from "./mcp/callTool.ts"
import { firstEvent } from "./firstEvent.ts"
import { forwardedQuery } from "./forwardedQuery.ts"
import { type Endpoint, endpointsOf } from "./Endpoint.ts"
import type { Protocol } from "./Protocol.ts"
import { asksForStream } from "./protocols/message.ts"
import { ProviderStates } from "./ProviderStates.ts"
import * as refusals from "./refusals.ts"
import { choose, makeFinder, type Route, sharedRoutes } from "./Route.ts"
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
  }
>()("@tollgate/gateway/Upstreams") {
  static readonly layer = (
    routes: ReadonlyArray<Route>,
    states = new ProviderStates()
  ): Layer.Layer<Upstreams, never, Carrier> => Layer.effect(Upstreams, make(routes, states))
}

const isCreate = ({ operation }: Decoded): boolean => operation.replay === "create"

/** The only 3xx that is no redirect. */
const notModified = 304

/** RFC 9110 has no other statuses than 100 to 599, and those below 200 are not final. */
const notFinal = new NotCarried({ why: "broken", answered: "The upstream's status is none that an answer can have" })

/** What a stream costs is metered, so that it has to be one of the protocol. */
const isBilled = ({ operation, price = operation.price }: Sent): boolean => !isFree(price)

type Calling = Effect.Effect<Called, Refused>

const accountOf = ({ principal }: Decoded): string => principal?.account ?? ""
const keyOf = ({ principal }: Decoded): string => (principal === undefined ? "" : ownerOf(principal))

const make = Effect.fnUntraced(function* (routes: ReadonlyArray<Route>, states: ProviderStates) {
  const { carry } = yield* Carrier
  const all = endpointsOf(routes, states)
  const find = makeFinder(all)
  const findShared = makeFinder(sharedRoutes(all))

  /** For a call of which it is certain that nothing of it ran: tries the next upstream. */
  const next = (exchange: Decoded, endpoint: Endpoint, course: Course, refused: Refused, outcome: Outcome): Calling =>
    anyOf(exchange, without(endpoint, course, refused, outcome))

  const fail = (endpoint: Endpoint, course: Course, refused: Refused, outcome: Outcome): Calling =>
    Effect.fail(afterTrying(refused, triedBy(endpoint, course, outcome)))

  const send = (exchange: Decoded, endpoint: Endpoint, protocol: Protocol, slot: Slot, course: Course): Calling => {
    const { breaker } = endpoint
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
    const turned = isPlain ? undefined : turn(exchange, endpoint, protocol)
    if (turned !== undefined && Result.isFailure(turned)) {
      if (endpoint.lossy !== "skip") return notWritten(turned.failure)
      slot.end()
      breaker?.abandoned(state)
      return next(exchange, endpoint, course, turned.failure, "not expressible")
    }
    const translation = turned?.success
    const translated = translate(translation?.exchange ?? exchange, endpoint)
    if (Result.isFailure(translated)) return notWritten(translated.failure)
    const attempted = course.onAttempt?.(exchange, endpoint.provider)
    const { names, provider, sessions, tool } = endpoint
    const sent = translated.success
    const carrying: Effect.Effect<Incoming, NotCarried | Refused> =
      sessions === undefined
        ? sent.exchange.linkedUserHeaders === undefined
          ? carryWith(carry, provider, () => outgoing(sent, endpoint, protocol, attempted))
          : carry(outgoing(sent, endpoint, protocol, attempted))
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
      const { headers, status } = incoming
      const answer = () => {
        const own = called(exchange, incoming, translation?.protocol ?? protocol, endpoint, slot)
        const answered = translation === undefined ? own : translation.called(own)
        return Effect.succeed(
          course.tried === undefined ? answered : { ...answered, tried: triedBy(endpoint, course, "answered") }
        )
      }
      if (status >= 500) {
        const isPassing = isFirstError && status !== 504 && course.endpoints.length > 1 && !isCreate(exchange)
        const tryNext = Effect.suspend(() =>
          next(exchange, endpoint, course, refusals.failedAtOnce(exchange), "failed at once")
        )
        return failed("failed", isPassing ? tryNext : answer())
      }
      breaker?.succeeded(state, accountOf(exchange))
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
    return Effect.matchEffect(carried, {
      onSuccess: (incoming) => {
        if (incoming.status < 200 || incoming.status > 599) {
          const refused = refusals.notCarried(notFinal, exchange, provider)
          return failed("failed", fail(endpoint, course, refused, "broken off"))
        }
        return incoming.body instanceof Uint8Array || sessions !== undefined
          ? answeredBy(incoming)
          : begins(incoming, incoming.body)
      },
      onFailure: (error) => {
        // The server refused it in a declared way: nothing ran.
        if (error instanceof Refused) {
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
          return failed("failed", fail(endpoint, course, refused, why === "timeout" ? "timed out" : "broken off"))
        }
        breaker?.succeeded(state, accountOf(exchange))
        return fail(endpoint, course, refused, "answer too large")
      }
    })
  }

  /** A caller who leaves the queue, or waits too long, has sent nothing. */
  const queue = (exchange: Decoded, endpoint: Endpoint, slot: Slot, course: Course): Calling => {
    const connection = Effect.timeoutOption(slot.connection, endpoint.provider.deadlineMillis)
    return Effect.onError(
      Effect.flatMap(callerMayDisconnect(connection), (connected) => {
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

  const anyOf = (exchange: Decoded, course: Course): Calling =>
    Effect.withFiber((fiber) => {
      const { endpoints, refused, tried } = course
      const [first] = endpoints
      const endpoint = endpoints.length > 1 ? choose(endpoints, fiber.getRef(Random).nextDoubleUnsafe()) : first
      if (endpoint !== undefined) return attempt(exchange, endpoint, course)
      if (refused === undefined || tried === undefined) return Effect.fail(refusals.unrouted(exchange))
      return Effect.fail(afterTrying(refused, tried))
    })

  const endpointsFor = ({ model, operation }: Decoded): ReadonlyArray<Endpoint> => {
    const own = find(operation.id, model)
    return own.length > 0 ? own : findShared(operation.id, model)
  }

  const call = (exchange: Decoded, onAttempt?: OnAttempt): Calling =>
    anyOf(exchange.query === "" ? exchange : { ...exchange, query: forwardedQuery(exchange) }, {
      endpoints: endpointsFor(exchange),
      refused: undefined,
      tried: undefined,
      onAttempt
    })

  const forwardedHeaders = (exchange: Decoded) =>
    endpointsFor(exchange).flatMap(({ forwardedHeaders = [], provider }) => [
      ...provider.forwardedHeaders,
      ...forwardedHeaders
    ])

  const wantsEvents = (exchange: Decoded) =>
    asksForStream(exchange) ||
    (acceptsEvents(exchange) && endpointsFor(exchange).some(({ sessions }) => sessions !== undefined))

  return Upstreams.of({ call, forwardedHeaders, wantsEvents })
})
