import type { GrantTerms } from "@tollgate/contract/account/Access"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import { micro } from "@tollgate/contract/Money"
import { type GrantPolicy, termsProblems } from "../identity/grant/GrantPolicy.ts"
import type { GrantTerms as Terms } from "../identity/grant/Grants.ts"
import type { Offer } from "./offer.ts"

const invalid = (param: string, text: string) => refuse("invalid_request", `${param}: ${text}`, { param })

const microOrNull = (micros: number | null) => (micros === null ? null : micro(BigInt(micros)))

/** Terms as the gateway keeps them. Those that are left out stay. */
export const termsOf = (body: GrantTerms): Partial<Terms> => ({
  ...(body.limit_micros_usd === undefined ? {} : { limit: microOrNull(body.limit_micros_usd) }),
  ...(body.day_limit_micros_usd === undefined ? {} : { dayLimit: microOrNull(body.day_limit_micros_usd) }),
  ...(body.ask_above_micros_usd === undefined ? {} : { askAbove: microOrNull(body.ask_above_micros_usd) }),
  ...(body.allowed === undefined ? {} : { allowed: body.allowed }),
  ...(body.ends_at === undefined ? {} : { endsAt: Date.parse(body.ends_at) })
})

const fields = {
  limit: "limit_micros_usd",
  dayLimit: "day_limit_micros_usd",
  askAbove: "ask_above_micros_usd",
  days: "ends_at"
} as const

/** Why nobody can choose these terms on this gateway. */
export const termsRefusal = (
  terms: Partial<Terms>,
  offer: Offer | undefined,
  policy: GrantPolicy,
  now: number
): Refused | undefined => {
  const { allowed, endsAt } = terms
  if (endsAt !== undefined && !(endsAt > now))
    return invalid("ends_at", "The end must be in the future; revoke the grant to end it.")
  const category = offer && allowed?.categories.find((name) => offer.categories.every((known) => known.name !== name))
  if (category !== undefined)
    return invalid("allowed.categories", `There is no category ${JSON.stringify(category.slice(0, 100))}.`)
  const operation = offer && allowed?.operations.find((id) => !offer.operations.has(id))
  if (operation !== undefined)
    return invalid("allowed.operations", `There is no operation ${JSON.stringify(operation.slice(0, 100))}.`)
  const [problem] = Object.entries(termsProblems(policy, terms, now))
  return problem === undefined ? undefined : invalid(fields[problem[0] as keyof typeof fields], problem[1])
}
