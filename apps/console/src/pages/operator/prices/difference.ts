import type { Amount } from "@tollgate/contract/account/Amount"
import { usd } from "../../../ui/amounts.ts"

export const differenceOf = (before: Amount, after: Amount): bigint => BigInt(after) - BigInt(before)

/** `+$1.25`. */
export const signedUsd = (difference: bigint): string => `${difference > 0n ? "+" : ""}${usd(difference)}`

/** `+12.5 %`, if there is something to compare with. */
export const percent = (before: Amount, difference: bigint): string | undefined => {
  const base = BigInt(before)
  if (base === 0n) return undefined
  const tenths = (difference * 1000n) / base
  const absolute = tenths < 0n ? -tenths : tenths
  return `${tenths < 0n ? "−" : "+"}${absolute / 10n}.${absolute % 10n} %`
}
