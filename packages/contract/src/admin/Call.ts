import * as Schema from "effect/Schema"
import { LoggedCall, LoggedCalls, LoggedCallsQuery, Name } from "../account/LoggedCall.ts"
import * as Api from "../Api.ts"
import { OperatorCallStory } from "./Margin.ts"

export const AccountCall = Schema.Struct({
  ...LoggedCall.fields,
  account: Schema.String,
  account_label: Schema.String
}).annotate({ identifier: "AccountCall" })
export interface AccountCall extends Schema.Schema.Type<typeof AccountCall> {}

export const AllCalls = Schema.Struct({ ...LoggedCalls.fields, calls: Schema.Array(AccountCall) }).annotate({
  identifier: "AllCalls"
})
export interface AllCalls extends Schema.Schema.Type<typeof AllCalls> {}

export const AllCallsQuery = Schema.Struct({
  account: Schema.optionalKey(Name.annotate({ description: "Only calls of this account, by its id." })),
  ...LoggedCallsQuery.fields
})
export interface AllCallsQuery extends Schema.Schema.Type<typeof AllCallsQuery> {}

export const calls = {
  calls: Api.get("/calls", {
    summary: "The log of the calls of all accounts, the newest first",
    query: AllCallsQuery,
    success: AllCalls,
    example: { query: { limit: "10", status: "5xx" } }
  }),
  accountCalls: Api.get("/accounts/{id}/calls", {
    summary: "The log of an account's calls, the newest first",
    query: LoggedCallsQuery,
    success: LoggedCalls,
    example: { query: { limit: "10" } }
  }),
  accountCallStory: Api.get("/accounts/{id}/calls/{call}", {
    summary: "Everything the ledger knows about one call, with its cost",
    success: OperatorCallStory
  })
} as const
