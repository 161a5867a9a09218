import type { GivenGrant, GrantTerms, grants as routes } from "@tollgate/contract/account/Access"
import { micro } from "@tollgate/contract/Money"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Accounts, AccountsError } from "@tollgate/ledger/account/Accounts"
import { type GrantPolicy, termsProblems } from "../../identity/grant/GrantPolicy.ts"
import type { Grant, Grants, GrantTerms as Terms } from "../../identity/grant/Grants.ts"
import { type Offer, offerOf } from "../offer.ts"
import { refuse } from "@tollgate/contract/errors/Refused"
import type { Handlers } from "../ownApi/ApiRouter.ts"
import * as Shapes from "../ownApi/shapes.ts"
import type { Caller } from "./Caller.ts"
import { speaksForAccount } from "./speaksForAccount.ts"

/** Those that ended earlier are not listed. */
const mostEnded = 100

const listed = (grants: ReadonlyArray<Grant>): ReadonlyArray<Grant> => {
  let ended = 0
  return grants.filter((grant) => !grant.ended || ++ended <= mostEnded)
}

const shown = (grant: Grant, { principal }: Caller): GivenGrant => {
  const { account: _, ...rest } = Shapes.grant(grant)
  return {
    ...rest,
    last_used_at: grant.lastUsedAt === undefined ? null : Shapes.time(grant.lastUsedAt),
    own: grant.id === principal.grant?.id
  }
}

/** A program does not decide how much it may do, even if it may manage grants. */
const ownTerms = refuse(
  "access_denied",
  "The token of a grant cannot change that grant; its owner can, on a page or with a key."
)

const invalid = (param: string, text: string) => refuse("invalid_request", `${param}: ${text}`, { param })

const microOrNull = (micros: number | null) => (micros === null ? null : micro(BigInt(micros)))

const termsOf = (body: GrantTerms): Partial<Terms> => ({
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

/** Why an account cannot choose these terms. */
const refusalOf = (terms: Partial<Terms>, { operations, categories }: Offer, policy: GrantPolicy, now: number) => {
  const { allowed, endsAt } = terms
  if (endsAt !== undefined && !(endsAt > now))
    return invalid("ends_at", "The end must be in the future; revoke the grant to end it.")
  const category = allowed?.categories.find((name) => categories.every((known) => known.name !== name))
  if (category !== undefined)
    return invalid("allowed.categories", `There is no category ${JSON.stringify(category.slice(0, 100))}.`)
  const operation = allowed?.operations.find((id) => !operations.has(id))
  if (operation !== undefined)
    return invalid("allowed.operations", `There is no operation ${JSON.stringify(operation.slice(0, 100))}.`)
  const [problem] = Object.entries(termsProblems(policy, terms, now))
  return problem === undefined ? undefined : invalid(fields[problem[0] as keyof typeof fields], problem[1])
}

const sumOf = (grants: ReadonlyArray<Grant>, part: "spent" | "spentToday") =>
  Shapes.amount(grants.reduce((sum, grant) => sum + grant[part], 0n))

const missing = new AccountsError({ reason: "missing", message: "The account gave no such grant." })

export const grantHandlers = (
  grants: Grants["Service"],
  accounts: Accounts["Service"],
  policy: GrantPolicy
): Handlers<typeof routes, Caller> => {
  const speaks = speaksForAccount(accounts)

  const find = Effect.fnUntraced(function* (id: string, { principal }: Caller) {
    const found = yield* grants.find(id)
    return Option.isSome(found) && found.value.account === principal.account ? found.value : yield* missing
  })

  return {
    grants: Effect.fnUntraced(function* (_, caller) {
      yield* speaks(caller)
      const all = yield* grants.list(caller.principal.account)
      return {
        grants: listed(all).map((grant) => shown(grant, caller)),
        spent_micros_usd: sumOf(all, "spent"),
        spent_today_micros_usd: sumOf(all, "spentToday")
      }
    }),
    changeGrant: Effect.fnUntraced(function* ({ body, id }, caller) {
      yield* speaks(caller)
      if (id === caller.principal.grant?.id) return yield* ownTerms
      yield* find(id, caller)
      const terms = termsOf(body)
      const refusal = refusalOf(terms, offerOf(caller.gateway), policy, yield* Clock.currentTimeMillis)
      if (refusal !== undefined) return yield* refusal
      return shown(yield* grants.change(id, terms), caller)
    }),
    revokeGrant: Effect.fnUntraced(function* ({ id }, caller) {
      // A client may always give up what it has.
      if (id !== caller.principal.grant?.id) yield* speaks(caller)
      yield* find(id, caller)
      yield* grants.revoke(id)
      return shown(yield* find(id, caller), caller)
    })
  }
}
