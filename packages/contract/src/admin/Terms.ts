import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Text, maxMicros } from "../account/Amount.ts"
import { Label, oneLine } from "../account/Key.ts"
import { parseMultiplier } from "../price/Price.ts"

export const Note = Schema.String.check(
  Schema.isPattern(oneLine(0, 500), { expected: "one line of up to 500 characters" })
)
const reason = { expected: "one line of 1 to 500 characters, not only spaces" }
export const Reason = Text("The reason.").check(
  Schema.isPattern(oneLine(1, 500), reason),
  Schema.isPattern(/\S/u, reason)
)
/** Payments book under `pay_…`, and what comes back to them under `back:…`. */
export const TransactionId = Text("One id is booked once.").check(
  Schema.isPattern(/^(?!pay_|back:)[\x21-\x7e]{1,200}$/u, {
    expected: "1 to 200 printable characters, no spaces, and not an id of the gateway, such as pay_…"
  })
)

export const PaidAmount = Schema.Int.check(
  Schema.isBetween({ minimum: 1, maximum: maxMicros }, { expected: "an amount greater than zero" })
)
const Signed = Schema.Int.check(Schema.isBetween({ minimum: -maxMicros, maximum: maxMicros })).annotate({
  description: "Below zero, it is taken from the balance."
})

/** A limit on requests, tokens or concurrent calls. */
const Count = Schema.Int.check(
  Schema.isBetween({ minimum: 1, maximum: 1_000_000_000 }, { expected: "a whole number from 1 to 1,000,000,000" })
)

const Multiplier = Text("On every price: a decimal with up to six places, such as `1.45`.").check(
  Schema.makeFilter((text) => Option.isSome(parseMultiplier(text)), {
    expected: "a decimal with up to six places, such as 1.45"
  })
)

export const NewAccount = Schema.Struct({ label: Label })
export interface NewAccount extends Schema.Schema.Type<typeof NewAccount> {}

/** Terms of an account. `null` removes a tier or a limit. */
export const AccountTerms = Schema.Struct({
  label: Schema.optionalKey(Label),
  tier: Schema.optionalKey(Schema.NullOr(Schema.Literals(["Free", "Starter", "Growth", "Enterprise"]))).annotate({
    description: "`null`: by what was topped up."
  }),
  rpm: Schema.optionalKey(Schema.NullOr(Count).annotate({ description: "Requests per minute. `null`: the tier's." })),
  tpm: Schema.optionalKey(Schema.NullOr(Count).annotate({ description: "Tokens per minute. `null`: the tier's." })),
  concurrency: Schema.optionalKey(Schema.NullOr(Count).annotate({ description: "Calls at once. `null`: the tier's." })),
  multiplier: Schema.optionalKey(Multiplier),
  why: Schema.optionalKey(Note.annotate({ description: "For the trail." }))
})
export interface AccountTerms extends Schema.Schema.Type<typeof AccountTerms> {}

const id = Schema.optionalKey(TransactionId)

export const TopUp = Schema.Struct({
  amount_micros_usd: PaidAmount,
  note: Schema.optionalKey(Note.annotate({ description: "For your records." })),
  id
})
export interface TopUp extends Schema.Schema.Type<typeof TopUp> {}

export const Adjustment = Schema.Struct({ amount_micros_usd: Signed, note: Reason, id })
export interface Adjustment extends Schema.Schema.Type<typeof Adjustment> {}

export const Reversal = Schema.Struct({ amount_micros_usd: PaidAmount, note: Reason, id })
export interface Reversal extends Schema.Schema.Type<typeof Reversal> {}

export const Refund = Schema.Struct({
  call: Text("The request id of the call.").check(
    Schema.isPattern(/^[\w-]{1,100}$/u, { expected: "the id of a call, such as req_1f…" })
  ),
  amount_micros_usd: Schema.optionalKey(PaidAmount.annotate({ description: "All of the charge by default." })),
  note: Reason,
  id
})
export interface Refund extends Schema.Schema.Type<typeof Refund> {}
