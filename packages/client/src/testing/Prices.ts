import { type MicroUsd, toMicros } from "@tollgate/contract/Money"
import { type Bound, isQuotable } from "@tollgate/contract/Operation"
import type { Charge } from "@tollgate/contract/Outcome"
import { type Estimate, estimate } from "@tollgate/contract/price/estimate"
import { evidence } from "@tollgate/contract/price/evidence"
import type { Price } from "@tollgate/contract/price/Price"
import { settle } from "@tollgate/contract/price/settle"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { micros, usd } from "./amounts.ts"
import type { ReceivedCall } from "./Call.ts"

/** An amount per call or per successful task, or a price as in the contract. */
export type PriceSetting = string | Price

const modelOf = ({ body, input }: ReceivedCall): string | undefined => {
  const named = Predicate.isObject(input) && "path" in input ? input.path : body
  return Predicate.isObject(named) && "model" in named && typeof named.model === "string" ? named.model : undefined
}

const parseJson = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

export class Prices {
  readonly #set = new Map<string, Price>()

  set(id: string, { contract }: Price, setting: PriceSetting): void {
    const fixed = (text: string): Price => ({
      contract: contract === "per_task" ? contract : "per_request",
      amount: usd(text)
    })
    this.#set.set(id, typeof setting === "string" ? fixed(setting) : setting)
  }

  of({ id, price }: Bound): Price {
    return this.#set.get(id) ?? price
  }

  /** `undefined` if no price is set. */
  estimate(received: ReceivedCall): Estimate | undefined {
    return Option.getOrUndefined(estimate(this.of(received.bound), received.body, undefined, modelOf(received)))
  }

  /** The cost of a successful answer: the scripted cost, else its reported usage, else the estimate. */
  charge(received: ReceivedCall, body: string, cost: string | undefined): Charge {
    if (!isQuotable(received.bound)) return { state: "none" }
    if (cost !== undefined) return { state: "settled", micros: micros(cost) }
    const price = this.of(received.bound)
    const settled = Option.flatMap(evidence(price, parseJson(body)), (proof) => settle(price, proof))
    if (Option.isSome(settled)) return { state: "settled", micros: settled.value.charged }
    const likely = this.estimate(received)?.likely
    return likely === undefined ? { state: "unknown" } : { state: "estimated", micros: toMicros(likely) }
  }

  /** The cost of a successful task. */
  task({ bound }: ReceivedCall, cost: string | undefined): MicroUsd | undefined {
    if (cost !== undefined) return micros(cost)
    const price = this.of(bound)
    return price.contract === "per_task" && price.amount !== "pending" ? toMicros(price.amount) : undefined
  }
}
