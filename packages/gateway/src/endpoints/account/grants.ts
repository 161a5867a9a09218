import type { GivenGrant, grants as routes } from "@tollgate/contract/account/Access"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Accounts, AccountsError } from "@tollgate/ledger/account/Accounts"
import type { GrantPolicy } from "../../identity/grant/GrantPolicy.ts"
import type { Grant, Grants } from "../../identity/grant/Grants.ts"
import { termsOf, termsRefusal } from "../grantTerms.ts"
import { offerOf } from "../offer.ts"
import { refuse } from "@tollgate/contract/errors/Refused"
import type { Handlers } from "../managementApi/ApiRouter.ts"
import * as Shapes from "../managementApi/shapes.ts"
import { type Caller, decidesForAccount, speaksForAccount } from "./Caller.ts"

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
  "The token of a grant cannot change that grant; its owner can, in the console or with a key."
)

const sumOf = (grants: ReadonlyArray<Grant>, part: "spent" | "spentToday") =>
  Shapes.amount(grants.reduce((sum, grant) => sum + grant[part], 0n))

const missing = new AccountsError({ reason: "missing", message: "The account gave no such grant." })

export const grantHandlers = (
  grants: Grants["Service"],
  accounts: Accounts["Service"],
  policy: GrantPolicy
): Handlers<typeof routes, Caller> => {
  const speaks = speaksForAccount(accounts)
  const decides = decidesForAccount(accounts)

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
      yield* decides(caller)
      if (id === caller.principal.grant?.id) return yield* ownTerms
      yield* find(id, caller)
      const terms = termsOf(body)
      const refusal = termsRefusal(terms, offerOf(caller.gateway), policy, yield* Clock.currentTimeMillis)
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
