import { inputTokens, tokensOf } from "@tollgate/contract/price/estimate"
import type { Evidence, TokenUsage } from "@tollgate/contract/price/evidence"
import { toMicros } from "@tollgate/contract/Money"
import type { Price } from "@tollgate/contract/price/Price"
import * as Settle from "@tollgate/contract/price/settle"
import * as Option from "effect/Option"
import type { Priced } from "../Exchange.ts"
import type { Settled, StoredAnswer } from "../ledger/Ledger.ts"
import type { Whole } from "../upstream/Called.ts"
import { emptyBytes } from "../internal/emptyBytes.ts"
import type { StreamReport } from "../upstream/Protocol.ts"

const isByModel = ({ contract }: Price): boolean => contract === "model_tokens"
const isByTokens = (price: Price): boolean => price.contract === "per_token" || isByModel(price)

const noTokens: TokenUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

const usageOf = (evidence: Evidence): TokenUsage =>
  evidence.kind === "model"
    ? evidence.usage
    : evidence.kind === "tokens"
      ? { ...noTokens, input: evidence.total }
      : noTokens

/** A reseller reports a failure by a code in the body. */
const isFailureCode = (price: Price, evidence: Evidence): boolean =>
  price.contract === "body_code" && evidence.kind === "code" && evidence.value !== price.equals

/** The cost of a whole answer. `undefined`: the call failed and costs nothing. */
export const meter = (exchange: Priced, { answer, protocol }: Whole): Settled | undefined => {
  if (answer.status < 200 || answer.status >= 300) return undefined
  const found = protocol.evidence(exchange, answer)
  const settlement = Option.flatMap(found, (evidence) =>
    Settle.settle(exchange.price, evidence, exchange.principal?.multiplier)
  )
  if (Option.isSome(found) && Option.isSome(settlement)) {
    const evidence = found.value
    return {
      settlement: settlement.value,
      costState: "settled",
      answer,
      evidence: JSON.stringify(evidence),
      usage: usageOf(evidence),
      ...(isFailureCode(exchange.price, evidence) ? { failed: true } : {})
    }
  }
  return estimated(exchange, answer)
}

/** The call ran and the answer does not prove its cost: the estimate is charged, and marked as one. */
const estimated = ({ estimate }: Priced, answer: StoredAnswer): Settled => {
  const amount = toMicros(estimate.likely)
  return {
    settlement: { value: amount, charged: amount, chargedNano: estimate.likely },
    costState: "estimated",
    answer,
    evidence: "{}",
    usage: noTokens
  }
}

/** How a streamed answer ended. `cut`: the upstream broke off or the caller left. */
export type StreamEnd = "finished" | "cut"

/**
 * The cost of a streamed answer: by the usage that the upstream reported, or else an estimate from the bytes of text forwarded.
 * `undefined`: it failed before any text and costs nothing. `unknown`: it was cut before anything arrived.
 */
export const meterStream = (
  exchange: Priced,
  answer: { readonly status: number; readonly contentType: string | undefined },
  { state, textBytes, usage }: StreamReport,
  end: StreamEnd
): Settled | "unknown" | undefined => {
  const { input, model = "", price, principal } = exchange
  if (isByModel(price) && usage === undefined && textBytes === 0 && state !== "complete") {
    return state === "failed" ? undefined : "unknown"
  }
  const tokens = usage ?? { ...noTokens, input: inputTokens(input.body) }
  // A report from before the end may count less than was forwarded.
  const reported = end === "finished" && state === "complete" && usage !== undefined
  const output = reported ? tokens.output : Math.max(tokens.output, tokensOf(textBytes))
  const evidence: Evidence = isByModel(price)
    ? { kind: "model", model, usage: { ...tokens, output } }
    : { kind: "request" }
  const stored = { status: answer.status, contentType: answer.contentType, bytes: emptyBytes }
  return Option.match(Settle.settle(price, evidence, principal?.multiplier), {
    onNone: () => estimated(exchange, stored),
    onSome: (settlement) => ({
      settlement,
      costState: reported || !isByModel(price) ? "settled" : "estimated",
      answer: stored,
      evidence: JSON.stringify(evidence),
      usage: usageOf(evidence)
    })
  })
}

/** The tokens of every kind that the upstream reported. `undefined`: it reported none. */
export const usedTokens = ({ price }: Priced, settled: Settled | undefined): number | undefined => {
  if (settled === undefined) return 0
  if (settled.costState !== "settled" || !isByTokens(price)) return undefined
  const { cacheRead, cacheWrite, input, output } = settled.usage
  return input + output + cacheRead + cacheWrite
}
