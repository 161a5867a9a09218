import { type BigMicroUsd, fromMicros, micro, nano, type NanoUsd, safeMicros } from "@tollgate/contract/Money"
import type { Settlement } from "@tollgate/contract/price/contracts"
import type { Charge } from "@tollgate/contract/Outcome"

/** A metered price, split into what the caller pays and what the operator loses to the caller's cap. */
export interface Capped {
  readonly charged: BigMicroUsd
  readonly chargedNano: NanoUsd
  readonly loss: BigMicroUsd
  readonly lossNano: NanoUsd
}

const noLoss = { loss: micro(0n), lossNano: nano(0n) }

/** What the caller pays of a metered price, also above the reservation. */
export const upToCap = (charged: BigMicroUsd, cap: BigMicroUsd | undefined): BigMicroUsd =>
  cap === undefined || charged <= cap ? charged : cap

/** Compares rounded amounts: what rounding takes off is no loss. */
export const capped = ({ charged, chargedNano }: Settlement, cap: BigMicroUsd | undefined): Capped => {
  if (cap === undefined || charged <= cap) return { charged, chargedNano, ...noLoss }
  const capNano = fromMicros(cap)
  return { charged: cap, chargedNano: capNano, loss: micro(charged - cap), lossNano: nano(chargedNano - capNano) }
}

/** Without the amount if a number does not hold it exactly: no answer shows a wrong one. */
export const chargeFor = (state: "settled" | "estimated", charged: bigint): Charge => {
  const micros = safeMicros(charged)
  return micros === undefined ? { state } : { state, micros }
}
