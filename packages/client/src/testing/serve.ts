import type { Step, Scripts } from "./Script.ts"
import { type Carrier, type Incoming, NotCarried, type Outgoing } from "@tollgate/contract/carrier/Carrier"
import * as Headers from "@tollgate/contract/Headers"
import type { Names } from "@tollgate/contract/Names"
import { type Bound, isQuotable } from "@tollgate/contract/Operation"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Call, ReceivedCall } from "./Call.ts"
import type { GatewayState } from "./GatewayState.ts"
import { performStep } from "./performStep.ts"
import { deliver, json, refusal, route, type TextAnswer, withGatewayHeaders } from "./wire.ts"
import * as Schema from "effect/Schema"
import { toMicros } from "@tollgate/contract/Money"
import { Quote } from "@tollgate/contract/resources/Quote"
import { type Prices, usd } from "./Prices.ts"

/** The refusal, if the cap does not pay for the call. */
const refuseOverCap = (prices: Prices, received: ReceivedCall): TextAnswer | undefined => {
  const text = received.headers[Headers.maxPrice.key(received.bound.names)]
  const message = text === undefined ? undefined : prices.overCap(received, usd(text))
  if (message === undefined) return undefined
  const estimate = prices.estimate(received)
  const cost = estimate && { cost: { estimate: toMicros(estimate.likely), most: toMicros(estimate.most) } }
  return refusal(received, { code: "over_cap", message, ...cost })
}

const validMillis = 300_000
const encodeQuote = Schema.encodeSync(Quote)

/** The quote for the call; `undefined` if no price is set. */
const answerQuote = (prices: Prices, received: ReceivedCall): TextAnswer | undefined => {
  const { at, bound, operation, requestId } = received
  if (!isQuotable(bound)) {
    const message = `${operation} is free: call it without ${Headers.costMode(bound.names)}.`
    return refusal(received, { code: "quote_unsupported", message })
  }
  const estimate = prices.estimate(received)
  if (estimate === undefined) return undefined
  const quote = encodeQuote({
    operation_id: operation,
    currency: "USD",
    estimate_micros_usd: toMicros(estimate.likely),
    max_micros_usd: toMicros(estimate.most),
    price_contract: prices.of(received).contract,
    basis: prices.basis(received),
    expires_at: new Date(at + validMillis).toISOString(),
    request_id: requestId
  })
  return withGatewayHeaders(received, { status: 200, headers: json, body: JSON.stringify(quote) }, { state: "none" })
}

interface GatewayParts {
  readonly bound: ReadonlyMap<string, Bound>
  readonly names: Names
  readonly scripts: Scripts
  readonly gateway: GatewayState
  readonly requests: Array<Call>
  /** Requests that were not scripted. */
  readonly faults: Array<string>
}

const withoutCredential = ({ authorization: _, ...headers }: Outgoing["headers"]) => headers

const waits = (step: Step): boolean =>
  step.kind === "hang" ||
  step.kind === "later" ||
  (step.kind === "broken" && step.after !== undefined && waits(step.after))

/** Answers a request in the order of the real gateway's steps. */
export const serve = ({
  bound,
  gateway,
  faults,
  names,
  requests,
  scripts
}: GatewayParts): Carrier["Service"]["carry"] => {
  const unscripted = (problem: string) => {
    const fault = `${problem} ${scripts.described}.`
    faults.push(fault)
    return Effect.die(new Error(fault))
  }

  const receive = (outgoing: Outgoing, at: number): ReceivedCall | undefined => {
    const routed = route(bound.values(), outgoing)
    if (routed === undefined) return undefined
    const headers = withoutCredential(outgoing.headers)
    const call: Call = {
      operation: routed.bound.id,
      input: routed.input,
      headers,
      at,
      mode: headers[Headers.costMode.key(names)] === undefined ? "call" : "quote",
      idempotencyKey: headers[Headers.idempotencyKey.toLowerCase()],
      requestId: `req_${requests.length + 1}`
    }
    requests.push(call)
    const payload = `${outgoing.method} ${outgoing.path}\n${Utf8.decode(outgoing.body ?? new Uint8Array(0))}`
    return { ...call, bound: routed.bound, body: routed.body, payload }
  }

  const execute = (received: ReceivedCall, outgoing: Outgoing): Effect.Effect<Incoming, NotCarried> => {
    const step = scripts.next(received)
    if (step === undefined) {
      const { method, path } = received.bound
      return unscripted(`No answer is scripted for this call of ${received.operation} (${method} ${path}).`)
    }
    gateway.keys.begin(received)
    const performed = performStep(
      gateway,
      received,
      outgoing
    )(step).pipe(
      // If the caller leaves before the answer, the outcome stays unknown.
      Effect.onInterrupt(() => Effect.sync(() => gateway.keys.end(received, { state: "unknown" })))
    )
    return waits(step)
      ? Effect.timeoutOrElse(performed, {
          duration: outgoing.deadlineMillis,
          orElse: () => Effect.fail(new NotCarried({ why: "timeout" }))
        })
      : performed
  }

  const serveBilled = (received: ReceivedCall, outgoing: Outgoing): Effect.Effect<Incoming, NotCarried> => {
    const refused = refuseOverCap(gateway.prices, received)
    if (refused !== undefined) return deliver(outgoing, refused)
    const first = gateway.keys.previous(received)
    if (first === undefined) return execute(received, outgoing)
    if ("code" in first) return deliver(outgoing, refusal(received, first))
    const { body, charge, status } = first
    const { micros } = charge
    const headers = {
      ...first.headers,
      [Headers.idempotentReplayed]: "true",
      ...(micros === undefined ? {} : { [Headers.replayedCost(names)]: String(micros) })
    }
    return deliver(outgoing, withGatewayHeaders(received, { status, headers, body }, { state: "none" }))
  }

  return (outgoing) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const received = receive(outgoing, now)
      if (received === undefined) {
        return unscripted(`No operation has the path ${outgoing.method} ${outgoing.path}.`)
      }
      const { operation } = received
      if (received.mode === "quote") {
        const quote = answerQuote(gateway.prices, received)
        return quote === undefined
          ? unscripted(`No price is set for ${operation}, which a quote needs: gateway.price(…, "0.01").`)
          : deliver(outgoing, quote)
      }
      return isQuotable(received.bound) ? serveBilled(received, outgoing) : execute(received, outgoing)
    })
}
