import { micro } from "@tollgate/contract/Money"
import * as Effect from "effect/Effect"
import type { Accounts, KeyTerms, NewKey } from "../../books/account/Accounts.ts"
import * as Bodies from "./bodies.ts"
import { created, get, ok, patch, post, type Route } from "./Route.ts"
import * as Shapes from "./shapes.ts"

const termsOf = ({ budget_micros_usd: budget, label, quota }: typeof Bodies.KeyTerms.Type): KeyTerms => ({
  ...(label === undefined ? {} : { label }),
  ...(budget === undefined ? {} : { budget: budget === null ? null : micro(BigInt(budget)) }),
  ...(quota === undefined
    ? {}
    : { quota: quota && { amount: micro(BigInt(quota.amount_micros_usd)), period: quota.period } })
})

const defaultGraceSeconds = 86_400

export const keyRoutes = (accounts: Accounts["Service"]): ReadonlyArray<Route> => {
  // The key is made: a failure from here on must not say that nothing was changed, or clients would make another.
  const showNewKey = (made: NewKey) =>
    Effect.map(Effect.orDie(accounts.getKey(made.id)), (key) => created(Shapes.newKey(made, key)))
  return [
    get("/keys", () => Effect.map(accounts.listKeys(), (all) => ok({ keys: all.map(Shapes.key) }))),
    get("/accounts/:id/keys", (id) =>
      Effect.map(Effect.andThen(accounts.get(id), accounts.listKeys(id)), (all) => ok({ keys: all.map(Shapes.key) }))
    ),
    post("/accounts/:id/keys", Bodies.KeyTerms, (id, terms) =>
      Effect.flatMap(accounts.createKey(id, termsOf(terms)), showNewKey)
    ),
    get("/keys/:id", (id) => Effect.map(accounts.getKey(id), (key) => ok(Shapes.key(key)))),
    patch("/keys/:id", Bodies.KeyTerms, (id, terms) =>
      Effect.map(accounts.changeKey(id, termsOf(terms)), (key) => ok(Shapes.key(key)))
    ),
    post("/keys/:id/revoke", Bodies.Empty, (id) => Effect.map(accounts.revokeKey(id), (key) => ok(Shapes.key(key)))),
    post("/keys/:id/rotate", Bodies.Rotation, (id, { grace_seconds = defaultGraceSeconds }) =>
      Effect.flatMap(accounts.rotateKey(id, grace_seconds * 1000), showNewKey)
    )
  ]
}
