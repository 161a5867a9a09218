import { inputTokens, tokensOf } from "@tollgate/contract/price/estimate"
import type { Evidence, TokenUsage } from "@tollgate/contract/price/evidence"
import { toMicros } from "@tollgate/contract/Money"
import type { Price } from "@tollgate/contract/price/Price"
import * as Settle from "@tollgate/contract/price/settle"
import * as Option from "effect/Option"
import type { Priced } from "../Exchange.ts"
import type { Settled, StoredAnswer } from "../ledger/Ledger.ts"
import type { Whole } from "../upstream/Called.ts"
import type { Seen } from "../upstream/Protocol.ts"

const isByModel = ({ contract }: Price): boolean => contract === "model_tokens"
const isByTokens = (price: Price): boolean => price.contract === "per_token" || isByModel(price)

const noTokens: TokenUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

const usageOf = (proof: Evidence): TokenUsage =>
  proof.kind === "model" ? proof.usage : proof.kind === "tokens" ? { ...noTokens, input: proof.total } : noTokens

/** What the answer cost. `undefined`: it failed, and costs nothing. */
export const meter = (exchange: Priced, { answer, protocol }: Whole): Settled | undefined => {
  if (answer.status < 200 || answer.status >= 300) return undefined
  const evidence = protocol.evidence(exchange, answer)
  const settlement = Option.flatMap(evidence, (proof) =>
    Settle.settle(exchange.price, proof, exchange.principal?.multiplier)
  )
  if (Option.isSome(evidence) && Option.isSome(settlement)) {
    const proof = evidence.value
    return {
      settlement: settlement.value,
      costState: "settled",
      answer,
      evidence: JSON.stringify(proof),
      usage: usageOf(proof)
    }
  }
  return asEstimated(exchange, answer)
}

/** It ran and does not say what it cost: the estimate stands in, and is marked as one. */
const asEstimated = ({ estimate }: Priced, answer: StoredAnswer): Settled => {
  const amount = toMicros(estimate.likely)
  return {
    settlement: { value: amount, charged: amount, chargedNano: estimate.likely },
    costState: "estimated",
    answer,
    evidence: "{}",
    usage: noTokens
  }
}

/** How a streamed answer came to its end: `cut` where the upstream broke off or the caller left. */
export type StreamEnd = "finished" | "cut"

const nothing = new Uint8Array(0)

/**
 * What a streamed answer cost. By what the upstream reported; where it did not get that far, by what was handed on: the text's
 * bytes, four to a token, marked as an estimate. `undefined`: an error came in place of an answer, which costs nothing.
 * `unknown`: it ended before anything came.
 */
export const meterStream = (
  exchange: Priced,
  answer: { readonly status: number; readonly contentType: string | undefined },
  { end, textBytes, usage }: Seen,
  how: StreamEnd
): Settled | "unknown" | undefined => {
  const { input, model = "", price, principal } = exchange
  if (isByModel(price) && usage === undefined && textBytes === 0 && end !== "complete") {
    return end === "failed" ? undefined : "unknown"
  }
  const tokens = usage ?? { ...noTokens, input: inputTokens(input.body) }
  // A report made before the end says less than was handed on.
  const reported = how === "finished" && end === "complete" && usage !== undefined
  const output = reported ? tokens.output : Math.max(tokens.output, tokensOf(textBytes))
  const proof: Evidence = isByModel(price)
    ? { kind: "model", model, usage: { ...tokens, output } }
    : { kind: "request" }
  const stored = { status: answer.status, contentType: answer.contentType, bytes: nothing }
  return Option.match(Settle.settle(price, proof, principal?.multiplier), {
    onNone: () => asEstimated(exchange, stored),
    onSome: (settlement) => ({
      settlement,
      costState: reported || !isByModel(price) ? "settled" : "estimated",
      answer: stored,
      evidence: JSON.stringify(proof),
      usage: usageOf(proof)
    })
  })
}

/** What the answer says of the tokens it took, of every kind together. `undefined`: nothing. */
export const usedTokens = ({ price }: Priced, settled: Settled | undefined): number | undefined => {
  if (settled === undefined) return 0
  if (settled.costState !== "settled" || !isByTokens(price)) return undefined
  const { cacheRead, cacheWrite, input, output } = settled.usage
  return input + output + cacheRead + cacheWrite
}
