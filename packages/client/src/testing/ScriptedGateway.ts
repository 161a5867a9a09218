import { Carrier, NotCarried, type Outgoing } from "@tollgate/contract/carrier/Carrier"
import * as Headers from "@tollgate/contract/Headers"
import { formatUsd, toMicros } from "@tollgate/contract/Money"
import { defaults, fill, type Names } from "@tollgate/contract/Names"
import { bind, type Binding, type Bound, isQuotable, type Operation } from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Client, type Options } from "../Client.ts"
import { type AnswerOf, type Call, type InputOf, operationOf, type ReceivedCall, type Target } from "./Call.ts"
import { GatewayState, type RecordedCharge, usd } from "./GatewayState.ts"
import type { Sequence, Step } from "./steps.ts"
import { deliver, json, refusal, route, type TextAnswer, withGatewayHeaders } from "./wire.ts"

export interface GatewayOptions {
  readonly names?: Names
  /** Paths and parameter names of pending operations, by operation id, as in the client's options. */
  readonly bindings?: Readonly<Record<string, Binding>>
}

export type ClientOptions = Partial<Omit<Options, "baseUrl" | keyof GatewayOptions>>

/** The same step for each call, a sequence, or a function of the call. */
type Script<T extends Target> =
  | Step<AnswerOf<T>>
  | Sequence<AnswerOf<T>>
  | ((call: Call<InputOf<T>>) => Step<AnswerOf<T>>)

export interface ScriptedGateway {
  /** Sets how calls of this operation are answered from now on. */
  readonly on: <T extends Target>(target: T, script: Script<T>) => ScriptedGateway
  /** Sets the price of a call, for quotes, caps, and charges without a scripted cost: `price(tweetQuotes, "0.05")`. */
  readonly price: (target: Target, usd: string) => ScriptedGateway
  /** All requests in order. */
  readonly requests: ReadonlyArray<Call>
  /** The calls of this operation, one for each attempt. */
  readonly calls: <T extends Target>(target: T) => ReadonlyArray<Call<InputOf<T>>>
  /** The quote requests of this operation. */
  readonly quotes: <T extends Target>(target: T) => ReadonlyArray<Call<InputOf<T>>>
  readonly charges: ReadonlyArray<RecordedCharge>
  /** The sum of all charges in USD, with six decimals. */
  readonly charged: string
  /** Throws if a request was not scripted or a sequence has unused steps. */
  readonly check: () => void
  readonly carrier: Layer.Layer<Carrier>
  /** A client that calls this gateway. */
  readonly layer: (options?: ClientOptions) => Layer.Layer<Client>
}

type AnyScript = Step | Sequence | ((call: Call) => Step)

interface Scripted {
  readonly script: AnyScript
  used: number
}

const stepsOf = ({ script }: Scripted): number | undefined => ("steps" in script ? script.steps.length : undefined)

const nextOf = (scripted: Scripted, call: Call): Step | undefined => {
  const { script, used } = scripted
  const step = typeof script === "function" ? script(call) : "steps" in script ? script.steps[used] : script
  if (step !== undefined) scripted.used++
  return step
}

/** The refusal, if the cap does not pay for the call. */
const refuseOverCap = ({ prices }: GatewayState, call: ReceivedCall): TextAnswer | undefined => {
  const cap = call.headers[Headers.maxPrice.key(call.bound.names)]
  const amount = prices.get(call.operation)
  if (cap === undefined || amount === undefined || amount <= usd(cap)) return undefined
  const message = `The call can cost up to ${formatUsd(amount)} USD, more than the cap of ${cap} USD.`
  return refusal(call, { code: "over_cap", message })
}

/** The quote for the call; `undefined` if no price is set. */
const answerQuote = ({ prices }: GatewayState, call: ReceivedCall): TextAnswer | undefined => {
  const { at, bound, operation, requestId } = call
  if (!isQuotable(bound)) {
    const message = `${operation} is free: call it without ${Headers.costMode(bound.names)}.`
    return refusal(call, { code: "quote_unsupported", message })
  }
  const amount = prices.get(operation)
  if (amount === undefined) return undefined
  const quote = {
    operation_id: operation,
    currency: "USD",
    estimate_micros_usd: toMicros(amount),
    max_micros_usd: toMicros(amount),
    price_contract: bound.price.contract,
    basis: "set by the test",
    expires_at: new Date(at + 300_000).toISOString(),
    request_id: requestId
  }
  return withGatewayHeaders(call, { status: 200, headers: json, body: JSON.stringify(quote) }, { state: "none" })
}

const withoutCredential = ({ authorization: _, ...headers }: Outgoing["headers"]) => headers

/** With six decimals, as in reports. */
const sixDecimals = (micros: number): string => (micros / 1e6).toFixed(6)

let gateways = 0

/** A gateway without a network. It answers from a script, with idempotency, quotes and charges like the real one. */
export const scriptedGateway = ({ bindings = {}, names = defaults }: GatewayOptions = {}): ScriptedGateway => {
  // Each gateway has its own address, because clients share rate limits by address.
  const baseUrl = `http://gateway-${++gateways}.invalid`
  const bound = new Map<string, Bound>()
  const scripts = new Map<string, Scripted>()
  const state = new GatewayState()
  const requests: Array<Call> = []
  const faults: Array<string> = []

  const register = (operation: Operation): string => {
    const id = fill(operation.id, names)
    const filled = bind(operation, names, bindings[id])
    if (filled === undefined) throw new Error(`The path of ${id} is pending: bind one in the gateway's options`)
    bound.set(id, filled)
    return id
  }
  for (const operation of operations) {
    if (operation.path !== undefined || bindings[fill(operation.id, names)]?.path !== undefined) register(operation)
  }

  const unscripted = (problem: string) => {
    const all = [...scripts].map(([id, scripted]) => {
      const steps = stepsOf(scripted)
      return steps === undefined ? id : `${id} (${scripted.used} of ${steps} steps used)`
    })
    const fault = `${problem} ${all.length === 0 ? "Nothing is scripted" : `Scripted: ${all.join(", ")}`}.`
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
    return { ...call, bound: routed.bound, payload }
  }

  const execute = (call: ReceivedCall, outgoing: Outgoing) => {
    const scripted = scripts.get(call.operation)
    const step = scripted && nextOf(scripted, call)
    if (step === undefined) {
      const { method, path } = call.bound
      return unscripted(`No answer is scripted for this call of ${call.operation} (${method} ${path}).`)
    }
    state.begin(call)
    return step.perform({ call, outgoing, state }).pipe(
      // If the caller leaves before the answer, the outcome stays unknown.
      Effect.onInterrupt(() => Effect.sync(() => state.end(call, "unknown"))),
      Effect.timeoutOrElse({
        duration: outgoing.deadlineMillis,
        orElse: () => Effect.fail(new NotCarried({ why: "timeout" }))
      })
    )
  }

  const billed = (call: ReceivedCall, outgoing: Outgoing) => {
    const refused = refuseOverCap(state, call)
    if (refused !== undefined) return deliver(outgoing, refused)
    const first = state.previous(call)
    if (first === undefined) return execute(call, outgoing)
    if ("code" in first) return deliver(outgoing, refusal(call, first))
    const { charge, ...answer } = first
    const headers = {
      ...answer.headers,
      [Headers.idempotentReplayed]: "true",
      ...(charge.micros === undefined ? {} : { [Headers.replayedCost(names)]: String(charge.micros) })
    }
    return deliver(outgoing, withGatewayHeaders(call, { ...answer, headers }, { state: "none" }))
  }

  /** It is no call, and needs no script. */
  const answerOfKey = ({ headers }: Outgoing) => {
    const told = state.told(headers[Headers.idempotencyKey.toLowerCase()])
    return Effect.succeed({
      status: told === undefined ? 404 : 200,
      headers: json,
      body: Utf8.encode(JSON.stringify(told ?? {}))
    })
  }

  /** Answers a request in the order of the real gateway's steps. */
  const carry: Carrier["Service"]["carry"] = (outgoing) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (/^(charge|cancel)$/.test(outgoing.headers[Headers.idempotencyMode.key(names)] ?? ""))
        return answerOfKey(outgoing)
      const call = receive(outgoing, now)
      if (call === undefined) return unscripted(`No operation has the path ${outgoing.method} ${outgoing.path}.`)
      if (call.mode === "call") return isQuotable(call.bound) ? billed(call, outgoing) : execute(call, outgoing)
      const quote = answerQuote(state, call)
      return quote === undefined
        ? unscripted(`No price is set for ${call.operation}, which a quote needs: gateway.price(…, "0.01").`)
        : deliver(outgoing, quote)
    })
  const carrier = Layer.succeed(Carrier, { carry })

  const requestsOf = <T extends Target>(target: T, mode: Call["mode"]) => {
    const id = fill(operationOf(target).id, names)
    return requests.filter((call) => call.operation === id && call.mode === mode) as ReadonlyArray<Call<InputOf<T>>>
  }
  const gateway: ScriptedGateway = {
    on: (target, script) => {
      scripts.set(register(operationOf(target)), { script: script as AnyScript, used: 0 })
      return gateway
    },
    price: (target, amount) => {
      state.prices.set(register(operationOf(target)), usd(amount))
      return gateway
    },
    requests,
    calls: (target) => requestsOf(target, "call"),
    quotes: (target) => requestsOf(target, "quote"),
    charges: state.charges,
    get charged() {
      return sixDecimals(state.charges.reduce((sum, { micros }) => sum + micros, 0))
    },
    check: () => {
      const unused = [...scripts].flatMap(([id, scripted]) => {
        const steps = stepsOf(scripted) ?? 0
        return scripted.used < steps ? [`${id}: ${steps - scripted.used} of ${steps} scripted steps were not used`] : []
      })
      const problems = [...faults, ...unused]
      if (problems.length > 0) throw new Error(problems.join("\n"))
    },
    carrier,
    layer: (options = {}) =>
      Client.layer({ credential: "test", ...options, baseUrl, names, bindings }).pipe(Layer.provide(carrier))
  }
  return gateway
}
