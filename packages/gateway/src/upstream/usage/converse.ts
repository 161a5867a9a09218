import { read } from "@tollgate/contract/price/exact"
import { counts, known, longWrites } from "@tollgate/protocols/converse/usage"
import type { ReportedUsage } from "../Protocol.ts"
import { detailsWithin, nameAt, readCounts, tierNamed, unknownFields, withGaps } from "./fields.ts"

/** What an answer reports, or the last event of a stream. `undefined`: an impossible count. */
export const usageOf = (report: unknown): ReportedUsage | undefined => {
  const usage = read(report, ["usage"])
  const base = readCounts(usage, counts)
  if (base === undefined) return undefined
  const details = detailsWithin(base, { cacheWriteLong: longWrites(usage) })
  const tier = tierNamed(nameAt(report, "serviceTier", "type"))
  return withGaps({ ...base, ...details, ...tier }, unknownFields(usage, known))
}
