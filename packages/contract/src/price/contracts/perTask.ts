import { zero } from "../../Money.ts"
import type { Amount } from "../Amount.ts"
import { whole } from "../exact.ts"
import type { PriceContract } from "../PriceContract.ts"
import { amountWords, type Fixed, fixedContract, forRecorded, resolve } from "./fixed.ts"

/** Bills only a task that succeeds. */
export type PerTask = { readonly contract: "per_task" } & Fixed

export const perTaskOf = (amount: Amount): PerTask => ({ contract: "per_task", amount })

export const perTask: PriceContract<PerTask> = {
  ...fixedContract<PerTask>("task that succeeds"),
  startsTask: true,
  resolve,
  evidence: () => undefined,
  settle: ({ amount }, evidence) => {
    if (amount === "pending" || evidence.kind !== "task") return undefined
    if (evidence.status === "SUCCEEDED") return whole(amount, 1)
    return evidence.status === "CANCELED" ? whole(evidence.reported ?? zero, 1) : 0n
  },
  forRecorded,
  basis: (price, times) =>
    price.resolved?.unit === undefined && price.times === undefined
      ? `${amountWords(price, "task that succeeds")}${times}`
      : `${amountWords(price, "task")}, if the task succeeds${times}`,
  problem: (protocol) => (protocol === "task" ? undefined : "only an upstream of the protocol task starts tasks")
}
