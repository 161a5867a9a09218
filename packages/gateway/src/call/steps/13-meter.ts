import { type NanoUsd, usd } from "@tollgate/contract/Money"
import { tokensOf } from "@tollgate/contract/price/content"
import * as Settle from "@tollgate/contract/price/contracts"
import { contractOf } from "@tollgate/contract/price/contracts"
import type { Evidence, ModelEvidence } from "@tollgate/contract/price/evidence"
import { familyOf, findModel } from "@tollgate/contract/price/modelFamily"
import { isByModel, modelsOf, one, type Price } from "@tollgate/contract/price/Price"
import type { StreamEnd } from "../Ending.ts"
import type { AbandonedStreams } from "../AbandonedStreams.ts"
import { noTokens, type TokenUsage, totalTokens, usageOfAll } from "@tollgate/contract/price/TokenKind"
import * as Option from "effect/Option"
import type { Priced } from "../../exchange/Exchange.ts"
import type { Settled, StoredAnswer } from "@tollgate/ledger/ledger/Ledger"
import type { Answer } from "../../exchange/Reply.ts"
import type { CostBook, PriceBook } from "../../exchange/Prices.ts"
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

const isListed = (prices: CostBook, { operation }: Priced, name: string): boolean =>
  prices.lists?.(operation, name) ?? Object.hasOwn(modelsOf(prices.of(operation)), name)

/** The price of a model. Upstreams may report its maker too. */
const listedAs = (
  prices: CostBook,
  { operation, pricedAt = 0 }: Priced,
  name: string
): readonly [string, Price] | undefined => {
  for (const each of [name, familyOf(name)]) {
    const price = prices.of(operation, each)
    if (price !== undefined && findModel(modelsOf(price), each) !== undefined)
      return [each, contractOf(price).at?.(price, pricedAt) ?? price]
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
const dueFor = (
  prices: CostBook,
  exchange: Priced,
  found: ModelEvidence,
  tier: string | undefined,
  sent?: string
): Due => {
  const evidence = tier === undefined ? found : withTier(found, tier)
  const { price, model = "" } = exchange
  const { parts, served } = evidence
  // What is left out of the record.
  const rest: ModelEvidence = { ...evidence, reasoning: undefined, served: undefined }
  const isOwn = (name: string) =>
    name === model ||
    name === sent ||
    ((isSameModel(name, model) || isSameModel(name, sent)) && !isListed(prices, exchange, name))
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
  const isPriced = findModel(models, main) !== undefined
  if (!isPriced) gaps.push(`models.${main}`)
  return {
    price: { ...price, models },
    evidence: {
      ...rest,
      model: isPriced ? main : model,
      ...(gaps.length === 0 ? {} : { gaps }),
      ...(parts === undefined ? {} : { parts: parts.map((part) => ({ ...part, model: pricedAs(part.model) })) })
    }
  }
}

/** A name of a provider's field is short. What a caller or an upstream makes up is cut. */
const shortened = (gaps: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(gaps.map((gap) => gap.slice(0, 120)))].slice(0, 16)

/** What is known of an answer beside itself. */
type Served = Pick<Called, "sentModel" | "servedTier" | "costs" | "ranTwice">

/** A tier in a header counts if the usage report names none. */
const withTier = (evidence: ModelEvidence, tier: string): ModelEvidence =>
  evidence.tier !== undefined ? evidence : { ...evidence, tier }

/** No call costs as much: a larger amount is an error in the prices or in the report. */
const largestCost = usd("1000000")

const reportedCostIn = (price: Price, evidence: Evidence): NanoUsd | undefined =>
  price.contract === "reported_cost" && evidence.kind === "cost" && evidence.reported !== undefined
    ? Option.getOrUndefined(Settle.settle({ ...price, factor: one }, evidence))?.chargedNano
    : undefined

/** The call at the upstream's own price. A price by model is of the name that was sent, or of that name without its date. */
export const atCost = (costs: CostBook, exchange: Priced, sent: string | undefined): Priced | undefined => {
  const [model, listed] =
    (sent === undefined ? undefined : listedAs(costs, exchange, sent)) ??
    ([sent, costs.of(exchange.operation, sent)] as const)
  if (listed === undefined) return undefined
  return { ...exchange, model, price: contractOf(listed).resolve?.(listed, exchange.input.body) ?? listed }
}

const renamed = (evidence: ModelEvidence, name: string | undefined, model = ""): ModelEvidence => ({
  ...evidence,
  model,
  ...(evidence.parts === undefined
    ? {}
    : { parts: evidence.parts.map((part) => (part.model === name ? { ...part, model } : part)) })
})

/**
 * What the upstream charges by its own prices for what `read` finds, whatever the caller pays. `undefined`: it has no prices, or
 * they leave something out that this call used.
 */
const costOf = (
  exchange: Priced,
  { costs, sentModel = exchange.model, servedTier }: Served,
  read: (as: Priced) => Evidence | undefined
): NanoUsd | undefined => {
  const as = costs && atCost(costs, exchange, sentModel)
  const found = as && read(as)
  if (costs === undefined || as === undefined || found === undefined) return undefined
  if (found.kind === "cost") return reportedCostIn(as.price, found)
  const { evidence, price } =
    found.kind === "model"
      ? dueFor(costs, as, renamed(found, exchange.model, as.model), servedTier)
      : { evidence: found, price: as.price }
  // A field that nobody knows is a gap of the charge, and no reason not to know the rest.
  const unheard = found.kind === "model" ? (found.gaps ?? []) : []
  const missing =
    contractOf(price)
      .gaps?.(price, evidence)
      .filter((name) => !unheard.includes(name)) ?? []
  const cost = Option.getOrUndefined(Settle.settle(price, evidence))?.chargedNano
  return missing.length > 0 || cost === undefined || cost > largestCost ? undefined : cost
}

/** `readAs` finds the evidence that another price needs. */
const settledBy = (
  prices: PriceBook,
  exchange: Priced,
  found: Evidence,
  answer: StoredAnswer,
  by: Served,
  readAs: ((as: Priced) => Evidence | undefined) | undefined,
  left?: AbandonedStreams
): Settled | undefined => {
  if (found.kind === "model" && (found.reasoning ?? 0) > 0) left?.thought(exchange)
  const isCounted = found.kind === "model" && found.isEstimate === true
  const used = isCounted ? withinRequest(exchange, found) : found
  const { evidence, price } =
    used.kind === "model"
      ? dueFor(prices, exchange, used, by.servedTier, by.sentModel)
      : { evidence: used, price: exchange.price }
  const settlement = Option.getOrUndefined(Settle.settle(price, evidence, exchange.principal?.multiplier))
  if (settlement === undefined) return undefined
  const contract = contractOf(price)
  const gaps = contract.gaps?.(price, evidence) ?? []
  const cost =
    (price.contract === "reported_cost" && by.ranTwice === undefined ? reportedCostIn(price, evidence) : undefined) ??
    (readAs &&
      costOf(exchange, by, (as) => {
        if (as.price.contract === exchange.price.contract) return used
        const other = readAs(as)
        return other?.kind === "model" && other.isEstimate === true ? withinRequest(as, other) : other
      }))
  const settled: { -readonly [K in keyof Settled]: Settled[K] } = {
    settlement,
    costState: "isEstimate" in evidence ? "estimated" : "settled",
    answer,
    evidence: JSON.stringify(contract.recorded?.(price, evidence) ?? evidence),
    usage: usageOf(evidence)
  }
  if (found.kind === "model" && found.reasoning !== undefined) settled.reasoning = found.reasoning
  if (gaps.length > 0) settled.gaps = shortened(gaps)
  if (cost !== undefined) settled.cost = cost
  if (evidence.kind === "failed" || contract.isFailure?.(price, evidence) === true) settled.failed = true
  return settled
}

/** The cost of a whole answer. `undefined`: the call failed, or the answer does not prove its cost; it costs nothing. */
export const meter = (
  prices: PriceBook,
  exchange: Priced,
  called: Whole,
  left?: AbandonedStreams
): Settled | undefined => {
  const { answer, protocol } = called
  if (answer.status < 200 || answer.status >= 300) return undefined
  const evidence = Option.getOrUndefined(protocol.evidence(exchange, answer))
  const readAs = called.costs && ((as: Priced) => Option.getOrUndefined(protocol.evidence(as, answer)))
  return evidence && settledBy(prices, exchange, evidence, answer, called, readAs, left)
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
  left?: AbandonedStreams
): Settled | "unknown" | undefined => {
  const { started, state, textBytes, usage } = report
  const isDelivered = textBytes > 0 || (started && state === "complete")
  if (!isDelivered && (usage === undefined || state === "failed" || !started)) {
    if (end === "finished" || state !== "open") return mayHaveRun(exchange, state) ? "unknown" : undefined
    if (end === "cut") return "unknown"
  }
  const readAs = (as: Priced): Evidence | undefined =>
    isByModel(as.price) ? streamEvidence(as, report, end) : otherEvidence(as, report, answer.reportedCost, end)
  const evidence = readAs(exchange)
  const stored = { status: answer.status, contentType: answer.contentType, bytes: emptyBytes }
  // Of some prices only the result tells the amount, and nobody has seen it.
  const settled = evidence && settledBy(prices, exchange, evidence, stored, by, by.costs && readAs, left)
  return settled ?? (end === "left" ? "unknown" : undefined)
}

/** The tokens of every kind that the upstream reported. `undefined`: it reported none. */
export const usedTokens = ({ price }: Priced, settled: Settled | undefined): number | undefined => {
  if (settled === undefined) return 0
  return settled.costState === "settled" && contractOf(price).billsTokens ? totalTokens(settled.usage) : undefined
}
