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
import type { Turn } from "./Connections.ts"
import { forwardedQuery } from "./forwardedQuery.ts"
import { type Line, linesOf } from "./Line.ts"
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
  const find = makeFinder(linesOf(routes, states))

  const send = (exchange: Decoded, line: Line, protocol: Protocol, turn: Turn, next: Next): Result => {
    const { breaker } = line
    const state = breaker?.state ?? 0
    const failed = (failure: Failure, then: Result): Result =>
      breaker === undefined
        ? then
        : Effect.clockWith((clock) => {
            breaker.failed(state, accountOf(exchange), failure, clock.currentTimeMillisUnsafe())
            return then
          })
    const carried = Effect.onExit(carry(outgoing(exchange, line, protocol)), (exit) => {
      // A stream holds its connection until its end.
      if (Exit.isFailure(exit) || exit.value.body instanceof Uint8Array) turn.end()
      if (Exit.isFailure(exit) && Cause.hasInterrupts(exit.cause)) breaker?.abandoned(state)
      return Effect.void
    })
    return Effect.matchEffect(carried, {
      onSuccess: (incoming) => {
        const { headers, status } = incoming
        const answer = () => Effect.succeed(called(exchange, incoming, protocol, line, turn))
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
        const refused = refusals.notCarried(why, exchange, line.provider)
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
  const queue = (exchange: Decoded, line: Line, turn: Turn, next: Next): Result => {
    const come = Effect.timeoutOption(turn.come, line.provider.deadlineMillis)
    return Effect.onError(
      Effect.flatMap(callerMayLeave(come), (came) => {
        if (Option.isSome(came) && came.value) {
          // Later, because this runs inside the end of the call that had the connection before.
          return Effect.andThen(
            Effect.yieldNow,
            Effect.suspend(() => attempt(exchange, line, next, turn))
          )
        }
        turn.end()
        return next(refusals.connectionsBusy())
      }),
      () => Effect.sync(() => turn.end())
    )
  }

  /** `held` is a connection that the call waited for. */
  const attempt = (exchange: Decoded, line: Line, next: Next, held?: Turn): Result => {
    const { breaker, connections, protocol, quota } = line
    if (protocol === undefined) return next(refusals.unrouted(exchange))
    const open = breaker === undefined || breaker.isClosed ? undefined : breaker
    if (open === undefined && quota === undefined) {
      const turn = held ?? connections.enter(keyOf(exchange))
      if (turn === undefined) return next(refusals.connectionsBusy())
      return turn.isHeld ? send(exchange, line, protocol, turn, next) : queue(exchange, line, turn, next)
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
      const turn = held ?? connections.enter(keyOf(exchange))
      if (turn === undefined) return next(refusals.connectionsBusy())
      if (!turn.isHeld) return queue(exchange, line, turn, next)
      quota?.take(1)
      open?.probe(account, now)
      return send(exchange, line, protocol, turn, next)
    })
  }

  const anyOf = (exchange: Decoded, lines: ReadonlyArray<Line>, before?: Refused): Result =>
    Effect.withFiber((fiber) => {
      const line = choose(lines, lines.length === 1 ? 0 : fiber.getRef(Random).nextDoubleUnsafe())
      if (line === undefined) return Effect.fail(before ?? refusals.unrouted(exchange))
      return attempt(exchange, line, (refused) =>
        anyOf(
          exchange,
          lines.filter((other) => other !== line),
          before === undefined ? refused : refusals.moreHelpful(before, refused)
        )
      )
    })

  const call = (exchange: Decoded): Result => {
    const lines = find(exchange.operation.id, exchange.model)
    return anyOf(exchange.query === "" ? exchange : { ...exchange, query: forwardedQuery(exchange) }, lines)
  }

  return Upstreams.of({ call })
})
