import * as Schema from "effect/Schema"
import { Amount, Text, Time } from "../account/Amount.ts"
import * as Api from "../Api.ts"
import { IntFromQuery } from "../QueryStyle.ts"
import { KeyTerms, keyFields, Rotation, secretField } from "../account/Key.ts"
import { AccountTerms, Adjustment, NewAccount, Refund, Reversal, TopUp } from "./Terms.ts"

export const Account = Schema.Struct({
  id: Schema.String,
  label: Schema.String,
  created_at: Time,
  balance_micros_usd: Amount,
  reserved_micros_usd: Amount,
  topped_up_micros_usd: Amount,
  tier: Schema.String,
  rpm: Schema.Int,
  tpm: Schema.Int,
  concurrency: Schema.Int,
  multiplier: Schema.String
}).annotate({ identifier: "Account" })
export interface Account extends Schema.Schema.Type<typeof Account> {}

export const Accounts = Schema.Struct({ accounts: Schema.Array(Account) })
export interface Accounts extends Schema.Schema.Type<typeof Accounts> {}

/** A payment, its reversal, a credit, an adjustment or the refund of a call. */
export const Entry = Schema.Struct({
  id: Schema.String,
  kind: Schema.String,
  amount_micros_usd: Amount,
  call: Schema.optionalKey(Text("The call that it refunds.")),
  note: Schema.String,
  at: Time
}).annotate({ identifier: "Entry" })
export interface Entry extends Schema.Schema.Type<typeof Entry> {}

export const Entries = Schema.Struct({ entries: Schema.Array(Entry) })
export interface Entries extends Schema.Schema.Type<typeof Entries> {}

export const AllEntries = Schema.Struct({
  totals: Schema.Record(Schema.String, Amount).annotate({ description: "By kind, of all of them." }),
  entries: Schema.Array(
    Schema.Struct({ ...Entry.fields, account: Schema.String, account_label: Schema.String })
  ).annotate({ description: "The last 500, the newest first." })
}).annotate({ identifier: "AllEntries" })
export interface AllEntries extends Schema.Schema.Type<typeof AllEntries> {}

export const EntriesQuery = Schema.Struct({
  start_time: IntFromQuery.annotate({ description: "Unix seconds." }),
  end_time: IntFromQuery.annotate({ description: "Unix seconds." })
})
export interface EntriesQuery extends Schema.Schema.Type<typeof EntriesQuery> {}

const booked = { success: Account, conflicts: true, replay: "free", role: ["finance"] } as const

export const accounts = {
  accounts: Api.get("/accounts", { summary: "All accounts", success: Accounts }),
  createAccount: Api.post("/accounts", {
    summary: "Creates an account",
    role: ["finance"],
    body: NewAccount,
    success: Account,
    status: 201,
    example: { body: { label: "Acme" } }
  }),
  account: Api.get("/accounts/{id}", { summary: "One account", success: Account }),
  changeAccount: Api.patch("/accounts/{id}", {
    summary: "Changes the given terms of an account",
    role: ["finance"],
    body: AccountTerms,
    success: Account,
    example: { body: { tier: "Growth", rpm: null, multiplier: "1.45" } }
  }),
  topUp: Api.post("/accounts/{id}/topups", {
    summary: "Books a payment. It counts towards the tier",
    description: "The same id with another account or amount is refused.",
    ...booked,
    body: TopUp,
    example: { body: { amount_micros_usd: 25_000_000, note: "invoice 7", id: "invoice-7" } }
  }),
  adjust: Api.post("/accounts/{id}/adjustments", {
    summary: "Adds to the balance, or takes from it, without a payment",
    description: "The same id with another account or amount is refused.",
    ...booked,
    body: Adjustment,
    example: { body: { amount_micros_usd: -500_000, note: "goodwill", id: "goodwill-1" } }
  }),
  reversePayment: Api.post("/accounts/{id}/reversals", {
    summary: "Reverses a payment, such as after a chargeback",
    description:
      "The balance may go below zero. What was topped up is less, and so may be the tier. It cannot be more than was topped up.",
    ...booked,
    body: Reversal,
    example: {
      body: { amount_micros_usd: 25_000_000, note: "chargeback of invoice 7", id: "chargeback-7" }
    }
  }),
  refundCall: Api.post("/accounts/{id}/refunds", {
    summary: "Refunds what a call was charged, or a part of it, once",
    description:
      "A refund is never more than the charge, and a call has one at most. Usage reports, budgets and the tier stay as they are.",
    ...booked,
    conflicts: true,
    role: ["finance", "support"],
    body: Refund,
    example: { body: { call: "req_1", note: "the answer was empty" } }
  }),
  entries: Api.get("/accounts/{id}/entries", { summary: "The last 500 entries, the newest first", success: Entries }),
  allEntries: Api.get("/entries", {
    summary: "The entries of all accounts in a window, and their sums",
    query: EntriesQuery,
    success: AllEntries,
    example: { query: { start_time: "1767225600", end_time: "1767312000" } }
  })
} as const

const key = { ...keyFields, account: Schema.String }

export const Key = Schema.Struct(key).annotate({ identifier: "Key" })
export interface Key extends Schema.Schema.Type<typeof Key> {}

export const Keys = Schema.Struct({ keys: Schema.Array(Key) })
export interface Keys extends Schema.Schema.Type<typeof Keys> {}

export const NewKey = Schema.Struct({ ...key, ...secretField }).annotate({ identifier: "NewKey" })
export interface NewKey extends Schema.Schema.Type<typeof NewKey> {}

/** Of one key, by support. */
const changed = { role: ["support"], success: Key } as const

export const keys = {
  keys: Api.get("/keys", { summary: "All keys", success: Keys }),
  accountKeys: Api.get("/accounts/{id}/keys", { summary: "The keys of an account", success: Keys }),
  createKey: Api.post("/accounts/{id}/keys", {
    summary: "Creates a key. Only this answer has the key itself",
    role: ["support"],
    body: KeyTerms,
    success: NewKey,
    status: 201,
    example: {
      body: { label: "nightly", budget_micros_usd: 10_000_000, day_budget_micros_usd: 1_000_000 }
    }
  }),
  key: Api.get("/keys/{id}", { summary: "The terms of a key", success: Key }),
  changeKey: Api.patch("/keys/{id}", {
    summary: "Changes the given terms, for this key and all keys made from it by rotation",
    ...changed,
    body: KeyTerms,
    example: { body: { budget_micros_usd: null } }
  }),
  revokeKey: Api.post("/keys/{id}/revoke", {
    summary: "Revokes a key. A running gateway refuses it within a second",
    ...changed,
    body: Api.NoFields,
    replay: "free"
  }),
  rotateKey: Api.post("/keys/{id}/rotate", {
    summary: "Creates a key with the same terms. The old one stays valid for the grace",
    role: ["support"],
    body: Rotation,
    success: NewKey,
    status: 201,
    conflicts: true,
    example: { body: { grace_seconds: 3_600 } }
  })
} as const
