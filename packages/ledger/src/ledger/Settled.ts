import { type BigMicroUsd, fromMicros, micro, nano, type NanoUsd, safeMicros } from "@tollgate/contract/Money"
import type { Charge, CostState } from "@tollgate/contract/Outcome"
import type { TokenUsage } from "@tollgate/contract/price/evidence"
import type { Settlement } from "@tollgate/contract/price/contracts"
import type { Statement } from "../store/statements.ts"

export interface StoredAnswer {
  readonly status: number
  readonly contentType: string | undefined
  /** Those that describe the body, and those that the operation names. */
  readonly headers?: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
}

/** Most answers have none. */
export const headersText = ({ headers }: StoredAnswer): string | null => {
  for (const _ in headers) return JSON.stringify(headers)
  return null
}

/** What a call that ran cost, with the evidence and the answer. The metered price may exceed the reservation. */
export interface Settled {
  readonly settlement: Settlement
  /** `estimated` if the answer did not prove its cost. */
  readonly costState: Extract<CostState, "settled" | "estimated">
  readonly answer: StoredAnswer
  readonly evidence: string
  readonly usage: TokenUsage
  /** Output that the caller does not see, for traces. It is part of the output, and not recorded. */
  readonly reasoning?: number
  /** What was used and has no price, by name. It is charged at the nearest price. */
  readonly gaps?: ReadonlyArray<string>
  /** What the upstream charges for it, if its prices are known. */
  readonly cost?: NanoUsd
  /** Whether the answer reports a failure in spite of its status, as a reseller's does. */
  readonly failed?: boolean
  /** Written in the same commit, if the call ends with it. A settlement is recorded without what the store refuses. */
  readonly also?: ReadonlyArray<Statement> | undefined
}

/** A metered price, split into what the caller pays and what the operator loses to the caller's cap. */
interface Capped {
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
