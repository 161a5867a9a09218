import { read } from "@tollgate/contract/price/exact"
import { isTokenCount } from "@tollgate/contract/price/evidence"
import {
  type DetailKind,
  detailNames,
  details as allDetails,
  type TokenDetails
} from "@tollgate/contract/price/TokenKind"
import type { ReportedUsage } from "../Protocol.ts"

/** Reads counts at these paths. Missing and null ones are left out. `undefined`: one is impossible, so none is trusted. */
export const readCounts = <const K extends string>(
  report: unknown,
  paths: Readonly<Record<K, ReadonlyArray<string>>>
): Partial<Record<K, number>> | undefined => {
  const counts: Partial<Record<K, number>> = {}
  for (const name in paths) {
    const value = read(report, paths[name])
    if (value === undefined || value === null) continue
    if (!isTokenCount(value)) return undefined
    counts[name] = value
  }
  return counts
}

/** The paths of counts that are impossible: `readCounts` trusts none then. */
export const impossibleCounts = (
  report: unknown,
  paths: Readonly<Record<string, ReadonlyArray<string>>>,
  at: string
): ReadonlyArray<string> =>
  Object.values(paths).flatMap((path) => {
    const value = read(report, path)
    return value === undefined || value === null || isTokenCount(value) ? [] : [[at, ...path].join(".")]
  })

/** A count of something that has a price of its own. One that is impossible is 0; `unknownFields` tells of it. */
export const countAt = (report: unknown, ...path: ReadonlyArray<string>): number => {
  const value = read(report, path)
  return isTokenCount(value) ? value : 0
}

/** The fields of a report that are read, or that repeat others: `true`, or those of an object. */
export interface Known {
  readonly [name: string]: true | Known
}

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

const none = {}

/**
 * The details that were reported, as parts of what they belong to. More than that is an upstream's error: what is beyond is
 * left out, and named in `gaps`.
 */
export const detailsWithin = (
  usage: ReportedUsage,
  reported: Partial<Record<DetailKind, number>>
): { readonly details?: TokenDetails; readonly gaps?: ReadonlyArray<string> } => {
  if (!detailNames.some((detail) => (reported[detail] ?? 0) > 0)) return none
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
export const nameAt = (report: unknown, ...path: ReadonlyArray<string>): string | undefined => {
  const value = read(report, path)
  return typeof value === "string" && value !== "" && value.length <= longestName ? value : undefined
}

/** The name of a tier, unless it is the usual one. */
export const tierNamed = (name: string | undefined): { readonly tier?: string } =>
  name === undefined || name === "default" || name === "auto" || name === "standard" ? {} : { tier: name.toLowerCase() }

/** Tokens that a model thought with, if there were any. */
export const thought = (tokens = 0): Pick<ReportedUsage, "reasoning"> => (tokens === 0 ? {} : { reasoning: tokens })

/** Without what is empty, so that a plain report stays small. */
export const withGaps = (usage: ReportedUsage, gaps: ReadonlyArray<string>): ReportedUsage =>
  gaps.length === 0 ? usage : { ...usage, gaps: [...(usage.gaps ?? []), ...gaps] }
