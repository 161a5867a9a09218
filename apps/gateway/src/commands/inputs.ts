import { type BigMicroUsd, micro, parseUsd } from "@tollgate/contract/Money"
import { parseMultiplier } from "@tollgate/contract/price/Price"
import type { Tier } from "@tollgate/contract/Tier"
import * as Terms from "@tollgate/contract/admin/Terms"
import * as Argument from "effect/cli/Argument"
import * as CliError from "effect/cli/CliError"
import * as Flag from "effect/cli/Flag"
import * as Param from "effect/cli/Param"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** Rejects an amount that is not a whole number of micro-USD. */
const microsOf = (text: string): Option.Option<BigMicroUsd> =>
  parseUsd(text).pipe(
    Option.filter((nano) => nano % 1000n === 0n && nano / 1000n <= BigInt(Terms.maxMicros)),
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
  return seconds <= Terms.maxGraceSeconds ? Option.some(seconds) : Option.none()
}

const amountExpected = "an amount of USD with at most six decimals, such as 12.50"

const parsedFlag = <A>(name: string, metavar: string, read: (text: string) => Option.Option<A>, expected: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar(metavar),
    Flag.filterMap(read, () => expected)
  )

const optional = <A>(flag: Flag.Flag<A>, description: string) => Flag.optional(Flag.withDescription(flag, description))

export const accountId = Argument.String("account").pipe(Argument.withDescription("The id of an account: acct_…"))

/** The error does not repeat the key, because terminal output may be recorded. */
export const rejectKeyItself = Param.mapEffect((id: string) =>
  id.startsWith("tg_")
    ? Effect.fail(
        new CliError.ValidationError({ message: "Give the key's id (keys list shows it), not the key itself" })
      )
    : Effect.succeed(id)
)

export const keyId = Argument.String("key").pipe(
  Argument.withDescription("The id of a key, not the key itself: key_…"),
  rejectKeyItself
)

export const grantId = Argument.String("grant").pipe(Argument.withDescription("The id of a grant: gr_…"))

const label = Flag.withSchema(Flag.String("label"), Terms.Label)

export const newLabel = Argument.String("label").pipe(
  Argument.withDescription("A label for the account"),
  Argument.withSchema(Terms.Label)
)

export const machineName = Argument.String("label").pipe(
  Argument.withDescription("A label for the machine"),
  Argument.withSchema(Terms.Label)
)

export const payment = Argument.String("usd").pipe(
  Argument.withDescription("The payment in USD, such as 25 or 0.50"),
  Argument.filterMap(
    (text) => Option.filter(microsOf(text), (micros) => micros > 0n),
    () => `${amountExpected}, greater than zero`
  )
)

export const correction = Argument.String("usd").pipe(
  Argument.withDescription("USD to add, or with a minus to subtract"),
  Argument.filterMap(signedMicrosOf, () => amountExpected)
)

export const entry = {
  note: Flag.String("note").pipe(
    Flag.withDescription("A reason, for your records"),
    Flag.withSchema(Terms.Note),
    Flag.withDefault("")
  ),
  id: optional(
    Flag.withSchema(Flag.String("id"), Terms.EntryId),
    "Your own id for this entry; repeating the command with the same id changes nothing"
  )
}

export const reasonedEntry = {
  note: Flag.String("note").pipe(Flag.withDescription("The reason"), Flag.withSchema(Terms.Reason)),
  id: entry.id
}

export const callId = Argument.String("call").pipe(
  Argument.withDescription("The request id of a call: req_…"),
  Argument.filter(
    (id) => /^[\w-]{1,100}$/.test(id),
    () => "the request id of a call, such as req_1f…"
  )
)

export const partOfCharge = optional(
  parsedFlag(
    "usd",
    "usd",
    (text) => Option.filter(microsOf(text), (micros) => micros > 0n),
    `${amountExpected}, greater than zero`
  ),
  "Only a part of the charge, in USD"
)

export const json = Flag.Boolean("json").pipe(
  Flag.withDescription("Print JSON: amounts are micro-USD, as strings if a number would not be exact"),
  Flag.withDefault(false)
)

export const grace = parsedFlag(
  "grace",
  "time",
  secondsOf,
  "a duration of at most 30 days, such as 90s, 30m, 24h or 7d"
).pipe(Flag.withDescription("How long the old key stays valid"), Flag.withDefault(units.d))

const per = optional(Flag.Literals("per", ["day", "month"]), "The period of the quota, in UTC")

const termsOfKey = <A>(amountOf: (text: string) => Option.Option<A>, removal: string) => {
  const amount = (name: string, description: string) =>
    optional(parsedFlag(name, "usd", amountOf, amountExpected), description + removal)
  return {
    label: optional(label, "A label for the key"),
    budget: amount("budget", "The most the key may spend in total, in USD"),
    quota: amount("quota", "The most the key may spend in each period, in USD"),
    per
  }
}

export const newKeyTerms = termsOfKey(microsOf, "")
export const keyTerms = termsOfKey(orNone(microsOf), "; none removes the limit")

const names = (name: string, description: string) =>
  optional(
    parsedFlag(
      name,
      "names",
      (text) => {
        const all = text.split(",").map((part) => part.trim())
        return all.every((part) => /^[\w .:{}/-]{1,100}$/.test(part)) ? Option.some(all) : Option.none()
      },
      "names, separated by commas"
    ),
    description
  )

const grantAmount = (name: string, description: string) =>
  optional(parsedFlag(name, "usd", orNone(microsOf), amountExpected), `${description}, in USD; none removes the limit`)

export const grantTerms = {
  limit: grantAmount("limit", "The most it may spend in total"),
  dayLimit: grantAmount("per-day", "The most it may spend in a day"),
  askAbove: grantAmount("ask-above", "The amount above which each call needs approval"),
  days: optional(parsedFlag("days", "number", countOf, "a whole number from 1"), "How many days it lasts from now"),
  categories: names("categories", "Only these categories, and --operations"),
  operations: names("operations", "Only these operations, and --categories"),
  all: Flag.Boolean("all").pipe(Flag.withDescription("Every operation"), Flag.withDefault(false))
}

/** A machine cannot ask anybody. */
export const machineTerms = {
  limit: grantTerms.limit,
  dayLimit: grantTerms.dayLimit,
  days: grantTerms.days,
  categories: grantTerms.categories,
  operations: grantTerms.operations,
  readsUsage: Flag.Boolean("usage").pipe(
    Flag.withDescription("Let it also read what the account used"),
    Flag.withDefault(false)
  )
}

const tiers: ReadonlyArray<readonly [string, Tier | null]> = [
  ["free", "Free"],
  ["starter", "Starter"],
  ["growth", "Growth"],
  ["enterprise", "Enterprise"],
  ["auto", null]
]

const count = (name: string, description: string) =>
  optional(
    parsedFlag(name, "number", orNone(countOf), "a whole number from 1, or none"),
    `${description}; none restores the tier's limit`
  )

export const accountTerms = {
  label: optional(label, "A label for the account"),
  tier: optional(Flag.ChoiceWithValue("tier", tiers), "auto: by the total of top-ups"),
  rpm: count("rpm", "Requests per minute"),
  tpm: count("tpm", "Tokens per minute"),
  concurrency: count("concurrency", "Calls at once"),
  multiplier: optional(
    parsedFlag("multiplier", "factor", parseMultiplier, "a decimal with up to six places, such as 1.45"),
    "The multiplier on every price, such as 1.45"
  )
}

export const dayMillis = 86_400_000

const dateOf = (text: string): Option.Option<number> => {
  const millis = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  // `Date.parse` may turn 31 November into 1 December.
  return millis > 0 && new Date(millis).toISOString().startsWith(text) ? Option.some(millis) : Option.none()
}

export const date = (name: string, description: string) =>
  optional(parsedFlag(name, "date", dateOf, "a day such as 2026-11-30"), description)

export const from = date("from", "The first day, in UTC")
export const to = date("to", "The last day, in UTC")

type Flags = Readonly<Record<string, Option.Option<unknown>>>

type Given<F extends Flags> = { readonly [K in keyof F]?: Option.Option.Value<F[K]> }

/** The values of the flags that were given, by name. */
export const givenFlags = <F extends Flags>(flags: F): Given<F> =>
  Object.fromEntries(
    Object.entries(flags).flatMap(([name, value]) => (Option.isSome(value) ? [[name, value.value]] : []))
  ) as Given<F>
