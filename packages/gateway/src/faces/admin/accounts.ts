import { micro } from "@tollgate/contract/Money"
import { parseMultiplier } from "@tollgate/contract/price/Price"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Accounts } from "../../books/account/Accounts.ts"
import * as Bodies from "./bodies.ts"
import { created, get, ok, patch, post, type Route } from "./Route.ts"
import * as Shapes from "./shapes.ts"

export const accountRoutes = (accounts: Accounts["Service"]): ReadonlyArray<Route> => [
  get("/accounts", () => Effect.map(accounts.list, (all) => ok({ accounts: all.map(Shapes.account) }))),
  post("/accounts", Bodies.NewAccount, (_, { label }) =>
    Effect.map(accounts.create(label), (account) => created(Shapes.account(account)))
  ),
  get("/accounts/:id", (id) => Effect.map(accounts.get(id), (account) => ok(Shapes.account(account)))),
  patch("/accounts/:id", Bodies.AccountTerms, (id, { multiplier, ...terms }) => {
    const factor = multiplier === undefined ? undefined : Option.getOrUndefined(parseMultiplier(multiplier))
    return Effect.map(accounts.change(id, factor === undefined ? terms : { ...terms, multiplier: factor }), (account) =>
      ok(Shapes.account(account))
    )
  }),
  post("/accounts/:id/topups", Bodies.TopUp, (account, { amount_micros_usd, id, note = "" }) =>
    Effect.map(accounts.topUp(account, micro(BigInt(amount_micros_usd)), note, id), (account) =>
      ok(Shapes.account(account))
    )
  ),
  post("/accounts/:id/adjustments", Bodies.Adjustment, (account, { amount_micros_usd, id, note = "" }) =>
    Effect.map(accounts.adjust(account, BigInt(amount_micros_usd), note, id), (account) => ok(Shapes.account(account)))
  ),
  get("/accounts/:id/entries", (id) =>
    Effect.map(accounts.entries(id), (all) => ok({ entries: all.map(Shapes.entry) }))
  )
]
