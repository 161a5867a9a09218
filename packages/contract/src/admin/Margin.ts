import * as Schema from "effect/Schema"
import { Amount, Text } from "../account/Amount.ts"
import { CallStory, Name } from "../account/LoggedCall.ts"
import * as Api from "../Api.ts"
import { IntFromQuery } from "../QueryStyle.ts"

export const MarginQuery = Schema.Struct({
  start_time: IntFromQuery.annotate({ description: "Unix seconds. The window is widened to whole UTC days." }),
  end_time: Schema.optionalKey(IntFromQuery.annotate({ description: "Unix seconds. Default: now." })),
  account: Schema.optionalKey(Name.annotate({ description: "Only calls of this account." }))
})
export interface MarginQuery extends Schema.Schema.Type<typeof MarginQuery> {}

const NanoUsd = Schema.String.check(Schema.isPattern(/^-?\d+$/u))

const totals = {
  charged_micros_usd: Amount.annotate({ description: "What all calls were charged." }),
  without_cost_micros_usd: Amount.annotate({ description: "Charges of calls whose cost is not known." }),
  costed_requests: Schema.Int.annotate({ description: "Calls whose cost is known." }),
  costed_micros_usd: Amount.annotate({ description: "Charges of calls whose cost is known." }),
  cost_micros_usd: Amount.annotate({ description: "What upstreams charge for these calls, rounded." }),
  cost_nano_usd: NanoUsd.annotate({ description: "The same in nano-USD, exactly." }),
  margin_micros_usd: Amount.annotate({
    description: "What these calls were charged, less their cost. Below zero: they cost more."
  })
}

export const MarginTotals = Schema.Struct(totals).annotate({ identifier: "MarginTotals" })
export interface MarginTotals extends Schema.Schema.Type<typeof MarginTotals> {}

/** The margin of one account, operation, model or upstream. */
export const MarginGroup = Schema.Struct({
  id: Text("Empty: calls without one. `other`: all groups that are left out."),
  label: Schema.String,
  totals: MarginTotals
}).annotate({ identifier: "MarginGroup" })
export interface MarginGroup extends Schema.Schema.Type<typeof MarginGroup> {}

const Groups = Schema.Array(MarginGroup).annotate({ description: "The groups with the highest charge come first." })

/** What calls were charged, what upstreams charge for them, and the difference. */
export const Margin = Schema.Struct({
  currency: Schema.Literal("USD"),
  start_time: Schema.Int,
  end_time: Schema.Int,
  totals: MarginTotals,
  days: Schema.Array(Schema.Struct({ start_time: Schema.Int, end_time: Schema.Int, ...totals })).annotate({
    description: "Every UTC day of the window, in order."
  }),
  by_account: Groups,
  by_operation: Groups,
  by_model: Groups,
  by_upstream: Groups.annotate({ description: "Only calls whose cost is known. Empty id: no upstream was called." })
}).annotate({ identifier: "Margin" })
export interface Margin extends Schema.Schema.Type<typeof Margin> {}

/** Everything the ledger knows about one call, with what only operators see. */
export const OperatorCallStory = Schema.Struct({
  ...CallStory.fields,
  account: Schema.String,
  cost_nano_usd: Schema.NullOr(NanoUsd).annotate({ description: "What the upstream charges. `null`: not known." }),
  margin_nano_usd: Schema.NullOr(NanoUsd).annotate({ description: "The charge less the cost." })
}).annotate({ identifier: "OperatorCallStory" })
export interface OperatorCallStory extends Schema.Schema.Type<typeof OperatorCallStory> {}

export const margin = {
  margin: Api.get("/usage/margin", {
    summary: "What calls were charged and cost, by day, account, operation, model and upstream",
    query: MarginQuery,
    success: Margin,
    example: { query: { start_time: "1767225600", end_time: "1767312000" } }
  })
} as const
