import { divideHalfUp, type NanoUsd, nano, usd } from "@tollgate/contract/Money"
import { parseDecimal } from "@tollgate/contract/price/exact"
import type { CanceledCost } from "../Provider.ts"
import { textAt } from "./reportedCost.ts"

/** No task costs as much: a larger amount is an upstream's error. */
const largest = usd("1000000")

/** The cost that a canceled task reports, to the nearest nano-USD. `undefined`: it reports none that is possible. */
export const readCanceledCost = (body: Uint8Array, { path, perUnit }: CanceledCost): NanoUsd | undefined => {
  const used = parseDecimal(textAt(body, path) ?? "")
  if (used === undefined) return undefined
  const cost = nano(divideHalfUp(used.digits * (perUnit ?? usd("1")), 10n ** BigInt(used.scale)))
  return cost > largest ? undefined : cost
}
