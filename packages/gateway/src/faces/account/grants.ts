import type { GivenGrant, GivenGrants } from "@tollgate/contract/account/Access"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { AccountsError } from "../../account/Accounts.ts"
import type { Grant, Grants } from "../../grant/Grants.ts"
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

const missing = new AccountsError({ reason: "missing", message: "The account gave no such grant." })

export const grantRoutes = (caller: Caller, grants: Grants["Service"]): ReadonlyArray<Route> => {
  const { account, grant: own } = caller.principal

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
      grants.list(account).pipe(
        Effect.map((all) => ok({ grants: listed(all).map(shown) } satisfies GivenGrants)),
        needs(caller, "grants")
      )
    ),
    // A client may always give up what it has.
    post("/grants/:id/revoke", Bodies.Empty, (id) =>
      id === own?.id ? revoke(id) : needs(caller, "grants")(revoke(id))
    )
  ]
}
