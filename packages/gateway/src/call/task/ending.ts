import { perTaskOf } from "@tollgate/contract/price/contracts/perTask"
import type { Evidence } from "@tollgate/contract/price/evidence"
import * as Settle from "@tollgate/contract/price/settle"
import { noTokens } from "@tollgate/contract/price/TokenKind"
import * as Option from "effect/Option"
import type { CallEnd } from "../../books/ledger/Command.ts"
import type { Settled } from "../../books/ledger/Ledger.ts"
import type { TaskReport } from "../../upstream/Protocol.ts"
import type { FinishedTask, StartedTask } from "../../books/ledger/Task.ts"

type Terms = Pick<StartedTask, "price" | "multiplier">

// The answer to the create was stored when the task started.
const noAnswer = { status: 200, contentType: undefined, bytes: new Uint8Array(0) }

const settled = ({ multiplier, price }: Terms, evidence: Evidence): Settled => ({
  settlement: Option.getOrThrow(Settle.settle(perTaskOf(price), evidence, multiplier)),
  costState: "settled",
  answer: noAnswer,
  evidence: JSON.stringify(evidence, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value)),
  usage: noTokens
})

/** How the call ends with its task. `undefined`: the task has not ended. */
export const endingOf = (
  terms: Terms,
  { cost, status }: TaskReport,
  task: FinishedTask
): (CallEnd & { readonly task: FinishedTask }) | undefined => {
  switch (status) {
    case "SUCCEEDED":
      return { kind: "settle", settled: settled(terms, { kind: "task", status }), task }
    case "CANCELED":
      return {
        kind: "settle",
        settled: settled(terms, { kind: "task", status, ...(cost === undefined ? {} : { reported: cost }) }),
        task
      }
    case "FAILED":
      return { kind: "release", status: 200, task }
    default:
      return undefined
  }
}
