import type { Evidence } from "./evidence.ts"
import type { CachedEvidence } from "./contracts.ts"
import { kindNames, kinds, type TokenUsage } from "./TokenKind.ts"

const number = (value: number | string): string => Number(value).toLocaleString("en")

const source = (isEstimate: true | undefined): string =>
  isEstimate === true ? "counted from the text, because the upstream did not report it" : "as the upstream reported"

const usageWords = (usage: TokenUsage): string =>
  kindNames.flatMap((kind) => (usage[kind] > 0 ? [`${number(usage[kind])} ${kinds[kind].words}`] : [])).join(", ") ||
  "no tokens"

const times = (of: { readonly count: number | string; readonly unit: string } | undefined): string =>
  of === undefined ? "" : `, for ${number(of.count)} ${of.unit}${Number(of.count) === 1 ? "" : "s"}`

export const evidenceWords = (evidence: Evidence | CachedEvidence): string => {
  switch (evidence.kind) {
    case "request":
      return `One request that was answered as the operation says${times(evidence.times)}.`
    case "tokens":
      return `${number(evidence.total)} tokens, ${source(evidence.isEstimate)}.`
    case "model":
      return `Model ${evidence.model}: ${usageWords(evidence.usage)}, ${source(evidence.isEstimate)}.`
    case "items":
      return `${number(evidence.count)} items in the answer.`
    case "units":
      return `${number(evidence.count)} units, ${source(evidence.isEstimate)}.`
    case "cost":
      return evidence.reported === undefined
        ? "The upstream did not report its cost, so the most was due."
        : `The upstream reported a cost of $${evidence.reported}.`
    case "code":
      return `The code ${number(evidence.value)} in the answer.`
    case "failed":
      return "The answer reports that the call failed."
    case "task":
      return `The task ended as ${evidence.status}${times(evidence.times)}.`
    case "kept":
      return (
        `The cached answer of the call ${evidence.call}, ${number(evidence.age)} seconds old, ` +
        `for ${Number(evidence.share) / 10_000} % of its price. Nothing was executed.`
      )
  }
}
