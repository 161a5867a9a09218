import { parseMultiplier } from "@tollgate/contract/price/Price"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** A billion USD. Sums of such amounts fit the store's integers. */
export const maxMicros = 1_000_000_000_000_000

const oneLine = (min: number, max: number) => new RegExp(`^\\P{Cc}{${min},${max}}$`, "u")

export const Label = Schema.String.check(
  Schema.isPattern(oneLine(1, 200), { expected: "one line of 1 to 200 characters" })
)
export const Note = Schema.String.check(
  Schema.isPattern(oneLine(0, 500), { expected: "one line of up to 500 characters" })
)
export const EntryId = Schema.String.check(
  Schema.isPattern(/^[\x21-\x7e]{1,200}$/, { expected: "1 to 200 printable characters, no spaces" })
)

const Amount = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: maxMicros }))
const Payment = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxMicros }))
const Signed = Schema.Int.check(Schema.isBetween({ minimum: -maxMicros, maximum: maxMicros }))

/** A limit on requests, tokens or concurrent calls. */
export const Count = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000_000 }))

export const Multiplier = Schema.String.check(
  Schema.makeFilter((text) => Option.isSome(parseMultiplier(text)) || "a decimal with up to six places, such as 1.45")
)

export const Tier = Schema.Literals(["Free", "Starter", "Growth", "Enterprise"])
export const Period = Schema.Literals(["day", "month"])

/** 30 days. */
export const maxGraceSeconds = 2_592_000

export const NewAccount = Schema.Struct({ label: Label })

export const AccountTerms = Schema.Struct({
  label: Schema.optionalKey(Label),
  tier: Schema.optionalKey(Schema.NullOr(Tier)),
  rpm: Schema.optionalKey(Schema.NullOr(Count)),
  tpm: Schema.optionalKey(Schema.NullOr(Count)),
  concurrency: Schema.optionalKey(Schema.NullOr(Count)),
  multiplier: Schema.optionalKey(Multiplier)
})

export const KeyTerms = Schema.Struct({
  label: Schema.optionalKey(Label),
  budget_micros_usd: Schema.optionalKey(Schema.NullOr(Amount)),
  quota: Schema.optionalKey(Schema.NullOr(Schema.Struct({ amount_micros_usd: Amount, period: Period })))
})

export const Rotation = Schema.Struct({
  grace_seconds: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: maxGraceSeconds })))
})

// Not an empty struct, which accepts anything.
export const Empty = Schema.Record(Schema.String, Schema.Never)

const entry = { note: Schema.optionalKey(Note), id: Schema.optionalKey(EntryId) }

export const TopUp = Schema.Struct({ amount_micros_usd: Payment, ...entry })
export const Adjustment = Schema.Struct({ amount_micros_usd: Signed, ...entry })
