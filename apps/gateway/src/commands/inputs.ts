import { parseUsd, type MicroUsd, micro } from "@tollgate/contract/Money"
import { parseMultiplier } from "@tollgate/contract/price/Price"
import type { Tier } from "@tollgate/contract/Tier"
import * as Bodies from "@tollgate/gateway/faces/admin/bodies"
import * as Argument from "effect/cli/Argument"
import * as CliError from "effect/cli/CliError"
import * as Flag from "effect/cli/Flag"
import * as Param from "effect/cli/Param"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** Exactly, in whole micro-USD: an amount that would have to be rounded is refused. */
const microsOf = (text: string): Option.Option<MicroUsd> =>
  parseUsd(text).pipe(
    Option.filter((nano) => nano % 1000n === 0n && nano / 1000n <= BigInt(Bodies.maxMicros)),
    Option.map((nano) => micro(nano / 1000n))
  )

const signedMicrosOf = (text: string): Option.Option<bigint> =>
  Option.map(microsOf(text.replace(/^[+-]/, "")), (micros) => (text.startsWith("-") ? -micros : micros))

const orNone =
  <A>(read: (text: string) => Option.Option<A>) =>
  (text: string): Option.Option<A | null> =>
    text === "none" ? Option.some(null) : read(text)

const countOf = (text: string): Option.Option<number> =>
  /^[1-9]\d{0,9}$/.test(text) && Number(text) <= 1_000_000_000 ? Option.some(Number(text)) : Option.none()

const units = { s: 1, m: 60, h: 3_600, d: 86_400 } as const

const secondsOf = (text: string): Option.Option<number> => {
  const match = /^(\d{1,7})([smhd])$/.exec(text)
  if (match === null) return Option.none()
  const seconds = Number(match[1]) * units[match[2] as keyof typeof units]
  return seconds <= Bodies.maxGraceSeconds ? Option.some(seconds) : Option.none()
}

const amountWords = "an amount of USD with at most six decimals, such as 12.50"

const text = <A>(name: string, metavar: string, read: (text: string) => Option.Option<A>, expected: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar(metavar),
    Flag.filterMap(read, () => expected)
  )

const given = <A>(flag: Flag.Flag<A>, description: string) => Flag.optional(Flag.withDescription(flag, description))

export const accountId = Argument.String("account").pipe(Argument.withDescription("The id of an account: acct_…"))
/** Refused without repeating it: what a terminal shows may be kept. */
export const refuseTheKey = Param.mapEffect((id: string) =>
  id.startsWith("tg_")
    ? Effect.fail(
        new CliError.ValidationError({ message: "Give the key's id (keys list shows it), not the key itself" })
      )
    : Effect.succeed(id)
)

export const keyId = Argument.String("key").pipe(
  Argument.withDescription("The id of a key, not the key itself: key_…"),
  refuseTheKey
)

const label = Flag.withSchema(Flag.String("label"), Bodies.Label)

export const newLabel = Argument.String("label").pipe(
  Argument.withDescription("Whose account it is, in your words"),
  Argument.withSchema(Bodies.Label)
)

export const payment = Argument.String("usd").pipe(
  Argument.withDescription("USD paid in, such as 25 or 0.50"),
  Argument.filterMap(
    (text) => Option.filter(microsOf(text), (micros) => micros > 0n),
    () => `${amountWords}, more than nothing`
  )
)

export const correction = Argument.String("usd").pipe(
  Argument.withDescription("USD to give, or with a minus to take back"),
  Argument.filterMap(signedMicrosOf, () => amountWords)
)

export const entry = {
  note: Flag.String("note").pipe(
    Flag.withDescription("Why, for your records"),
    Flag.withSchema(Bodies.Note),
    Flag.withDefault("")
  ),
  id: given(
    Flag.withSchema(Flag.String("id"), Bodies.EntryId),
    "A name of your own for this entry: a second one of the same name changes nothing"
  )
}

export const json = Flag.Boolean("json").pipe(
  Flag.withDescription("For programs: amounts in micro-USD, as strings where a number would not be exact"),
  Flag.withDefault(false)
)

export const grace = text("grace", "time", secondsOf, "a time of at most 30 days, such as 90s, 30m, 24h or 7d").pipe(
  Flag.withDescription("How long the old key goes on working"),
  Flag.withDefault(units.d)
)

const per = given(Flag.Literals("per", ["day", "month"]), "The period of the quota, in UTC")

export const newKeyTerms = {
  label: given(label, "What the key is for, in your words"),
  budget: given(text("budget", "usd", microsOf, amountWords), "The most it may spend in all, in USD"),
  quota: given(text("quota", "usd", microsOf, amountWords), "The most it may spend in each period, in USD"),
  per
}

export const keyTerms = {
  label: given(label, "What the key is for, in your words"),
  budget: given(
    text("budget", "usd", orNone(microsOf), amountWords),
    "The most it may spend in all, in USD; none lifts it"
  ),
  quota: given(
    text("quota", "usd", orNone(microsOf), amountWords),
    "The most it may spend in each period, in USD; none lifts it"
  ),
  per
}

const tiers: ReadonlyArray<readonly [string, Tier | null]> = [
  ["free", "Free"],
  ["starter", "Starter"],
  ["growth", "Growth"],
  ["enterprise", "Enterprise"],
  ["auto", null]
]

const count = (name: string, description: string) =>
  given(
    text(name, "number", orNone(countOf), "a whole number from 1, or none"),
    `${description}; none for the tier's own`
  )

export const accountTerms = {
  label: given(label, "Whose account it is, in your words"),
  tier: given(Flag.ChoiceWithValue("tier", tiers), "auto: by what is topped up"),
  rpm: count("rpm", "Requests per minute"),
  tpm: count("tpm", "Tokens per minute"),
  concurrency: count("concurrency", "Calls at once"),
  multiplier: given(
    text("multiplier", "factor", parseMultiplier, "a decimal with up to six places, such as 1.45"),
    "The factor on every price, such as 1.45"
  )
}

export const dayMillis = 86_400_000

const dateOf = (text: string): Option.Option<number> => {
  const millis = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  // 31 November is read as 1 December.
  return millis > 0 && new Date(millis).toISOString().startsWith(text) ? Option.some(millis) : Option.none()
}

const date = (name: string, description: string) =>
  given(text(name, "date", dateOf, "a day such as 2026-11-30"), description)

export const from = date("from", "The first day, in UTC")
export const to = date("to", "The last day, in UTC")
