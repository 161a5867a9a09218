import { type BigMicroUsd, micro, parseUsd, zero } from "@tollgate/contract/Money"
import { untrustedText } from "@tollgate/gateway/html"
import { type Allowed, dayMillis, type GrantPolicy, type Offer, termsProblems } from "@tollgate/gateway/driver"
import type { Grant, GrantTerms } from "@tollgate/gateway/operator"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import type { Fields } from "./Ask.ts"
import { dayText, decimalUsd, leftUsd, parseLimit, usd } from "./words.ts"

/** Terms as a person entered them. */
export interface Entered {
  readonly limit: string
  readonly amount: string
  /** Empty: no limit of a day. */
  readonly day: string
  /** Empty: no call needs approval. */
  readonly ask: string
  /** How long it lasts from now. */
  readonly days: string
  readonly allow: string
  readonly categories: ReadonlyArray<string>
  /** Ids, separated by commas or spaces. */
  readonly operations: string
}

export type Errors = Partial<Readonly<Record<"limit" | "dayLimit" | "askAbove" | "days" | "allowed", string>>>

/** The days that can be chosen. */
const choices = [1, 7, 30, 90, 365]

export const daysOffered = ({ most, proposed }: GrantPolicy): ReadonlyArray<number> =>
  [...new Set([...choices, proposed.days, most.days])].filter((days) => days <= most.days).toSorted((a, b) => a - b)

const categoryField = "category:"
export const categoryName = (category: string): string => `${categoryField}${category}`

/** Somebody may have pasted a secret into a field: that is not shown again. No amount is so long. */
const shownAgain = (text: string, most = 20): string => (text.length > most || text.includes("tg_") ? "" : text)

/** Terms that limit an amount are proposed; what has none stays without one unless the gateway bounds it. */
export const proposedTerms = ({ most, proposed }: GrantPolicy, now: number): GrantTerms => ({
  allowed: null,
  limit: proposed.limit ?? most.limit,
  dayLimit: proposed.dayLimit ?? most.dayLimit,
  askAbove: proposed.askAbove ?? most.askAbove,
  endsAt: now + proposed.days * dayMillis
})

/** What a client that asks again would get if nothing is changed. One that has spent all gets the proposed amount on top. */
export const renewedTerms = (
  policy: GrantPolicy,
  { allowed, askAbove, dayLimit, limit, spent }: Grant,
  now: number
) => {
  const proposed = proposedTerms(policy, now)
  const isSpent = limit !== null && spent >= limit
  return {
    ...proposed,
    allowed,
    dayLimit,
    askAbove,
    limit: isSpent && proposed.limit !== null ? micro(spent + proposed.limit) : limit
  }
}

export const enteredOf = (terms: GrantTerms, days: string): Entered => ({
  limit: terms.limit === null ? "none" : "amount",
  amount: terms.limit === null ? "" : decimalUsd(terms.limit),
  day: terms.dayLimit === null ? "" : decimalUsd(terms.dayLimit),
  ask: terms.askAbove === null ? "" : decimalUsd(terms.askAbove),
  days,
  allow: terms.allowed === null ? "all" : "some",
  categories: terms.allowed?.categories ?? [],
  operations: terms.allowed?.operations.join(", ") ?? ""
})

const field = (form: Fields, name: string): string => (form.get(name) ?? "").trim()

const enteredIn = (form: Fields): Entered => ({
  limit: form.get("limit") ?? "",
  amount: shownAgain(field(form, "amount")),
  day: shownAgain(field(form, "day")),
  ask: shownAgain(field(form, "ask")),
  days: form.get("days") ?? "",
  allow: form.get("allow") ?? "",
  categories: [...form.keys()].flatMap((key) =>
    key.startsWith(categoryField) ? [key.slice(categoryField.length)] : []
  ),
  operations: shownAgain(field(form, "operations"), 2_000)
})

type Read<A> = Result.Result<A, string>

const amountExpected = "Enter an amount in USD, such as 5 or 0.50"

const limitIn = (form: Fields): Read<BigMicroUsd | null> => {
  const choice = form.get("limit")
  if (choice === "none") return Result.succeed(null)
  if (choice !== "amount") return Result.fail("Choose how much it may spend.")
  return Result.fromOption(parseLimit(field(form, "amount")), () => `${amountExpected}, or choose no limit.`)
}

const amountIn = (
  form: Fields,
  name: string,
  parse: (text: string) => Option.Option<BigMicroUsd>
): Read<BigMicroUsd | null> => {
  if (!form.has(name)) return Result.fail("This form is not complete. Check what you chose.")
  const text = field(form, name)
  if (text === "") return Result.succeed(null)
  return Result.fromOption(parse(text), () => `${amountExpected}, or leave it empty.`)
}

/** Zero too: then every call that costs something needs approval. */
const parseAsk = (text: string): Option.Option<BigMicroUsd> =>
  Option.contains(parseUsd(text), zero) ? Option.some(micro(0n)) : parseLimit(text)

const endIn = (form: Fields, policy: GrantPolicy, now: number): Read<number> => {
  const days = daysOffered(policy).find((days) => String(days) === form.get("days"))
  return days === undefined ? Result.fail("Choose how long it lasts.") : Result.succeed(now + days * dayMillis)
}

const quoted = (name: string): string => `“${untrustedText(name, 60)}”`

export const operationIds = (text: string): ReadonlyArray<string> =>
  [...new Set(text.split(/[\s,]+/))].filter((id) => id !== "")

const allowedIn = (form: Fields, offer: Offer | undefined): Read<Allowed | null> => {
  const { allow, categories } = enteredIn(form)
  const operations = operationIds(field(form, "operations"))
  const isNothing = categories.length + operations.length === 0
  if (offer === undefined) return isNothing ? Result.succeed(null) : Result.fail("There is nothing to choose from.")
  if (allow === "all") {
    return isNothing ? Result.succeed(null) : Result.fail("You chose single ones: say that it may call only these.")
  }
  if (allow !== "some") return Result.fail("Choose what it may call.")
  const unknown = categories.find((name) => offer.categories.every((category) => category.name !== name))
  if (unknown !== undefined) return Result.fail(`There is no category ${quoted(unknown)}.`)
  const missing = operations.find((id) => !offer.operations.has(id))
  if (missing !== undefined) {
    return Result.fail(`There is no operation ${missing.includes("tg_") ? "with this id" : quoted(missing)}.`)
  }
  return isNothing ? Result.fail("Choose at least one.") : Result.succeed({ categories, operations })
}

/** What is in a form: terms, or what is wrong, and the form as it is shown again. */
export interface ReadTerms {
  readonly entered: Entered
  readonly errors: Errors
  /** `undefined` if there are errors. */
  readonly terms: GrantTerms | undefined
}

interface Bounds {
  readonly policy: GrantPolicy
  readonly offer: Offer | undefined
  readonly now: number
}

export const readTerms = (form: Fields, { now, offer, policy }: Bounds): ReadTerms => {
  const entered = enteredIn(form)
  const read = {
    limit: limitIn(form),
    dayLimit: amountIn(form, "day", parseLimit),
    askAbove: amountIn(form, "ask", parseAsk),
    days: endIn(form, policy, now),
    allowed: allowedIn(form, offer)
  }
  const all = Result.all(read)
  if (Result.isFailure(all)) {
    return {
      entered,
      errors: Record.getSomes(Record.map(read, (part: Read<unknown>) => Result.getFailure(part))),
      terms: undefined
    }
  }
  const { days: endsAt, ...others } = all.success
  const terms = { ...others, endsAt }
  const errors: Errors = termsProblems(policy, terms, now, usd)
  return { entered, errors, terms: Object.keys(errors).length === 0 ? terms : undefined }
}

/** The most that can be spent from now on. `null`: all that is or will be in the account. */
const mostOf = ({ dayLimit, endsAt, limit }: GrantTerms, spent: bigint, now: number): BigMicroUsd | null => {
  const left = limit === null ? undefined : limit > spent ? limit - spent : 0n
  // Days are in UTC: the first and the last count too.
  const days = BigInt(Math.max(0, Math.floor(endsAt / dayMillis) - Math.floor(now / dayMillis) + 1))
  const byDays = dayLimit === null ? undefined : dayLimit * days
  if (left === undefined) return byDays === undefined ? null : micro(byDays)
  return micro(byDays === undefined || left < byDays ? left : byDays)
}

/** The most that can be spent, in a sentence. */
export const mostWords = (terms: GrantTerms, spent: bigint, balance: BigMicroUsd, now: number): string => {
  const most = mostOf(terms, spent, now)
  const until = `until ${dayText(terms.endsAt)}`
  const daily = terms.dayLimit === null ? "" : `, ${usd(terms.dayLimit)} a day`
  if (most === null) return `No limit: all of the balance, now ${leftUsd(balance)}, and later top-ups, ${until}.`
  const more = spent > 0n ? " more" : ""
  return `At most ${usd(most)}${more} in total${daily}, ${until}.`
}
