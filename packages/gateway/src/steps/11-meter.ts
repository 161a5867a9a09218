import type { TokenUsage } from "@tollgate/contract/price/evidence"
import { toMicros } from "@tollgate/contract/Money"
import type { Price } from "@tollgate/contract/price/Price"
import * as Settle from "@tollgate/contract/price/settle"
import * as Option from "effect/Option"
import type { Priced } from "../Exchange.ts"
import type { Settled } from "../ledger/Ledger.ts"
import type { Called } from "../upstream/Upstreams.ts"

const isByTokens = ({ contract }: Price): boolean => contract === "per_token" || contract === "model_tokens"

const noTokens: TokenUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

/** What the answer cost. `undefined`: it failed, and costs nothing. */
export const meter = (exchange: Priced, { answer, protocol }: Called): Settled | undefined => {
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
      usage:
        proof.kind === "model" ? proof.usage : proof.kind === "tokens" ? { ...noTokens, input: proof.total } : noTokens
    }
  }
  // It ran and does not say what it cost: the estimate stands in, and is marked as one.
  const amount = toMicros(exchange.estimate.likely)
  return {
    settlement: { value: amount, charged: amount, chargedNano: exchange.estimate.likely },
    costState: "estimated",
    answer,
    evidence: "{}",
    usage: noTokens
  }
}

/** What the answer says of the tokens it took, of every kind together. `undefined`: nothing. */
export const usedTokens = ({ price }: Priced, settled: Settled | undefined): number | undefined => {
  if (settled === undefined) return 0
  if (settled.costState !== "settled" || !isByTokens(price)) return undefined
  const { cacheRead, cacheWrite, input, output } = settled.usage
  return input + output + cacheRead + cacheWrite
}
