import * as Schema from "effect/Schema"
import { Amount, Text, TextOrNull, Time } from "../account/Amount.ts"
import { Name } from "../account/LoggedCall.ts"
import * as Api from "../Api.ts"
import { UpstreamHealth } from "./Upstream.ts"

/** What calls brought and cost. */
export const DayFigures = Schema.Struct({
  requests: Schema.Int,
  failed_requests: Schema.Int,
  charged_micros_usd: Amount,
  costed_micros_usd: Amount.annotate({ description: "Charges of calls whose cost is known." }),
  cost_micros_usd: Amount.annotate({ description: "What upstreams charge for these calls, rounded." }),
  margin_micros_usd: Amount.annotate({ description: "What these calls were charged, less their cost." })
}).annotate({ identifier: "DayFigures" })
export interface DayFigures extends Schema.Schema.Type<typeof DayFigures> {}

const Latency = {
  calls: Schema.Int,
  failed: Schema.Int,
  p50_ms: Schema.Int,
  p95_ms: Schema.Int
}

export const Overview = Schema.Struct({
  at: Time,
  today: DayFigures.annotate({ description: "Since midnight, UTC." }),
  usual: DayFigures.annotate({
    description:
      "The mean of the last 7 days up to the same minute, of those days that had calls. Costs are recorded by day: they are counted in " +
      "the proportion of what was charged up to that minute."
  }),
  usual_days: Schema.Int.annotate({ description: "How many of the last 7 days had calls." }),
  accounts: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      label: Schema.String,
      requests: Schema.Int,
      failed_requests: Schema.Int,
      charged_micros_usd: Amount,
      usual_charged_micros_usd: Amount
    })
  ).annotate({ description: "The 10 accounts with the highest charges of today." }),
  latency: Schema.NullOr(
    Schema.Struct({
      ...Latency,
      since: Time.annotate({ description: "The end of the earliest of these calls." }),
      operations: Schema.Array(Schema.Struct({ operation: Schema.String, ...Latency })).annotate({
        description: "The 10 slowest by `p95_ms`."
      })
    })
  ).annotate({
    description: "From arrival to end, of the latest calls of the last 24 hours, 5,000 at most. `null`: there is none."
  }),
  upstreams: Schema.Array(Schema.Struct({ name: UpstreamHealth.fields.name, breaker: UpstreamHealth.fields.breaker })),
  overdrawn_accounts: Schema.Int.annotate({ description: "Accounts with a balance below zero." }),
  unknown_calls: Schema.Int.annotate({ description: "Calls of today that may or may not have run." }),
  refused_calls: Schema.Int.annotate({ description: "Calls of today that were refused before anything was reserved." }),
  waiting_changes: Schema.Int.annotate({ description: "Changes of the ledger that wait for the next checkpoint." }),
  calls_with_gaps: Schema.Int.annotate({ description: "Calls of today that used something without a price." })
}).annotate({ identifier: "Overview" })
export interface Overview extends Schema.Schema.Type<typeof Overview> {}

/** Something that a search found. */
export const Found = Schema.Struct({
  kind: Schema.Literals(["call", "account", "key", "grant", "model", "operation"]),
  id: Schema.String,
  label: Text("An operation has its path here, a call its operation."),
  account: TextOrNull("Whose it is. `null`: nobody's."),
  path: Text("Where this API has it, or the log of its calls.")
}).annotate({ identifier: "Found" })
export interface Found extends Schema.Schema.Type<typeof Found> {}

export const SearchQuery = Schema.Struct({
  q: Name.annotate({
    description:
      "A request id, or part of the id or the label of an account, key or app, of a model's name, or of an operation's id or path."
  })
})
export interface SearchQuery extends Schema.Schema.Type<typeof SearchQuery> {}

export const SearchResult = Schema.Struct({
  found: Schema.Array(Found).annotate({ description: "The first 10 of each kind." })
})
export interface SearchResult extends Schema.Schema.Type<typeof SearchResult> {}

export const overview = {
  overview: Api.get("/overview", {
    summary: "Today against the usual: calls, money, errors, latency, upstreams and what needs attention",
    success: Overview
  }),
  search: Api.get("/search", {
    summary: "Finds a call, accounts, keys, apps, models and operations by one text",
    query: SearchQuery,
    success: SearchResult,
    example: { query: { q: "acme" } }
  })
} as const
