import * as Schema from "effect/Schema"
import * as Api from "../Api.ts"
import { IntFromQuery } from "../QueryStyle.ts"
import { Amount, Flag, OptionalText, Text, TextOrNull, Time } from "./Amount.ts"

export const LoggedState = Schema.Literals(["open", "running", "settled", "released", "refused", "unknown", "replayed"])
export type LoggedState = typeof LoggedState.Type

const CostState = Schema.Literals(["settled", "estimated"])

/** Why a call failed: what its caller was told. */
export const LoggedError = Schema.Struct({
  code: TextOrNull("`null`: the upstream gave none."),
  message: Text("Up to 500 characters.")
}).annotate({ identifier: "LoggedError" })
export interface LoggedError extends Schema.Schema.Type<typeof LoggedError> {}

const logged = {
  id: Text("The request id."),
  key: Schema.String,
  key_label: Schema.String,
  operation: Schema.String,
  model: Schema.NullOr(Schema.String),
  state: LoggedState,
  failed: Flag("Whether it counts among the failed requests."),
  status: Schema.NullOr(Schema.Int).annotate({
    description: "The status of the answer. `null`: there is none yet, or it is not known."
  }),
  cost_state: Schema.NullOr(CostState),
  value_micros_usd: Amount,
  charged_micros_usd: Amount,
  charged_nano_usd: Text("The charge before it was rounded to micro-USD."),
  refunded_micros_usd: Amount.annotate({ description: "What was given back of the charge." }),
  input_tokens: Schema.Int,
  output_tokens: Schema.Int,
  kept: Flag("Whether it got a kept answer. Then nothing was executed."),
  upstream: TextOrNull("The upstream that answered."),
  error: Schema.NullOr(LoggedError).annotate({
    description: "Why it failed, in the words that its caller got. `null`: it did not fail, or the reason is not known."
  }),
  created_at: Time,
  ended_at: Schema.NullOr(Time),
  tags: Schema.Record(Schema.String, Schema.String).annotate({ description: "The caller's tags." })
}

/** One call of the log. It never has a body. */
export const LoggedCall = Schema.Struct(logged).annotate({ identifier: "LoggedCall" })
export interface LoggedCall extends Schema.Schema.Type<typeof LoggedCall> {}

/** The newest first: calls that have not ended come before those that have. */
export const LoggedCalls = Schema.Struct({
  calls: Schema.Array(LoggedCall),
  next: TextOrNull("The `before` of the next page. `null`: this was the last."),
  looked_back_to: Schema.NullOr(Time).annotate({
    description:
      "A request looks at 5000 calls at most, so a page can be empty although there are more. All calls that ended after this time were looked at. `null`: all, or those that have not ended."
  })
}).annotate({ identifier: "LoggedCalls" })
export interface LoggedCalls extends Schema.Schema.Type<typeof LoggedCalls> {}

/** Text of a query that names something. */
export const Name = Schema.String.check(Schema.isPattern(/^[\s\S]{1,300}$/, { expected: "1 to 300 characters" }))

const millis = (which: string) =>
  Schema.optionalKey(
    IntFromQuery.check(Schema.isGreaterThanOrEqualTo(0)).annotate({ description: `Unix milliseconds: ${which}` })
  )

export const LoggedCallsQuery = Schema.Struct({
  limit: Schema.optionalKey(IntFromQuery.check(Schema.isBetween({ minimum: 1, maximum: 1_000 }))).annotate({
    description: "1 to 1000. Default: 100."
  }),
  before: Schema.optionalKey(Name.annotate({ description: "The `next` of the page before." })),
  since: millis(
    "only calls that began or ended since then. A reader who polls repeats the last seconds and drops what it knows."
  ),
  from: millis("only calls that began then or later."),
  to: millis("only calls that began earlier. Of the calls that ended later, only the first 5000 are looked at."),
  q: Schema.optionalKey(Name).annotate({
    description: "A request id, or a text that occurs in the operation, the model, the key, its label or the error."
  }),
  key: Schema.optionalKey(Name),
  operation: Schema.optionalKey(Name),
  model: Schema.optionalKey(Name),
  state: Schema.optionalKey(LoggedState),
  cost_state: Schema.optionalKey(CostState),
  status: Schema.optionalKey(
    Text("An exact status, or a class: `4xx`.").check(
      Schema.isPattern(/^[1-5](?:\d\d|xx)$/u, { expected: "a status, or a class such as 4xx" })
    )
  ),
  failed: Schema.optionalKey(Schema.Literal("true")).annotate({
    description: "Only calls that count among the failed requests."
  }),
  tag: Schema.optionalKey(Name).annotate({
    description: "Calls with this tag: `team=search`, or `team` with any value."
  })
})
export interface LoggedCallsQuery extends Schema.Schema.Type<typeof LoggedCallsQuery> {}

/** An upstream that was tried for a call, in order. */
export const TriedUpstream = Schema.Struct({
  upstream: Schema.String,
  outcome: Text("`answered`, or in words why it did not: `not connected`, `busy`, `rate limited`."),
  model: OptionalText("The model that it was asked for, if that is not the caller's.")
}).annotate({ identifier: "TriedUpstream" })
export interface TriedUpstream extends Schema.Schema.Type<typeof TriedUpstream> {}

/** Everything the ledger knows about one call. */
export const CallStory = Schema.Struct({
  ...logged,
  reserved_micros_usd: Amount,
  cap_micros_usd: Schema.NullOr(Amount).annotate({ description: "The most that the caller agreed to pay." }),
  loss_micros_usd: Amount.annotate({ description: "What the call cost beyond the cap. The operator pays it." }),
  loss_nano_usd: Schema.String,
  cache_read_tokens: Schema.Int,
  cache_write_tokens: Schema.Int,
  evidence: Schema.Unknown.annotate({ description: "How the call was priced." }),
  gaps: Schema.Array(Schema.String).annotate({
    description: "What the call used without a price of its own, by name. It was charged at the nearest price."
  }),
  tried: Schema.Array(TriedUpstream),
  idempotency: Schema.NullOr(Schema.Struct({ until: Time, answer_stored: Schema.Boolean })).annotate({
    description: "`null`: the call had no idempotency key, or the key has expired."
  }),
  refund: Schema.NullOr(Schema.Struct({ at: Time, note: Schema.String })).annotate({
    description: "When it was refunded, and why. A call is refunded once at most."
  }),
  task: Schema.NullOr(Schema.Struct({ id: Schema.String, status: Schema.String }))
}).annotate({ identifier: "CallStory" })
export interface CallStory extends Schema.Schema.Type<typeof CallStory> {}

export const calls = {
  calls: Api.get("/calls", {
    summary: "Its calls, the newest first, page by page",
    query: LoggedCallsQuery,
    success: LoggedCalls,
    scope: "usage",
    example: { query: { limit: "10", status: "4xx" } }
  }),
  callStory: Api.get("/calls/{id}", {
    summary: "Everything the ledger knows about one call, by its request id",
    success: CallStory,
    scope: "usage"
  })
} as const
