import type { accounts as routes } from "@tollgate/contract/admin/Account"
import { micro } from "@tollgate/contract/Money"
import { parseMultiplier } from "@tollgate/contract/price/Price"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Accounts } from "../../books/account/Accounts.ts"
import type { Handlers } from "../ownApi/ApiRouter.ts"
import * as Shapes from "../ownApi/shapes.ts"

export const accountHandlers = (accounts: Accounts["Service"]): Handlers<typeof routes> => ({
  accounts: () => Effect.map(accounts.list, (all) => ({ accounts: all.map(Shapes.account) })),
  createAccount: ({ body: { label } }) => Effect.map(accounts.create(label), Shapes.account),
  account: ({ id }) => Effect.map(accounts.get(id), Shapes.account),
  changeAccount: ({ body: { multiplier, ...terms }, id }) => {
    const factor = multiplier === undefined ? undefined : Option.getOrUndefined(parseMultiplier(multiplier))
    const changed = accounts.change(id, factor === undefined ? terms : { ...terms, multiplier: factor })
    return Effect.map(changed, Shapes.account)
  },
  topUp: ({ body: { amount_micros_usd: amount, id: entry, note = "" }, id }) =>
    Effect.map(accounts.topUp(id, micro(BigInt(amount)), note, entry), Shapes.account),
  adjust: ({ body: { amount_micros_usd: amount, id: entry, note = "" }, id }) =>
    Effect.map(accounts.adjust(id, BigInt(amount), note, entry), Shapes.account),
  entries: ({ id }) => Effect.map(accounts.entries(id), (all) => ({ entries: all.map(Shapes.entry) }))
})
