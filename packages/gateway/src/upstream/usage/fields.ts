import { isTokenCount } from "@tollgate/contract/price/evidence"
import { read } from "@tollgate/contract/price/exact"
import { detailNames, details as allDetails } from "@tollgate/contract/price/TokenKind"
import type { DetailKind, TokenDetails } from "@tollgate/contract/price/TokenKind"
import { isMissing, valueAt } from "@tollgate/protocols/json"
import { type Counts, type Known, usageOf, type UsageTable } from "@tollgate/protocols/usage"
import type { Mutable } from "effect/Types"
import type { ReportedUsage } from "../Protocol.ts"

/** Some providers report times and amounts beside counts. */
const isNoCount = /(?:time|cost|costs|_ms|latency|duration|byok)$/i

const shown = (name: string): string => (/^[A-Za-z0-9_]{1,60}$/.test(name) ? name : "?")

const mostGaps = 8

const isBad = (value: unknown): boolean =>
  value !== null && value !== undefined && typeof value !== "object" && !isTokenCount(value)

/** No provider nests its report like that, and the stack has an end. */
const deepest = 8

const findUnknown = (report: unknown, known: Known, path: string, found: Array<string>, depth = 0): void => {
  if (depth > deepest || typeof report !== "object" || report === null || Array.isArray(report)) return
  for (const name in report) {
    const value = (report as Readonly<Record<string, unknown>>)[name]
    if (found.length >= mostGaps) return
    const inner = Object.hasOwn(known, name) ? known[name] : undefined
    if (inner === true) {
      if (isBad(value) && typeof value !== "string") found.push(`${path}.${shown(name)}`)
    } else if (typeof value === "object" && value !== null) {
      const at = inner === undefined ? shown(name) : name
      findUnknown(value, inner ?? {}, `${path}.${at}`, found, depth + 1)
    } else if (inner === undefined && typeof value === "number" && value > 0 && !isNoCount.test(name)) {
      found.push(`${path}.${shown(name)}`)
    }
  }
}

/** The names of reported counts that nobody here knows, so that no price can cover them. */
export const unknownFields = (report: unknown, known: Known, path = "usage"): ReadonlyArray<string> => {
  const found: Array<string> = []
  findUnknown(report, known, path, found)
  return found
}

/**
 * The details that were reported, as parts of what they belong to. More than that is an upstream's error: what is beyond is
 * left out, and named in `gaps`.
 */
export const detailsWithin = (
  usage: ReportedUsage,
  reported: Partial<Record<DetailKind, number>>
): { readonly details?: TokenDetails; readonly gaps?: ReadonlyArray<string> } => {
  let details: Partial<Record<DetailKind, number>> | undefined
  let gaps: Array<string> | undefined
  for (const detail of detailNames) {
    const count = reported[detail] ?? 0
    if (count === 0) continue
    const kind = allDetails[detail].of
    const taken = detailNames.reduce(
      (sum, other) => (allDetails[other].of === kind ? sum + (details?.[other] ?? 0) : sum),
      0
    )
    const within = Math.min(count, Math.max(0, (usage[kind] ?? 0) - taken))
    if (within < count) (gaps ??= []).push(`${detail} above ${kind}`)
    if (within > 0) (details ??= {})[detail] = within
  }
  return { ...(details === undefined ? {} : { details }), ...(gaps === undefined ? {} : { gaps }) }
}

const longestName = 100

/** A tier, speed, region or model, as reported. */
export const nameIn = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" && value.length <= longestName ? value : undefined

export const nameAt = (report: unknown, ...path: ReadonlyArray<string>): string | undefined =>
  nameIn(read(report, path))

const usual = new Set(["default", "auto", "standard", "unspecified", "global", "not_available"])

/** How it was served, unless that is the usual way. */
export const unusual = (value: unknown): string | undefined => {
  const name = nameIn(value)?.toLowerCase()
  return name === undefined || usual.has(name) ? undefined : name
}

/** Without what is empty, so that a plain report stays small. */
export const withGaps = (usage: ReportedUsage, gaps: ReadonlyArray<string>): ReportedUsage =>
  gaps.length === 0 ? usage : { ...usage, gaps: [...(usage.gaps ?? []), ...gaps] }

/** The names of main counts that are impossible, so that none is trusted. */
export const impossibleIn = ({ at, counts }: UsageTable, report: unknown): ReadonlyArray<string> =>
  counts.flatMap(({ path }) => {
    const value = read(report, path)
    return isMissing(value) || isTokenCount(value) ? [] : [[at, ...path].join(".")]
  })

/** More than its parts: something was used that is not told apart. */
const isAboveParts = ({ input = 0, output = 0, reasoning = 0, total = 0 }: Counts): boolean =>
  total > input + Math.max(output, reasoning) && total !== input + output + reasoning

const none: UsageTable["parts"] = []

/** Whether nothing is told apart: that stands in objects and lists of a report. */
const isFlat = (report: unknown, isInner = false): boolean => {
  for (const name in report as object) {
    const value = (report as Readonly<Record<string, unknown>>)[name]
    if (typeof value === "object" && value !== null) {
      if (isInner || Array.isArray(value) || !isFlat(value, true)) return false
    } else if (isInner && value !== 0) return false
  }
  return true
}

/** What a report says. `undefined`: nothing, or a count is impossible. */
export const reportedIn = (table: UsageTable, report: unknown): ReportedUsage | undefined => {
  const { at, isCacheInInput, isInParts, known, parts, service, unknown } = table
  const counts: Mutable<Counts> = {}
  for (const { name, path } of table.counts) {
    const value = valueAt(report, path)
    if (value === undefined || value === null) continue
    if (!isTokenCount(value)) return undefined
    counts[name] = value
  }
  const usage: Mutable<ReportedUsage> = usageOf(table, counts)
  const { input, output } = usage
  if (isInParts === undefined && input === undefined && output === undefined) return undefined
  if (!isTokenCount(input ?? 0) || !isTokenCount(output ?? 0)) return undefined
  if (isCacheInInput === true) {
    usage.cacheRead ??= 0
    usage.cacheWrite ??= 0
  }
  if (counts.reasoning !== undefined && counts.reasoning > 0) usage.reasoning = counts.reasoning
  let found: Partial<Record<DetailKind, number>> | undefined
  for (const { find, name } of isFlat(report) ? none : parts) {
    const count = find(report)
    if (count > 0) (found ??= {})[name] = count
  }
  let gaps: Array<string> | undefined
  if (isAboveParts(counts)) gaps = [`${at}.total_tokens above its parts`]
  for (const name of unknown?.(report) ?? []) (gaps ??= []).push(`${at}.${shown(name)}`)
  const fields = unknownFields(report, known, at)
  if (fields.length > 0) gaps = [...(gaps ?? []), ...fields]
  for (const { find, name } of service) {
    const value = unusual(find(report))
    if (value !== undefined) usage[name] = value
  }
  if (found !== undefined) Object.assign(usage, detailsWithin(usage, found))
  return gaps === undefined ? usage : withGaps(usage, gaps)
}
