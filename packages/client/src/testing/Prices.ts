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
import type { Exchange } from "./Call.ts"

/** An amount for each call, or for each task that succeeds; or a price as the contract has them. */
export type Priced = string | Price

const modelOf = ({ body, input }: Exchange): string | undefined => {
  const named = Predicate.isObject(input) && "path" in input ? input.path : body
  return Predicate.isObject(named) && "model" in named && typeof named.model === "string" ? named.model : undefined
}

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

export class Prices {
  readonly #set = new Map<string, Price>()

  set(id: string, { contract }: Price, priced: Priced): void {
    const fixed = (text: string): Price => ({
      contract: contract === "per_task" ? contract : "per_request",
      amount: usd(text)
    })
    this.#set.set(id, typeof priced === "string" ? fixed(priced) : priced)
  }

  of({ id, price }: Bound): Price {
    return this.#set.get(id) ?? price
  }

  /** `undefined`: no price is set. */
  estimate(exchange: Exchange): Estimate | undefined {
    return Option.getOrUndefined(estimate(this.of(exchange.bound), exchange.body, undefined, modelOf(exchange)))
  }

  /** What a good answer costs: as scripted, by its own evidence, or else by the estimate. */
  charge(exchange: Exchange, body: string, cost: string | undefined): Charge {
    if (!isQuotable(exchange.bound)) return { state: "none" }
    if (cost !== undefined) return { state: "settled", micros: micros(cost) }
    const price = this.of(exchange.bound)
    const settled = Option.flatMap(evidence(price, parsed(body)), (proof) => settle(price, proof))
    if (Option.isSome(settled)) return { state: "settled", micros: settled.value.charged }
    const likely = this.estimate(exchange)?.likely
    return likely === undefined ? { state: "unknown" } : { state: "estimated", micros: toMicros(likely) }
  }

  /** What a task costs that succeeds. */
  task({ bound }: Exchange, cost: string | undefined): MicroUsd | undefined {
    if (cost !== undefined) return micros(cost)
    const price = this.of(bound)
    return price.contract === "per_task" && price.amount !== "pending" ? toMicros(price.amount) : undefined
  }
}
