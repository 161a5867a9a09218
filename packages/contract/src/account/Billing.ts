import * as Schema from "effect/Schema"
import * as Api from "../Api.ts"
import { IntFromQuery } from "../QueryStyle.ts"
import { Amount, Flag, Text, TextOrNull, Time } from "./Amount.ts"
import { Name } from "./LoggedCall.ts"

export const AccountBalance = Schema.Struct({
  balance_micros_usd: Amount,
  reserved_micros_usd: Amount.annotate({ description: "For calls under way." }),
  available_micros_usd: Amount.annotate({ description: "The balance less what is reserved." }),
  day_micros_usd: Amount.annotate({
    description:
      "What a day costs at this pace: the charges of the last seven UTC days and of today so far, by the time since the first of them."
  }),
  lasts_until: Schema.NullOr(Time).annotate({
    description: "When nothing is available any more at this pace. `null`: not within ten years."
  }),
  is_low: Flag("Whether it lasts less than three days at this pace, or less than 1 USD is available.")
}).annotate({ identifier: "AccountBalance" })
export interface AccountBalance extends Schema.Schema.Type<typeof AccountBalance> {}

export const TransactionKind = Schema.Literals(["charges", "topup", "credit", "adjustment", "reversal", "refund"])
export type TransactionKind = typeof TransactionKind.Type

const transaction = {
  id: Text("The day, if these are charges."),
  kind: TransactionKind.annotate({ description: "`charges`: of all calls that ended on a UTC day." }),
  at: Time.annotate({ description: "The start of the day, if these are charges." }),
  amount_micros_usd: Amount.annotate({ description: "What it adds to the balance. Charges are below zero." }),
  call: TextOrNull("The call that it refunds."),
  note: Schema.String,
  requests: Schema.Int.annotate({ description: "How many calls the charges are of." })
}

export const Transaction = Schema.Struct(transaction).annotate({ identifier: "Transaction" })
export interface Transaction extends Schema.Schema.Type<typeof Transaction> {}

export const BalancedTransaction = Schema.Struct({
  ...transaction,
  balance_micros_usd: Amount.annotate({ description: "The balance after it." })
}).annotate({ identifier: "BalancedTransaction" })
export interface BalancedTransaction extends Schema.Schema.Type<typeof BalancedTransaction> {}

export const Transactions = Schema.Struct({
  transactions: Schema.Array(BalancedTransaction).annotate({
    description: "The charges of a day count after everything else of the day."
  }),
  next: TextOrNull("The `before` of the next page. `null`: this was the last.")
}).annotate({ identifier: "Transactions" })
export interface Transactions extends Schema.Schema.Type<typeof Transactions> {}

export const TransactionsQuery = Schema.Struct({
  limit: Schema.optionalKey(IntFromQuery.check(Schema.isBetween({ minimum: 1, maximum: 500 }))).annotate({
    description: "1 to 500. Default: 50."
  }),
  before: Schema.optionalKey(Name.annotate({ description: "The `next` of the page before." }))
})
export interface TransactionsQuery extends Schema.Schema.Type<typeof TransactionsQuery> {}

const sums = {
  month: Text("A UTC month: `2026-11`."),
  ended: Flag("Whether the month is over."),
  opening_micros_usd: Amount.annotate({ description: "The balance when the month began." }),
  topups_micros_usd: Amount,
  credits_micros_usd: Amount,
  refunds_micros_usd: Amount.annotate({ description: "In this month, also of calls of earlier months." }),
  reversals_micros_usd: Amount.annotate({ description: "Payments that were taken back: zero or below." }),
  adjustments_micros_usd: Amount,
  charges_micros_usd: Amount.annotate({ description: "Of the calls that ended in this month: zero or below." }),
  requests: Schema.Int,
  closing_micros_usd: Amount.annotate({ description: "The opening balance and all of the above." })
}

export const MonthSums = Schema.Struct(sums).annotate({ identifier: "MonthSums" })
export interface MonthSums extends Schema.Schema.Type<typeof MonthSums> {}

export const Statements = Schema.Struct({ months: Schema.Array(MonthSums) })
export interface Statements extends Schema.Schema.Type<typeof Statements> {}

export const Statement = Schema.Struct({
  account: Schema.String,
  account_label: Schema.String,
  currency: Schema.Literal("USD"),
  as_of: Time.annotate({ description: "When this statement was made." }),
  ...sums,
  transactions: Schema.Array(Transaction).annotate({
    description: "Of the month, the oldest first: charges by day, and the first 1,000 others. The sums are of all."
  }),
  left_out_micros_usd: Amount.annotate({ description: "Of the transactions that are not listed." }),
  by_operation: Schema.Array(
    Schema.Struct({
      operation: Schema.String,
      model: Text("Empty: calls that name none."),
      requests: Schema.Int,
      charged_micros_usd: Amount
    })
  ).annotate({
    description: "The charges once more, the highest first. The operation `other` has what is left out after 500."
  })
}).annotate({ identifier: "Statement" })
export interface Statement extends Schema.Schema.Type<typeof Statement> {}

const seen = {
  description: "A limited key, or a grant with a budget, cannot see it.",
  scope: "usage"
} as const
export const billing = {
  balance: Api.get("/balance", {
    summary: "The account's balance, and how long it lasts at the pace of the last days",
    ...seen,
    success: AccountBalance
  }),
  transactions: Api.get("/transactions", {
    summary: "What changed the balance, the newest first: payments, refunds and the charges of each day",
    ...seen,
    query: TransactionsQuery,
    success: Transactions,
    example: { query: { limit: "10" } }
  }),
  statements: Api.get("/statements", {
    summary: "The months since the account was made, the newest first, with their sums",
    ...seen,
    success: Statements
  }),
  statement: Api.get("/statements/{month}", {
    summary: "The statement of a month: what changed the balance, and charges by day, operation and model",
    ...seen,
    success: Statement
  }),
  statementCsv: Api.get("/statements/{month}/csv", {
    summary: "The transactions of a statement as CSV text, with the opening and the closing balance",
    ...seen,
    success: Schema.String,
    type: "text/csv"
  })
} as const
