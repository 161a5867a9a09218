import { type Call, type InputOf, operationOf, type Target } from "./Call.ts"
import { type Script, Scripts } from "./Script.ts"
import { Carrier } from "@tollgate/contract/carrier/Carrier"
import { defaults, fill, type Names } from "@tollgate/contract/Names"
import { bind, type Binding, type Bound, type Operation } from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import * as Layer from "effect/Layer"
import { Client, type Options } from "../Client.ts"
import { sixDecimals } from "./Prices.ts"
import { serve } from "./serve.ts"
import { GatewayState, type RecordedCharge } from "./GatewayState.ts"

export interface GatewayOptions {
  readonly names?: Names
  /** Paths and parameter names of pending operations, by operation id, as in the client's options. */
  readonly bindings?: Readonly<Record<string, Binding>>
}

export type ClientOptions = Partial<Omit<Options, "baseUrl" | keyof GatewayOptions>>

export interface ScriptedGateway {
  /** Sets how calls of this operation are answered from now on. */
  readonly on: <T extends Target>(target: T, script: Script<T>) => ScriptedGateway
  /** Sets the price of a call for quotes, and for charges without a scripted cost: `price(videoCreate, "0.05")`. */
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

let gateways = 0

/** A gateway without a network. It answers from a script, with idempotency, quotes and charges like the real one. */
export const scriptedGateway = ({ bindings = {}, names = defaults }: GatewayOptions = {}): ScriptedGateway => {
  // Each gateway has its own address, because clients share rate limits by address.
  const baseUrl = `http://gateway-${++gateways}.invalid`
  const bound = new Map<string, Bound>()
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
  const scripts = new Scripts()
  const state = new GatewayState()
  const requests: Array<Call> = []
  const faults: Array<string> = []
  const carrier = Layer.succeed(Carrier, { carry: serve({ bound, scripts, gateway: state, requests, faults, names }) })

  const requestsOf = <T extends Target>(target: T, mode: Call["mode"]) => {
    const id = fill(operationOf(target).id, names)
    return requests.filter((call) => call.operation === id && call.mode === mode) as ReadonlyArray<Call<InputOf<T>>>
  }
  const gateway: ScriptedGateway = {
    on: (target, script) => {
      scripts.set(register(operationOf(target)), script)
      return gateway
    },
    price: (target, usd) => {
      const operation = operationOf(target)
      state.prices.set(register(operation), operation.price, usd)
      return gateway
    },
    requests,
    calls: (target) => requestsOf(target, "call"),
    quotes: (target) => requestsOf(target, "quote"),
    charges: state.charges,
    get charged() {
      return sixDecimals(state.charges.reduce((sum, { micros }) => sum + BigInt(micros), 0n))
    },
    check: () => {
      const problems = [...faults, ...scripts.unused]
      if (problems.length > 0) throw new Error(problems.join("\n"))
    },
    carrier,
    layer: (options = {}) =>
      Client.layer({ credential: "test", ...options, baseUrl, names, bindings }).pipe(Layer.provide(carrier))
  }
  return gateway
}
