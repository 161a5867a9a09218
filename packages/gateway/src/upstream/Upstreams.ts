import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Random } from "effect/Random"
import type { Decoded } from "../Exchange.ts"
import type { Refused } from "../Refused.ts"
import { Bucket } from "../limits/Bucket.ts"
import { Breaker } from "./Breaker.ts"
import type { Called } from "./Called.ts"
import { Carrier, type Incoming } from "@tollgate/contract/carrier/Carrier"
import { forwardedQuery } from "./forwardedQuery.ts"
import { outgoing } from "./outgoing.ts"
import { answerHeaders } from "./answerHeaders.ts"
import type { Protocol } from "./Protocol.ts"
import { protocols } from "./protocols/all.ts"
import type { Provider } from "./Provider.ts"
import * as refusals from "./refusals.ts"
import { choose, makeFinder, type Route, type Target } from "./Route.ts"

/** The port to everything that is not this gateway. */
export class Upstreams extends Context.Service<
  Upstreams,
  { readonly call: (exchange: Decoded) => Effect.Effect<Called, Refused> }
>()("@tollgate/gateway/Upstreams") {
  static readonly layer = (routes: ReadonlyArray<Route>): Layer.Layer<Upstreams, never, Carrier> =>
    Layer.effect(Upstreams, make(routes))
}

/** A target with all that a call to it needs. */
interface Line extends Target {
  readonly protocol: Protocol | undefined
  /** Missing where the provider has none. */
  readonly breaker: Breaker | undefined
  /** Missing where the operator sets no limit. */
  readonly quota: Bucket | undefined
}

type Result = Effect.Effect<Called, Refused>

const linesOf = (routes: ReadonlyArray<Route>): ReadonlyArray<Route<Line>> => {
  const known = new Map(protocols.map((protocol) => [protocol.id, protocol]))
  const breakers = new Map<string, Breaker>()
  const breakerOf = ({ breaker, name }: Provider): Breaker | undefined => {
    if (!breaker) return undefined
    const known = breakers.get(name) ?? new Breaker()
    breakers.set(name, known)
    return known
  }
  const quotas = new Map<string, Bucket>()
  const quotaOf = ({ name, rpm }: Provider): Bucket | undefined => {
    if (rpm === undefined) return undefined
    const quota = quotas.get(name) ?? new Bucket(rpm, 0)
    quotas.set(name, quota)
    return quota
  }
  return routes.map((route) => ({
    ...route,
    to: route.to.map((target) => ({
      ...target,
      protocol: known.get(target.provider.protocol),
      breaker: breakerOf(target.provider),
      quota: quotaOf(target.provider)
    }))
  }))
}

const make = Effect.fnUntraced(function* (routes: ReadonlyArray<Route>) {
  const { carry } = yield* Carrier
  const find = makeFinder(linesOf(routes))

  /** `next` is for a call of which it is certain that nothing of it ran. */
  const send = (exchange: Decoded, line: Line, protocol: Protocol, next: (refused: Refused) => Result): Result => {
    const { breaker } = line
    const state = breaker?.state ?? 0
    const failed = (then: Result): Result =>
      breaker === undefined
        ? then
        : Effect.clockWith((clock) => {
            breaker.failed(state, clock.currentTimeMillisUnsafe())
            return then
          })
    return Effect.matchEffect(carry(outgoing(exchange, line, protocol)), {
      onSuccess: (incoming) => {
        const { headers, status } = incoming
        if (status >= 500) return failed(Effect.succeed(called(incoming, protocol, line)))
        breaker?.succeeded(state)
        if (exchange.linkedUserHeaders === undefined) {
          if (status === 401 || status === 403) return next(refusals.gatewayCredentialRejected())
        } else if (status === 401) return Effect.fail(refusals.linkedTokenRejected())
        if (status === 429) {
          return Effect.clockWith((clock) =>
            next(refusals.upstreamLimit(headers["retry-after"], clock.currentTimeMillisUnsafe()))
          )
        }
        return status >= 300 && status < 400
          ? Effect.fail(refusals.redirectNotFollowed())
          : Effect.succeed(called(incoming, protocol, line))
      },
      onFailure: ({ why }) => {
        const refused = refusals.notCarried(why, exchange, line.provider)
        return failed(why === "not sent" ? Effect.suspend(() => next(refused)) : Effect.fail(refused))
      }
    })
  }

  const attempt = (exchange: Decoded, line: Line, next: (refused: Refused) => Result): Result => {
    const { breaker, protocol, quota } = line
    if (protocol === undefined) return next(refusals.unrouted(exchange))
    const broken = breaker === undefined || breaker.isClosed ? undefined : breaker
    if (broken === undefined && quota === undefined) return send(exchange, line, protocol, next)
    return Effect.clockWith((clock) => {
      const now = clock.currentTimeMillisUnsafe()
      quota?.refill(quota.limit, now)
      const full = quota?.wait(1) ?? 0
      if (quota !== undefined && full > 0) return next(refusals.quotaReached(quota, full))
      const wait = broken?.wait(now) ?? 0
      if (wait > 0) return next(refusals.circuitOpen(wait))
      quota?.take(1)
      return send(exchange, line, protocol, next)
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

const called = (
  { body, headers, status }: Incoming,
  protocol: Protocol,
  { provider: { eventBytes, name } }: Line
): Called => {
  const head = { status, contentType: headers["content-type"], headers: answerHeaders(headers) }
  return body instanceof Uint8Array
    ? { kind: "whole", answer: { ...head, bytes: body }, protocol, provider: name }
    : { kind: "stream", streaming: { ...head, eventBytes, stream: body }, protocol, provider: name }
}
