import { type BigMicroUsd, micro, nano } from "@tollgate/contract/Money"
import type { Evidence } from "@tollgate/contract/price/evidence"
import { settleKept } from "@tollgate/contract/price/kept"
import { type Multiplier, one, type Price } from "@tollgate/contract/price/Price"
import { settle } from "@tollgate/contract/price/settle"
import * as Option from "effect/Option"
import { upToCap } from "../../../books/ledger/capped.ts"

/** What the ledger has of a settled call. */
export interface RecordedCall {
  readonly evidence: Evidence | undefined
  /** Of a call that got a kept answer, whose evidence is that of the first call. */
  readonly share?: Multiplier | undefined
  readonly cap: BigMicroUsd | undefined
  readonly multiplier: Multiplier
}

/** The price of a task is fixed at its start, so it does not matter which contract sets the amount. */
const ofTask = (price: Price): Price => {
  if (price.contract === "free") return { contract: "per_task", amount: nano(0n) }
  return price.contract === "per_request" ? { ...price, contract: "per_task" } : price
}

/** A price that depends on the request becomes one that does not, if the evidence tells enough. */
const resolved = (price: Price, evidence: Evidence): Price | undefined => {
  if (price.contract !== "per_request" && price.contract !== "per_task") return price
  const { amount, contract, times, variants } = price
  if ((times === undefined && variants === undefined) || evidence.kind === "failed") return price
  // A canceled task costs what its upstream reports.
  if (evidence.kind === "task" && evidence.status === "CANCELED") return { contract, amount: nano(0n) }
  if (variants !== undefined || amount === "pending" || evidence.kind !== "request") return undefined
  return evidence.times !== undefined && evidence.times.unit === times?.unit
    ? { contract, amount: nano(amount * BigInt(evidence.times.count)) }
    : undefined
}

/** What the call would cost at this price. `undefined`: what is recorded does not tell. */
export const recompute = (
  { cap, evidence, multiplier, share }: RecordedCall,
  price: Price
): { readonly value: BigMicroUsd; readonly charged: BigMicroUsd } | undefined => {
  if (evidence === undefined) return undefined
  const own = resolved(evidence.kind === "task" ? ofTask(price) : price, evidence)
  const full = own && Option.getOrUndefined(settle(own, evidence, share === undefined ? multiplier : one))
  const settlement = full === undefined || share === undefined ? full : settleKept(full.chargedNano, share, multiplier)
  return settlement && { value: settlement.value, charged: micro(upToCap(settlement.charged, cap)) }
}
