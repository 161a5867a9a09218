import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Random } from "effect/Random"
import { ownerOf } from "../credential/Keys.ts"
import type { Decoded } from "../Exchange.ts"
import { callerMayLeave } from "../internal/callerMayLeave.ts"
import type { Refused } from "../Refused.ts"
import type { Failure } from "./Breaker.ts"
import { type Called, called } from "./Called.ts"
import { Carrier } from "@tollgate/contract/carrier/Carrier"
import type { Slot } from "./Connections.ts"
import { forwardedQuery } from "./forwardedQuery.ts"
import { type Endpoint, endpointsOf } from "./Endpoint.ts"
import { outgoing } from "./outgoing.ts"
import type { Protocol } from "./Protocol.ts"
import { ProviderStates } from "./ProviderStates.ts"
import * as refusals from "./refusals.ts"
import { choose, makeFinder, type Route } from "./Route.ts"

/** The port to everything that is not this gateway. */
export class Upstreams extends Context.Service<
  Upstreams,
  { readonly call: (exchange: Decoded) => Effect.Effect<Called, Refused> }
>()("@tollgate/gateway/Upstreams") {
  static readonly layer = (
    routes: ReadonlyArray<Route>,
    states = new ProviderStates()
  ): Layer.Layer<Upstreams, never, Carrier> => Layer.effect(Upstreams, make(routes, states))
}

type Result = Effect.Effect<Called, Refused>

/** For a call of which it is certain that nothing of it ran: tries the next upstream. */
type Next = (refused: Refused) => Result

const accountOf = ({ principal }: Decoded): string => principal?.account ?? ""
const keyOf = ({ principal }: Decoded): string => (principal === undefined ? "" : ownerOf(principal))

const make = Effect.fnUntraced(function* (routes: ReadonlyArray<Route>, states: ProviderStates) {
  const { carry } = yield* Carrier
  const find = makeFinder(endpointsOf(routes, states))

  const send = (exchange: Decoded, endpoint: Endpoint, protocol: Protocol, slot: Slot, next: Next): Result => {
    const { breaker } = endpoint
    const state = breaker?.state ?? 0
    const failed = (failure: Failure, then: Result): Result =>
      breaker === undefined
        ? then
        : Effect.clockWith((clock) => {
            breaker.failed(state, accountOf(exchange), failure, clock.currentTimeMillisUnsafe())
            return then
          })
    const carried = Effect.onExit(carry(outgoing(exchange, endpoint, protocol)), (exit) => {
      // A stream holds its connection until its end.
      if (Exit.isFailure(exit) || exit.value.body instanceof Uint8Array) slot.end()
      if (Exit.isFailure(exit) && Cause.hasInterrupts(exit.cause)) breaker?.abandoned(state)
      return Effect.void
    })
    return Effect.matchEffect(carried, {
      onSuccess: (incoming) => {
        const { headers, status } = incoming
        const answer = () => Effect.succeed(called(exchange, incoming, protocol, endpoint, slot))
        if (status >= 500) return failed("failed", answer())
        breaker?.succeeded(state, accountOf(exchange))
        if (exchange.linkedUserHeaders === undefined) {
          if (status === 401 || status === 403) return next(refusals.gatewayCredentialRejected())
        } else if (status === 401) return Effect.fail(refusals.linkedTokenRejected())
        if (status === 429) {
          return Effect.clockWith((clock) =>
            next(refusals.upstreamLimit(headers["retry-after"], clock.currentTimeMillisUnsafe()))
          )
        }
        return status >= 300 && status < 400 ? Effect.fail(refusals.redirectNotFollowed()) : answer()
      },
      onFailure: ({ why }) => {
        const refused = refusals.notCarried(why, exchange, endpoint.provider)
        if (why === "not sent") {
          return failed(
            "unreached",
            Effect.suspend(() => next(refused))
          )
        }
        if (why !== "too large") return failed("failed", Effect.fail(refused))
        breaker?.succeeded(state, accountOf(exchange))
        return Effect.fail(refused)
      }
    })
  }

  /** A caller who leaves the queue, or waits too long, has sent nothing. */
  const queue = (exchange: Decoded, endpoint: Endpoint, slot: Slot, next: Next): Result => {
    const connection = Effect.timeoutOption(slot.connection, endpoint.provider.deadlineMillis)
    return Effect.onError(
      Effect.flatMap(callerMayLeave(connection), (connected) => {
        if (Option.isSome(connected) && connected.value) {
          // Later, because this runs inside the end of the call that had the connection before.
          return Effect.andThen(
            Effect.yieldNow,
            Effect.suspend(() => attempt(exchange, endpoint, next, slot))
          )
        }
        slot.end()
        return next(refusals.connectionsBusy())
      }),
      () => Effect.sync(() => slot.end())
    )
  }

  /** `held` is a connection that the call waited for. */
  const attempt = (exchange: Decoded, endpoint: Endpoint, next: Next, held?: Slot): Result => {
    const { breaker, connections, protocol, quota } = endpoint
    if (protocol === undefined) return next(refusals.unrouted(exchange))
    const open = breaker === undefined || breaker.isClosed ? undefined : breaker
    if (open === undefined && quota === undefined) {
      const slot = held ?? connections.enter(keyOf(exchange))
      if (slot === undefined) return next(refusals.connectionsBusy())
      return slot.hasConnection ? send(exchange, endpoint, protocol, slot, next) : queue(exchange, endpoint, slot, next)
    }
    return Effect.clockWith((clock) => {
      const now = clock.currentTimeMillisUnsafe()
      const account = accountOf(exchange)
      const refused = (refusal: Refused): Result => {
        held?.end()
        return next(refusal)
      }
      quota?.refill(quota.limit, now)
      const full = quota?.wait(1) ?? 0
      if (quota !== undefined && full > 0) return refused(refusals.quotaReached(quota, full))
      const wait = open?.wait(account, now) ?? 0
      if (wait > 0) return refused(refusals.circuitOpen(wait))
      const slot = held ?? connections.enter(keyOf(exchange))
      if (slot === undefined) return next(refusals.connectionsBusy())
      if (!slot.hasConnection) return queue(exchange, endpoint, slot, next)
      quota?.take(1)
      open?.probe(account, now)
      return send(exchange, endpoint, protocol, slot, next)
    })
  }

  const anyOf = (exchange: Decoded, endpoints: ReadonlyArray<Endpoint>, before?: Refused): Result =>
    Effect.withFiber((fiber) => {
      const endpoint = choose(endpoints, endpoints.length === 1 ? 0 : fiber.getRef(Random).nextDoubleUnsafe())
      if (endpoint === undefined) return Effect.fail(before ?? refusals.unrouted(exchange))
      return attempt(exchange, endpoint, (refused) =>
        anyOf(
          exchange,
          endpoints.filter((other) => other !== endpoint),
          before === undefined ? refused : refusals.moreHelpful(before, refused)
        )
      )
    })

  const call = (exchange: Decoded): Result => {
    const endpoints = find(exchange.operation.id, exchange.model)
    return anyOf(exchange.query === "" ? exchange : { ...exchange, query: forwardedQuery(exchange) }, endpoints)
  }

  return Upstreams.of({ call })
})
