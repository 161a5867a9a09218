import type { NanoUsd } from "@tollgate/contract/Money"
import type { Evidence, TokenUsage } from "@tollgate/contract/price/evidence"
import * as Settle from "@tollgate/contract/price/settle"
import * as Option from "effect/Option"
import type { CallEnd } from "../ledger/Command.ts"
import type { Settled } from "../ledger/Ledger.ts"
import type { Seen } from "./seen.ts"
import type { Begun, Ended } from "./Task.ts"

type End = CallEnd & { readonly task: Ended }
type Terms = Pick<Begun, "price" | "multiplier">

const noTokens: TokenUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

// The create was answered long ago, and that answer was kept then.
const noAnswer = { status: 200, contentType: undefined, bytes: new Uint8Array(0) }

const settled = ({ multiplier, price }: Terms, status: "SUCCEEDED" | "CANCELED", reported?: NanoUsd): Settled => {
  const evidence: Evidence = { kind: "task", status, ...(reported === undefined ? {} : { reported }) }
  return {
    settlement: Option.getOrThrow(Settle.settle({ contract: "per_task", amount: price }, evidence, multiplier)),
    costState: "settled",
    answer: noAnswer,
    evidence: JSON.stringify(evidence, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value)),
    usage: noTokens
  }
}

/** How a call ends with its task. `undefined`: the task has not ended. */
export const endingOf = (
  terms: Terms,
  { status, usage }: Seen,
  task: Ended,
  reportedCost: (usage: unknown) => NanoUsd | undefined
): End | undefined => {
  switch (status) {
    case "SUCCEEDED":
      return { kind: "settle", settled: settled(terms, status), task }
    case "CANCELED":
      return { kind: "settle", settled: settled(terms, status, reportedCost(usage)), task }
    case "FAILED":
      return { kind: "release", status: 200, task }
    default:
      return undefined
  }
}
