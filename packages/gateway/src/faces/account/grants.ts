import type { GivenGrant, grants as routes } from "@tollgate/contract/account/Access"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Accounts, AccountsError } from "@tollgate/ledger/account/Accounts"
import type { Grant, Grants } from "../../identity/grant/Grants.ts"
import { refuse } from "@tollgate/contract/errors/Refused"
import type { Handlers } from "../ownApi/ApiRouter.ts"
import * as Shapes from "../ownApi/shapes.ts"
import { type Caller, needs } from "./Caller.ts"

/** Those that ended earlier are not listed. */
const mostEnded = 100

const listed = (grants: ReadonlyArray<Grant>): ReadonlyArray<Grant> => {
  let ended = 0
  return grants.filter((grant) => !grant.ended || ++ended <= mostEnded)
}

/** As for signing in to the pages: a limited key is held by somebody who does not speak for the account. */
const limited = refuse(
  "access_denied",
  "A key with a budget or a quota cannot see or take back access; use another key of the account."
)

const shown = (grant: Grant, { principal }: Caller): GivenGrant => {
  const { account: _, ...rest } = Shapes.grant(grant)
  return {
    ...rest,
    last_used_at: grant.lastUsedAt === undefined ? null : Shapes.time(grant.lastUsedAt),
    own: grant.id === principal.grant?.id
  }
}

const missing = new AccountsError({ reason: "missing", message: "The account gave no such grant." })

export const grantHandlers = (
  grants: Grants["Service"],
  accounts: Accounts["Service"]
): Handlers<typeof routes, Caller> => {
  const speaksForAccount = Effect.fnUntraced(function* (caller: Caller) {
    const { grant, key = "" } = caller.principal
    if (grant !== undefined) return yield* needs(caller, "grants")
    const { budget, quota } = yield* accounts.getKey(key)
    if (budget !== null || quota !== null) return yield* limited
  })

  const find = Effect.fnUntraced(function* (id: string, { principal }: Caller) {
    const found = yield* grants.find(id)
    return Option.isSome(found) && found.value.account === principal.account ? found.value : yield* missing
  })

  return {
    grants: Effect.fnUntraced(function* (_, caller) {
      yield* speaksForAccount(caller)
      const all = yield* grants.list(caller.principal.account)
      return { grants: listed(all).map((grant) => shown(grant, caller)) }
    }),
    revokeGrant: Effect.fnUntraced(function* ({ id }, caller) {
      // A client may always give up what it has.
      if (id !== caller.principal.grant?.id) yield* speaksForAccount(caller)
      yield* find(id, caller)
      yield* grants.revoke(id)
      return shown(yield* find(id, caller), caller)
    })
  }
}
