import * as Schema from "effect/Schema"
import * as Api from "../Api.ts"
import { AllowedOperations, newLimit } from "./Access.ts"
import { Amount, Flag, Text, Time, UtcTime } from "./Amount.ts"

// Not `\P{Cc}`, which programs that read the document as other regular expressions do not know. Characters that turn the
// direction of a text around would reach into what stands beside it.
export const oneLine = (min: number, max: number) =>
  new RegExp(`^[^\\x00-\\x1f\\x7f-\\x9f\\u2028-\\u202e\\u2066-\\u2069]{${min},${max}}$`, "u")

export const Label = Schema.String.check(
  Schema.isPattern(oneLine(1, 200), { expected: "one line of 1 to 200 characters" })
)

const newList = (each: RegExp, expected: string, description: string) =>
  Schema.optionalKey(
    Schema.NullOr(
      Schema.Array(Schema.String.check(Schema.isPattern(each, { expected }))).check(Schema.isBetweenLength(1, 100))
    ).annotate({ description })
  )

/** Terms of a key. `null` removes one. */
export const KeyTerms = Schema.Struct({
  label: Schema.optionalKey(Label),
  budget_micros_usd: newLimit("The most that the key may spend in total"),
  day_budget_micros_usd: newLimit("The most that the key may spend in a day, in UTC"),
  month_budget_micros_usd: newLimit("The most that the key may spend in a month, in UTC"),
  ends_at: Schema.optionalKey(Schema.NullOr(UtcTime).annotate({ description: "When it ends. `null`: never." })),
  allowed: Schema.optionalKey(Schema.NullOr(AllowedOperations)),
  models: newList(oneLine(1, 200), "the name of a model", "The models that it is for. `null`: all."),
  addresses: newList(
    /^[\da-fA-F:.]{2,45}(?:\/\d{1,3})?$/u,
    "an IP address or a network, such as 203.0.113.0/24",
    "The IP addresses and networks that it may be used from. `null`: all."
  )
})
export interface KeyTerms extends Schema.Schema.Type<typeof KeyTerms> {}

/** 30 days. */
export const maxGraceSeconds = 2_592_000

export const Rotation = Schema.Struct({
  grace_seconds: Schema.optionalKey(
    Schema.Int.check(
      Schema.isBetween({ minimum: 0, maximum: maxGraceSeconds }, { expected: "a time of at most 30 days" })
    ).annotate({
      description: "How long the old key stays valid. Default: a day."
    })
  )
})
export interface Rotation extends Schema.Schema.Type<typeof Rotation> {}

/** What everybody who sees a key sees of it. */
export const keyFields = {
  id: Schema.String,
  label: Schema.String,
  created_at: Time,
  ends_at: Schema.NullOr(Time),
  spent_micros_usd: Amount,
  reserved_micros_usd: Amount,
  budget_micros_usd: Schema.NullOr(Amount),
  day_budget_micros_usd: Schema.NullOr(Amount),
  month_budget_micros_usd: Schema.NullOr(Amount),
  allowed: Schema.NullOr(AllowedOperations).annotate({ description: "What it may call. `null`: everything." }),
  models: Schema.NullOr(Schema.Array(Schema.String)),
  addresses: Schema.NullOr(Schema.Array(Schema.String)),
  root_key: Text("The first key of its rotations. They share all terms but the label, and what they spent."),
  ended: Schema.Boolean,
  last_used_at: Schema.NullOr(Time).annotate({ description: "The minute of its last billed call." }),
  spent_today_micros_usd: Amount,
  spent_this_month_micros_usd: Amount
}

export const secretField = {
  key: Text("This is the key, shown this once: keep it.")
}

const own = {
  ...keyFields,
  own: Flag("Whether it is the key that asks.")
}

export const OwnKey = Schema.Struct(own).annotate({ identifier: "OwnKey" })
export interface OwnKey extends Schema.Schema.Type<typeof OwnKey> {}

export const OwnKeys = Schema.Struct({
  keys: Schema.Array(OwnKey),
  most: Schema.Int.annotate({ description: "How many keys of the account can be valid at once." })
})
export interface OwnKeys extends Schema.Schema.Type<typeof OwnKeys> {}

export const NewOwnKey = Schema.Struct({ ...own, ...secretField }).annotate({ identifier: "NewOwnKey" })
export interface NewOwnKey extends Schema.Schema.Type<typeof NewOwnKey> {}

export const Revocation = Schema.Struct({
  confirm: Schema.optionalKey(Schema.Literals(["own", "last"])).annotate({
    description: "Needed for the key that asks, and for the last one that can change keys and sign in (`last`)."
  })
})
export interface Revocation extends Schema.Schema.Type<typeof Revocation> {}

const rule = "It needs an unlimited key, or the access token of the console."
const shown = { description: rule, scope: "grants" } as const
/** For what only the holder of the account may change. */
export const ruled = { ...shown, conflicts: true } as const

export const keys = {
  keys: Api.get("/keys", {
    summary: "The keys of the account, the newest first. Of ended ones, the last 100",
    ...shown,
    success: OwnKeys
  }),
  createKey: Api.post("/keys", {
    summary: "Creates a key. Only this answer has the key itself",
    ...ruled,
    body: KeyTerms,
    success: NewOwnKey,
    status: 201,
    example: { body: { label: "nightly", day_budget_micros_usd: 1_000_000, models: ["my-model"] } }
  }),
  changeKey: Api.patch("/keys/{id}", {
    summary: "Changes the given terms of a key and its rotations, at once",
    ...ruled,
    description: `${rule} A key can change only its own label.`,
    body: KeyTerms,
    success: OwnKey,
    example: { body: { budget_micros_usd: null } }
  }),
  rotateKey: Api.post("/keys/{id}/rotate", {
    summary: "Creates a key with the same terms. The old one stays valid for the grace",
    ...ruled,
    body: Rotation,
    success: NewOwnKey,
    status: 201,
    example: { body: { grace_seconds: 3_600 } }
  }),
  revokeKey: Api.post("/keys/{id}/revoke", {
    summary: "Revokes a key. Running gateways refuse it within a second",
    ...ruled,
    body: Revocation,
    success: OwnKey,
    replay: "free"
  })
} as const
