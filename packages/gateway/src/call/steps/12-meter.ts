import { tokensOf } from "@tollgate/contract/price/content"
import { contractOf } from "@tollgate/contract/price/contracts"
import type { Evidence } from "@tollgate/contract/price/evidence"
import { isByModel, type Price } from "@tollgate/contract/price/Price"
import type { StreamEnd } from "../Ending.ts"
import * as Settle from "@tollgate/contract/price/settle"
import { noTokens, type TokenUsage, totalTokens } from "@tollgate/contract/price/TokenKind"
import * as Option from "effect/Option"
import type { Priced } from "../../exchange/Exchange.ts"
import type { Settled, StoredAnswer } from "@tollgate/ledger/ledger/Ledger"
import type { Whole } from "../../upstream/Called.ts"
import { emptyBytes } from "../../internal/emptyBytes.ts"
import { completeUsage } from "../../upstream/protocols/counts.ts"
import type { StreamReport } from "../../upstream/Protocol.ts"

const usageOf = (evidence: Evidence): TokenUsage =>
  evidence.kind === "model"
    ? evidence.usage
    : evidence.kind === "tokens"
      ? { ...noTokens, input: evidence.total }
      : noTokens

/** A reseller reports a failure by a code in the body, an MCP server by a mark. */
export const isFailureCode = (price: Price, evidence: Evidence): boolean =>
  evidence.kind === "failed" || contractOf(price).isFailure?.(price, evidence) === true

/** What is recorded of the evidence, so that other prices can be applied later. */
export const recordedOf = (price: Price, evidence: Evidence): Evidence =>
  contractOf(price).recorded?.(price, evidence) ?? evidence

const settledBy = ({ price, principal }: Priced, evidence: Evidence, answer: StoredAnswer): Settled | undefined =>
  Option.match(Settle.settle(price, evidence, principal?.multiplier), {
    onNone: () => undefined,
    onSome: (settlement) => ({
      settlement,
      costState: "isEstimate" in evidence ? "estimated" : "settled",
      answer,
      evidence: JSON.stringify(recordedOf(price, evidence)),
      usage: usageOf(evidence),
      ...(isFailureCode(price, evidence) ? { failed: true } : {})
    })
  })

/** The cost of a whole answer. `undefined`: the call failed, or the answer does not prove its cost; it costs nothing. */
export const meter = (exchange: Priced, { answer, protocol }: Whole): Settled | undefined => {
  if (answer.status < 200 || answer.status >= 300) return undefined
  const evidence = Option.getOrUndefined(protocol.evidence(exchange, answer))
  return evidence && settledBy(exchange, evidence, answer)
}

const modelEvidence = (exchange: Priced, report: StreamReport, end: StreamEnd): Evidence => {
  const { model = "" } = exchange
  const { state, textBytes, usage, usageFinal } = report
  if (usageFinal || (end === "finished" && state === "complete")) {
    return { kind: "model", model, ...completeUsage(exchange, usage, textBytes) }
  }
  // A report from before the end may count less than was forwarded.
  const output = Math.max(usage?.output ?? 0, tokensOf(textBytes))
  return { kind: "model", model, ...completeUsage(exchange, { ...usage, output }, textBytes), isEstimate: true }
}

const mayHaveRun = ({ operation }: Priced, state: StreamReport["state"]): boolean =>
  state === "failed" && operation.replay === "create"

/**
 * The cost of a streamed answer: by the usage that the upstream reported, or else by the text forwarded. `undefined`: it is not
 * a stream of the protocol, or it failed before any text, and costs nothing. `unknown`: it was cut before anything arrived. A
 * caller who left before that pays for the input, which the upstream has taken.
 */
export const meterStream = (
  exchange: Priced,
  answer: { readonly status: number; readonly contentType: string | undefined },
  report: StreamReport,
  end: StreamEnd
): Settled | "unknown" | undefined => {
  const { started, state, textBytes, usage } = report
  const isDelivered = textBytes > 0 || (started && state === "complete")
  if (!isDelivered && (usage === undefined || state === "failed" || !started)) {
    if (end === "finished" || state !== "open") return mayHaveRun(exchange, state) ? "unknown" : undefined
    if (end === "cut") return "unknown"
  }
  const evidence: Evidence = isByModel(exchange.price) ? modelEvidence(exchange, report, end) : { kind: "request" }
  const stored = { status: answer.status, contentType: answer.contentType, bytes: emptyBytes }
  // Of some prices only the result tells the amount, and nobody has seen it.
  return settledBy(exchange, evidence, stored) ?? (end === "left" ? "unknown" : undefined)
}

/** The tokens of every kind that the upstream reported. `undefined`: it reported none. */
export const usedTokens = ({ price }: Priced, settled: Settled | undefined): number | undefined => {
  if (settled === undefined) return 0
  return settled.costState === "settled" && contractOf(price).billsTokens ? totalTokens(settled.usage) : undefined
}
