import type { GivenGrant, GivenGrants } from "@tollgate/contract/account/Access"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Accounts, AccountsError } from "../../books/account/Accounts.ts"
import type { Grant, Grants } from "../../identity/grant/Grants.ts"
import { refuse } from "@tollgate/contract/errors/Refused"
import * as Bodies from "../admin/bodies.ts"
import { get, ok, post, type Route } from "../admin/Route.ts"
import * as Shapes from "../admin/shapes.ts"
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

const missing = new AccountsError({ reason: "missing", message: "The account gave no such grant." })

export const grantRoutes = (
  caller: Caller,
  grants: Grants["Service"],
  accounts: Accounts["Service"]
): ReadonlyArray<Route> => {
  const { account, grant: own, key = "" } = caller.principal

  const speaksForAccount = Effect.fnUntraced(function* () {
    if (own !== undefined) return yield* needs(caller, "grants")(Effect.void)
    const { budget, quota } = yield* accounts.getKey(key)
    if (budget !== null || quota !== null) return yield* limited
  })

  const shown = (grant: Grant): GivenGrant => {
    const { account: _, ...rest } = Shapes.grant(grant)
    return {
      ...rest,
      last_used_at: grant.lastUsedAt === undefined ? null : Shapes.time(grant.lastUsedAt),
      own: grant.id === own?.id
    }
  }

  const find = Effect.fnUntraced(function* (id: string) {
    const found = yield* grants.find(id)
    return Option.isSome(found) && found.value.account === account ? found.value : yield* missing
  })

  const revoke = Effect.fnUntraced(function* (id: string) {
    yield* find(id)
    yield* grants.revoke(id)
    return ok(shown(yield* find(id)))
  })

  return [
    get("/grants", () =>
      Effect.andThen(
        speaksForAccount(),
        Effect.map(grants.list(account), (all) => ok({ grants: listed(all).map(shown) } satisfies GivenGrants))
      )
    ),
    // A client may always give up what it has.
    post("/grants/:id/revoke", Bodies.Empty, (id) =>
      id === own?.id ? revoke(id) : Effect.andThen(speaksForAccount(), revoke(id))
    )
  ]
}
