import * as Schema from "effect/Schema"
import * as Api from "../Api.ts"
import { Amount, Flag, Text, Time } from "./Amount.ts"

/** A budget for a day or a month, and what is spent of it in the one in force. */
export const ProfileQuota = Schema.Struct({
  amount_micros_usd: Amount,
  period: Schema.Literals(["day", "month"]),
  spent_micros_usd: Amount,
  ends_at: Time
}).annotate({ identifier: "ProfileQuota" })
export interface ProfileQuota extends Schema.Schema.Type<typeof ProfileQuota> {}

/** Whom a credential stands for, and what it may still spend. */
export const Profile = Schema.Struct({
  credential: Schema.Struct({
    kind: Schema.Literals(["key", "grant"]),
    id: Schema.String,
    label: Text("The key's label, or the name of the app that a grant was given to."),
    scope: Schema.Literals(["key", "account"]).annotate({
      description: "What the credential sees: the calls of one key, or of the whole account."
    }),
    scopes: Schema.NullOr(Schema.Array(Schema.String)).annotate({ description: "`null`: a key may do everything." }),
    ends_at: Schema.NullOr(Time),
    budget_micros_usd: Schema.NullOr(Amount),
    spent_micros_usd: Amount,
    reserved_micros_usd: Amount,
    quotas: Schema.Array(ProfileQuota)
  }),
  account: Schema.Struct({
    id: Schema.String,
    label: Schema.String,
    tier: Schema.String,
    rpm: Schema.Int,
    tpm: Schema.Int,
    concurrency: Schema.Int,
    multiplier: Schema.String,
    balance_micros_usd: Schema.NullOr(Amount).annotate({
      description:
        "`null` for a credential with its own budget or quota, except the console's. It sees only what it may spend itself."
    }),
    reserved_micros_usd: Schema.NullOr(Amount)
  }),
  spendable_micros_usd: Amount.annotate({
    description: "What a call may cost now: the least of balance, budget and quota."
  }),
  sandbox: Flag("Whether calls reach the built-in sandbox, where scenarios work."),
  grants: Flag("Whether this gateway has an authorization server. Without one there are no grants.")
}).annotate({ identifier: "Profile" })
export interface Profile extends Schema.Schema.Type<typeof Profile> {}

export const profile = {
  profile: Api.get("", {
    summary: "Whose credential it is, its terms, and what it may still spend",
    success: Profile,
    scope: "usage"
  })
} as const

/** The key of the first start, for pages of this gateway on the same machine. */
export const demo = {
  hasDemo: Api.get("/demo", {
    summary: "Whether a demo key is available",
    success: Schema.Struct({ available: Schema.Boolean }),
    isOpen: true
  }),
  demoKey: Api.post("/demo", {
    summary: "Gives the key of the first start to a page of this gateway on the same machine",
    success: Schema.Struct({ key: Schema.String }),
    isOpen: true
  })
} as const
