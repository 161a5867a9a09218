import { type BigMicroUsd, micro } from "@tollgate/contract/Money"
import { contractOf } from "@tollgate/contract/price/contracts"
import type { Evidence } from "@tollgate/contract/price/evidence"
import { settleKept } from "@tollgate/contract/price/kept"
import { type Multiplier, one, type Price } from "@tollgate/contract/price/Price"
import { settle } from "@tollgate/contract/price/settle"
import * as Option from "effect/Option"
import { upToCap } from "@tollgate/ledger/ledger/capped"

/** What the ledger has of a settled call. */
export interface RecordedCall {
  readonly evidence: Evidence | undefined
  /** Of a call that got a kept answer, whose evidence is that of the first call. */
  readonly share?: Multiplier | undefined
  readonly cap: BigMicroUsd | undefined
  readonly multiplier: Multiplier
}

/** What the call would cost at this price. `undefined`: what is recorded does not tell. */
export const recompute = (
  { cap, evidence, multiplier, share }: RecordedCall,
  price: Price
): { readonly value: BigMicroUsd; readonly charged: BigMicroUsd } | undefined => {
  if (evidence === undefined) return undefined
  const { forRecorded } = contractOf(price)
  const own = forRecorded === undefined ? price : forRecorded(price, evidence)
  const full = own && Option.getOrUndefined(settle(own, evidence, share === undefined ? multiplier : one))
  const settlement = full === undefined || share === undefined ? full : settleKept(full.chargedNano, share, multiplier)
  return settlement && { value: settlement.value, charged: micro(upToCap(settlement.charged, cap)) }
}
