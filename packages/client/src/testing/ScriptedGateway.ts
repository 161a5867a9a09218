import { Carrier } from "@tollgate/contract/carrier/Carrier"
import { defaults, fill, type Names } from "@tollgate/contract/Names"
import { type Binding, bind, type Bound, type Input, type Operation } from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import * as Layer from "effect/Layer"
import { Client, type Options } from "../Client.ts"
import { sixDecimals } from "./amounts.ts"
import { type Call, operationOf, type Target } from "./Call.ts"
import { carrying } from "./carrying.ts"
import { type Booked, Desk } from "./Desk.ts"
import type { Priced } from "./Prices.ts"
import { type Script, Scripts } from "./Script.ts"

export interface GatewayOptions {
  readonly names?: Names
  /** Paths and parameter names of pending operations, by operation id: the client's are the same. */
  readonly bindings?: Readonly<Record<string, Binding>>
}

export type ClientOptions = Partial<Omit<Options, "baseUrl" | keyof GatewayOptions>>

export interface ScriptedGateway {
  /** What calls of this operation meet from now on. */
  readonly on: <O extends Operation>(target: Target<O>, script: Script<O>) => ScriptedGateway
  /** What quotes are reckoned from, and charges where the script does not say: `price(videoCreate, "0.05")`. */
  readonly price: <O extends Operation>(target: Target<O>, priced: Priced) => ScriptedGateway
  /** All that came, in its order. */
  readonly requests: ReadonlyArray<Call>
  /** Each attempt of this operation. */
  readonly calls: <O extends Operation>(target: Target<O>) => ReadonlyArray<Call<Input<O>>>
  /** Each time its price was asked for. */
  readonly quotes: <O extends Operation>(target: Target<O>) => ReadonlyArray<Call<Input<O>>>
  readonly charges: ReadonlyArray<Booked>
  /** In all, in USD with six decimals. */
  readonly charged: string
  /** Throws where something came that is not scripted, which a program may have caught, or a sequence was not used up. */
  readonly check: () => void
  readonly carrier: Layer.Layer<Carrier>
  /** A client of this gateway. */
  readonly layer: (options?: ClientOptions) => Layer.Layer<Client>
}

let gateways = 0

/** A gateway without a network that answers as it is told, and keeps idempotency, quotes and charges as the real one does. */
export const scriptedGateway = ({ bindings = {}, names = defaults }: GatewayOptions = {}): ScriptedGateway => {
  // An address of its own: clients remember what an address has asked of them.
  const baseUrl = `http://gateway-${++gateways}.invalid`
  const bound = new Map<string, Bound>()
  const know = (operation: Operation): string => {
    const id = fill(operation.id, names)
    const filled = bind(operation, names, bindings[id])
    if (filled === undefined) throw new Error(`The path of ${id} is pending: bind one in the gateway's options`)
    bound.set(id, filled)
    return id
  }
  for (const operation of operations) {
    if (operation.path !== undefined || bindings[fill(operation.id, names)]?.path !== undefined) know(operation)
  }
  const scripts = new Scripts()
  const desk = new Desk()
  const requests: Array<Call> = []
  const faults: Array<string> = []
  const carrier = Layer.succeed(Carrier, { carry: carrying({ bound, scripts, desk, requests, faults, names }) })

  const requestsOf = <O extends Operation>(target: Target<O>, mode: Call["mode"]) => {
    const id = fill(operationOf(target).id, names)
    return requests.filter((call) => call.operation === id && call.mode === mode) as ReadonlyArray<Call<Input<O>>>
  }
  const gateway: ScriptedGateway = {
    on: (target, script) => {
      scripts.set(know(operationOf(target)), script)
      return gateway
    },
    price: (target, priced) => {
      const operation = operationOf(target)
      desk.prices.set(know(operation), operation.price, priced)
      return gateway
    },
    requests,
    calls: (target) => requestsOf(target, "call"),
    quotes: (target) => requestsOf(target, "quote"),
    get charges() {
      return desk.booked
    },
    get charged() {
      return sixDecimals(desk.booked.reduce((sum, { micros }) => sum + micros, 0n))
    },
    check: () => {
      const wrong = [...faults, ...scripts.left]
      if (wrong.length > 0) throw new Error(wrong.join("\n"))
    },
    carrier,
    layer: (options = {}) =>
      Client.layer({ credential: "a test's", ...options, baseUrl, names, bindings }).pipe(Layer.provide(carrier))
  }
  return gateway
}
