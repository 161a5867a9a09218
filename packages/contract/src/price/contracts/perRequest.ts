import * as Schema from "effect/Schema"
import type { Amount } from "../Amount.ts"
import { whole } from "../exact.ts"
import type { PriceContract } from "../PriceContract.ts"
import { terms, Usd, UsdOrNumber } from "../priceSchemas.ts"
import {
  amountWords,
  type Fixed,
  fixedContract,
  FixedFields,
  forRecorded,
  reportedOfVariants,
  resolve,
  TaskFields
} from "./fixed.ts"
import type { PerTask } from "./perTask.ts"

/** Bills each call that is answered. */
export type PerRequest = { readonly contract: "per_request" } & Fixed

export const perRequestOf = (amount: Amount): PerRequest => ({ contract: "per_request", amount })

/** Any billed operation can be priced per call, if the file names the contract. */
export const PerRequestSection = terms(
  Schema.Struct({ contract: Schema.Literal("per_request"), amount: Usd }),
  ({ amount }) => perRequestOf(amount)
)

const OwnRequest = Schema.Struct({
  contract: Schema.optionalKey(Schema.Literals(["per_request", "per_task"])),
  amount: UsdOrNumber,
  ...FixedFields
})

const CustomTask = Schema.Struct({
  contract: Schema.optionalKey(Schema.Literals(["per_request", "per_task"])),
  amount: UsdOrNumber,
  ...TaskFields
}).check(
  reportedOfVariants,
  Schema.makeFilter(
    ({ contract, reported, times }) =>
      contract !== "per_request" || (reported === undefined && times?.reported === undefined),
    { expected: "the contract per_task, where a price depends on what a task reports" }
  )
)

export const perRequest: PriceContract<PerRequest, PerRequest | PerTask> = {
  ...fixedContract<PerRequest>("call"),
  resolve,
  isProvenByAnswer: () => true,
  evidence: () => ({ kind: "request" }),
  answerFields: () => [],
  settle: ({ amount }) => (amount === "pending" ? undefined : whole(amount, 1)),
  recorded: ({ resolved }, evidence) =>
    evidence.kind === "request" && resolved?.unit !== undefined
      ? { ...evidence, times: { count: resolved.count, unit: resolved.unit } }
      : evidence,
  // The price of a task is fixed at its start, so it does not matter which contract sets the amount.
  forRecorded: (price, evidence) =>
    evidence.kind === "task"
      ? forRecorded({ ...price, contract: "per_task" as const }, evidence)
      : forRecorded(price, evidence),
  basis: (price, times) => `${amountWords(price, "call")}${times}`,
  own: {
    key: "amount",
    example: '{ "amount": … }',
    schema: (protocol) =>
      protocol === "task"
        ? terms(CustomTask, ({ contract = "per_task", ...fields }): PerRequest | PerTask => ({ ...fields, contract }))
        : terms(OwnRequest, ({ contract = "per_request", ...fields }) => ({ ...fields, contract }))
  }
}
