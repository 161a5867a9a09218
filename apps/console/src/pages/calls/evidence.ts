import { count } from "../../ui/amounts.ts"

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const number = (value: unknown): string => (typeof value === "number" ? count(value) : "?")

const source = ({ isEstimate }: Fields): string =>
  isEstimate === true ? "counted from the text, because the upstream did not report it" : "as the upstream reported"

const usageWords = (usage: unknown): string =>
  isFields(usage)
    ? `${number(usage["input"])} tokens in and ${number(usage["output"])} out, ` +
      `${number(usage["cacheRead"])} read from a cache and ${number(usage["cacheWrite"])} written to one`
    : "no tokens"

const words: Readonly<Record<string, (fields: Fields) => string>> = {
  request: () => "One request that was answered as the operation says.",
  tokens: (fields) => `${number(fields["total"])} tokens, ${source(fields)}.`,
  model: (fields) => `Model ${String(fields["model"])}: ${usageWords(fields["usage"])}, ${source(fields)}.`,
  items: (fields) => `${number(fields["count"])} items in the answer.`,
  code: (fields) => `The code ${number(fields["value"])} in the answer.`,
  task: (fields) => `The task ended as ${String(fields["status"])}.`,
  kept: (fields) =>
    `The kept answer of the call ${String(fields["call"])}, ${number(fields["age"])} seconds old, ` +
    `for ${Number(fields["share"]) / 10_000} % of its price. Nothing was executed.`
}

const parsed = (evidence: unknown): unknown => {
  if (typeof evidence !== "string") return evidence
  try {
    return JSON.parse(evidence)
  } catch {
    return evidence
  }
}

/** What a charge is based on, in a sentence. `undefined`: it has another form. */
export const evidenceWords = (evidence: unknown): string | undefined => {
  const fields = parsed(evidence)
  return isFields(fields) ? words[String(fields["kind"])]?.(fields) : undefined
}

/** The same as it is recorded. */
export const evidenceJson = (evidence: unknown): string => JSON.stringify(parsed(evidence), null, 2)
