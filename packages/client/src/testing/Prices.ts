import { fromMicros, type NanoUsd, toMicros, parseUsd } from "@tollgate/contract/Money"
import { isQuotable } from "@tollgate/contract/Operation"
import type { Charge } from "@tollgate/contract/Outcome"
import { basis, contractOf, estimate, type Estimate, settle } from "@tollgate/contract/price/contracts"
import { applyCap } from "@tollgate/contract/price/cap"
import { perRequestOf } from "@tollgate/contract/price/contracts/perRequest"
import { perTaskOf } from "@tollgate/contract/price/contracts/perTask"
import { one, type Price } from "@tollgate/contract/price/Price"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { ReceivedCall } from "./Call.ts"

/** Parses an amount written in a test. */
export const usd = (text: string): NanoUsd =>
  Option.getOrThrowWith(
    parseUsd(text),
    () => new Error(`"${text}" is not an amount: write decimal USD with up to nine decimals, such as "0.000025"`)
  )

/** With six decimals, as in reports. */
export const sixDecimals = (amount: bigint): string =>
  `${amount / 1_000_000n}.${(amount % 1_000_000n).toString().padStart(6, "0")}`

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

  set(id: string, own: Price, amount: string): void {
    const fixedOf = contractOf(own).startsTask ? perTaskOf : perRequestOf
    this.#set.set(id, fixedOf(usd(amount)))
  }

  of({ body, bound: { id, price } }: ReceivedCall): Price {
    const set = this.#set.get(id) ?? price
    return contractOf(set).resolve?.(set, body) ?? set
  }

  /** `undefined` if no price is set. */
  estimate(received: ReceivedCall): Estimate | undefined {
    return Option.getOrUndefined(estimate(this.of(received), received.body, undefined, modelOf(received)))
  }

  /** How the price of a call is calculated. */
  basis(received: ReceivedCall): string {
    return basis(this.of(received), { multiplier: one, model: modelOf(received) })
  }

  /** Why the cap does not pay for the call; `undefined` if it does. */
  overCap(received: ReceivedCall, cap: NanoUsd): string | undefined {
    const estimate = this.estimate(received)
    if (estimate === undefined) return undefined
    const capped = applyCap(cap, estimate, this.of(received), received.body, undefined, modelOf(received))
    return Result.isFailure(capped) ? capped.failure : undefined
  }

  /** The cost of a successful answer: the scripted cost, else its reported usage, else the estimate if it is JSON. */
  charge(received: ReceivedCall, body: string, cost: string | undefined): Charge {
    if (!isQuotable(received.bound)) return { state: "none" }
    if (cost !== undefined) return { state: "settled", micros: toMicros(usd(cost)) }
    const answer = parseJson(body)
    // What is not JSON proves nothing and costs nothing.
    if (answer === undefined) return { state: "none" }
    const price = this.of(received)
    // The task has not ended.
    if (contractOf(price).startsTask) return { state: "pending" }
    const settled = Option.flatMap(Option.fromUndefinedOr(contractOf(price).evidence(price, answer)), (proof) =>
      settle(price, proof)
    )
    if (Option.isSome(settled)) return { state: "settled", micros: toMicros(fromMicros(settled.value.charged)) }
    const likely = this.estimate(received)?.likely
    return likely === undefined ? { state: "unknown" } : { state: "estimated", micros: toMicros(likely) }
  }
}
