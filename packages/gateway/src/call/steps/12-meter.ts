import { tokensOf } from "@tollgate/contract/price/content"
import { contractOf } from "@tollgate/contract/price/contracts"
import type { Evidence, ModelEvidence } from "@tollgate/contract/price/evidence"
import { familyOf } from "@tollgate/contract/price/modelFamily"
import { isByModel, modelsOf, type Price } from "@tollgate/contract/price/Price"
import type { StreamEnd } from "../Ending.ts"
import type { LeftStreams } from "../LeftStreams.ts"
import * as Settle from "@tollgate/contract/price/settle"
import { noTokens, type TokenUsage, totalTokens } from "@tollgate/contract/price/TokenKind"
import { usageOfAll } from "@tollgate/contract/price/Used"
import * as Option from "effect/Option"
import type { Priced } from "../../exchange/Exchange.ts"
import type { Settled, StoredAnswer } from "@tollgate/ledger/ledger/Ledger"
import type { Answer } from "../../exchange/Reply.ts"
import type { PriceBook } from "../../exchange/Prices.ts"
import type { Called, Whole } from "../../upstream/Called.ts"
import { emptyBytes } from "../../internal/emptyBytes.ts"
import { modelEvidence, withinRequest } from "../../upstream/protocols/counts.ts"
import type { StreamReport } from "../../upstream/Protocol.ts"

const usageOf = (evidence: Evidence): TokenUsage =>
  evidence.kind === "model"
    ? usageOfAll(evidence.usage, evidence.parts)
    : evidence.kind === "tokens"
      ? { ...noTokens, input: evidence.total }
      : noTokens

/** A reseller reports a failure by a code in the body, an MCP server by a mark. */
export const isFailureCode = (price: Price, evidence: Evidence): boolean =>
  evidence.kind === "failed" || contractOf(price).isFailure?.(price, evidence) === true

/** What is recorded of the evidence, so that other prices can be applied later. */
export const recordedOf = (price: Price, evidence: Evidence): Evidence =>
  contractOf(price).recorded?.(price, evidence) ?? evidence

/** The price of a model that is listed by this name, or by the name without its date. */
const listedAs = (
  prices: PriceBook,
  { operation, pricedAt = 0 }: Priced,
  name: string
): readonly [string, Price] | undefined => {
  for (const each of new Set([name, familyOf(name)])) {
    const price = prices.of(operation, each)
    if (Object.hasOwn(modelsOf(price), each)) return [each, contractOf(price).at?.(price, pricedAt) ?? price]
  }
  return undefined
}

/** The evidence, with the price that is due by it. */
interface Due {
  readonly evidence: Evidence
  readonly price: Price
}

const isSameModel = (a: string, b: string | undefined): boolean =>
  b !== undefined && (a === b || familyOf(a) === familyOf(b))

/**
 * The model that answered is due, if the list has it, and so is that of every part. A model that the operator sells under
 * another name has that name's price.
 */
const dueFor = (prices: PriceBook, exchange: Priced, evidence: ModelEvidence, sent?: string): Due => {
  const { price, model = "" } = exchange
  const { reasoning: _, served, ...rest } = evidence
  const parts = rest.parts
  const isOwn = (name: string) => isSameModel(name, model) || isSameModel(name, sent)
  const isOther = served !== undefined && !isOwn(served) && (sent === undefined || sent === model)
  if (!isByModel(price) || (!isOther && parts === undefined)) return { evidence: rest, price }
  const models = { ...price.models }
  const gaps = [...(rest.gaps ?? [])]
  const pricedAs = (name: string): string => {
    if (isOwn(name)) return model
    const listed = listedAs(prices, exchange, name)
    if (listed === undefined) return name
    Object.assign(models, modelsOf(listed[1]))
    return listed[0]
  }
  const main = isOther ? pricedAs(served) : model
  if (!Object.hasOwn(models, main)) gaps.push(`models.${main}`)
  return {
    price: { ...price, models },
    evidence: {
      ...rest,
      model: Object.hasOwn(models, main) ? main : model,
      ...(gaps.length === 0 ? {} : { gaps }),
      ...(parts === undefined ? {} : { parts: parts.map((part) => ({ ...part, model: pricedAs(part.model) })) })
    }
  }
}

/** A name of a provider's field is short. What a caller or an upstream makes up is cut. */
const shortened = (gaps: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(gaps.map((gap) => gap.slice(0, 120)))].slice(0, 16)

/** What is known of an answer beside itself. */
type Served = Pick<Called, "sentModel" | "servedTier">

/** A tier in a header counts if the usage report names none. */
const withTier = (evidence: ModelEvidence, { servedTier }: Served): ModelEvidence =>
  servedTier === undefined || evidence.tier !== undefined ? evidence : { ...evidence, tier: servedTier }

const settledBy = (
  prices: PriceBook,
  exchange: Priced,
  found: Evidence,
  answer: StoredAnswer,
  by: Served,
  left?: LeftStreams
): Settled | undefined => {
  if (found.kind === "model") left?.reported(exchange, found.reasoning)
  const { evidence, price } =
    found.kind === "model"
      ? dueFor(
          prices,
          exchange,
          withTier(found.isEstimate === true ? withinRequest(exchange, found) : found, by),
          by.sentModel
        )
      : { evidence: found, price: exchange.price }
  const settlement = Option.getOrUndefined(Settle.settle(price, evidence, exchange.principal?.multiplier))
  if (settlement === undefined) return undefined
  const gaps = contractOf(price).gaps?.(price, evidence) ?? []
  return {
    settlement,
    costState: "isEstimate" in evidence ? "estimated" : "settled",
    answer,
    evidence: JSON.stringify(recordedOf(price, evidence)),
    usage: usageOf(evidence),
    ...(gaps.length === 0 ? {} : { gaps: shortened(gaps) }),
    ...(isFailureCode(price, evidence) ? { failed: true } : {})
  }
}

/** The cost of a whole answer. `undefined`: the call failed, or the answer does not prove its cost; it costs nothing. */
export const meter = (prices: PriceBook, exchange: Priced, called: Whole, left?: LeftStreams): Settled | undefined => {
  const { answer, protocol } = called
  if (answer.status < 200 || answer.status >= 300) return undefined
  const evidence = Option.getOrUndefined(protocol.evidence(exchange, answer))
  return evidence && settledBy(prices, exchange, evidence, answer, called, left)
}

const streamEvidence = (exchange: Priced, report: StreamReport, end: StreamEnd): Evidence => {
  const { served, state, textBytes, usageFinal } = report
  const usage = served === undefined ? report.usage : { ...served, ...report.usage }
  if (usageFinal || (end === "finished" && state === "complete")) return modelEvidence(exchange, usage, textBytes)
  // A report from before the end may count less than was forwarded.
  const output = Math.max(usage?.output ?? 0, tokensOf(textBytes))
  return { ...modelEvidence(exchange, { ...usage, output }, textBytes), isEstimate: true }
}

/** Of a price that is not by model. A cost that was reported before the end may be less than the whole. */
const otherEvidence = (
  { price }: Priced,
  { reportedCost, textBytes }: StreamReport,
  inHeader: string | undefined,
  end: StreamEnd
): Evidence | undefined => {
  const { evidence, reportedAt, unreported } = contractOf(price)
  if (reportedAt === undefined) return { kind: "request" }
  const found = evidence(price, undefined, reportedCost ?? inHeader)
  if (found?.kind === "cost")
    return end === "finished" || inHeader !== undefined ? found : { ...found, isEstimate: true }
  // Otherwise leaving before the last event would make every stream free.
  return end === "left" && textBytes > 0 ? unreported : undefined
}

const mayHaveRun = ({ operation }: Priced, state: StreamReport["state"]): boolean =>
  state === "failed" && operation.replay === "create"

/**
 * The cost of a streamed answer: by the usage that the upstream reported, or else by the text forwarded. `undefined`: it is not
 * a stream of the protocol, or it failed before any text, and costs nothing. `unknown`: it was cut before anything arrived. A
 * caller who left before that pays for the input, which the upstream has taken.
 */
export const meterStream = (
  prices: PriceBook,
  exchange: Priced,
  by: Served,
  answer: Omit<Answer, "bytes" | "headers">,
  report: StreamReport,
  end: StreamEnd,
  left?: LeftStreams
): Settled | "unknown" | undefined => {
  const { started, state, textBytes, usage } = report
  const isDelivered = textBytes > 0 || (started && state === "complete")
  if (!isDelivered && (usage === undefined || state === "failed" || !started)) {
    if (end === "finished" || state !== "open") return mayHaveRun(exchange, state) ? "unknown" : undefined
    if (end === "cut") return "unknown"
  }
  const evidence = isByModel(exchange.price)
    ? streamEvidence(exchange, report, end)
    : otherEvidence(exchange, report, answer.reportedCost, end)
  const stored = { status: answer.status, contentType: answer.contentType, bytes: emptyBytes }
  // Of some prices only the result tells the amount, and nobody has seen it.
  const settled = evidence && settledBy(prices, exchange, evidence, stored, by, left)
  return settled ?? (end === "left" ? "unknown" : undefined)
}

/** The tokens of every kind that the upstream reported. `undefined`: it reported none. */
export const usedTokens = ({ price }: Priced, settled: Settled | undefined): number | undefined => {
  if (settled === undefined) return 0
  return settled.costState === "settled" && contractOf(price).billsTokens ? totalTokens(settled.usage) : undefined
}
