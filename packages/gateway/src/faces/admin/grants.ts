import * as Effect from "effect/Effect"
import { AccountsError } from "../../books/account/Accounts.ts"
import type { Grants } from "../../identity/grant/Grants.ts"
import * as Bodies from "./bodies.ts"
import { get, ok, post, type Route } from "./Route.ts"
import * as Shapes from "./shapes.ts"

export const grantRoutes = (grants: Grants["Service"]): ReadonlyArray<Route> => {
  const find = (id: string) =>
    Effect.flatMap(grants.find(id), (found) =>
      Effect.fromOption(found, () => new AccountsError({ reason: "missing", message: `There is no grant ${id}.` }))
    )
  return [
    get("/grants", () => Effect.map(grants.list(), (all) => ok({ grants: all.map(Shapes.grant) }))),
    post("/grants/:id/revoke", Bodies.Empty, (id) =>
      Effect.gen(function* () {
        yield* find(id)
        yield* grants.revoke(id)
        return ok(Shapes.grant(yield* find(id)))
      })
    )
  ]
}
