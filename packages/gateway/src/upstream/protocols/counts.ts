import { isTokenCount, type TokenUsage } from "@tollgate/contract/price/evidence"
import { tokensOf } from "@tollgate/contract/price/content"
import { inputOf, modelNamed } from "@tollgate/contract/price/contracts/modelTokens"
import { isByModel } from "@tollgate/contract/price/Price"
import type { Priced } from "../../exchange/Exchange.ts"
import type { ReportedUsage } from "../Protocol.ts"
import { getPath } from "./jsonValue.ts"

/** Reads counts at these paths. Missing and null ones are left out. `undefined`: one is impossible, so none is trusted. */
export const readCounts = <const K extends string>(
  report: unknown,
  paths: Readonly<Record<K, ReadonlyArray<string>>>
): Partial<Record<K, number>> | undefined => {
  const counts: Partial<Record<K, number>> = {}
  for (const name in paths) {
    const value = getPath(report, ...paths[name])
    if (value === undefined || value === null) continue
    if (!isTokenCount(value)) return undefined
    counts[name] = value
  }
  return counts
}

/** What was used: as reported, and for what was not reported by counting the text of the request and of the answer. */
export const completeUsage = (
  { input: { body }, model, price }: Priced,
  { cacheRead = 0, cacheWrite = 0, input, output }: ReportedUsage = {},
  textBytes: number
): { readonly usage: TokenUsage; readonly isEstimate?: true } => {
  const named = isByModel(price) ? modelNamed(price, model) : undefined
  const usage = {
    // Counting the request also counts what was read from a cache or written to it.
    input: input ?? Math.max(0, inputOf(body, named).likely - cacheRead - cacheWrite),
    output: output ?? tokensOf(textBytes),
    cacheRead,
    cacheWrite
  }
  // Some upstreams leave a count of zero out.
  const isReported = input !== undefined && (output !== undefined || textBytes === 0)
  return isReported ? { usage } : { usage, isEstimate: true }
}
