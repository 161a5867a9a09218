import type { accounts as accountRoutes, keys as keyRoutes } from "@tollgate/contract/admin/Account"
import { micro } from "@tollgate/contract/Money"
import { parseMultiplier } from "@tollgate/contract/price/Price"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Accounts, NewKey } from "@tollgate/ledger/account/Accounts"
import type { Gateway } from "../../call/Gateway.ts"
import type { Handlers } from "../managementApi/ApiRouter.ts"
import { keyTermsOf } from "../keyTerms.ts"
import * as Shapes from "../managementApi/shapes.ts"
import type { adminApi } from "@tollgate/contract/admin/adminApi"
import type { CallLog } from "@tollgate/ledger/usage/CallLog"
import type { Usage } from "@tollgate/ledger/usage/Usage"

export const accountHandlers = (accounts: Accounts["Service"]): Handlers<typeof accountRoutes> => ({
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
  reversePayment: ({ body: { amount_micros_usd: amount, id: entry, note }, id }) =>
    Effect.map(accounts.reverse(id, micro(BigInt(amount)), note, entry), Shapes.account),
  refundCall: ({ body: { amount_micros_usd: amount, call, id: entry, note }, id }) =>
    Effect.map(
      accounts.refund(call, note, {
        account: id,
        amount: amount === undefined ? undefined : micro(BigInt(amount)),
        entry
      }),
      Shapes.account
    ),
  entries: ({ id }) => Effect.map(accounts.entries(id), (all) => ({ entries: all.map(Shapes.entry) }))
})

const defaultGraceSeconds = 86_400

export const keyHandlers = (
  accounts: Accounts["Service"],
  gateway: (() => Gateway) | undefined
): Handlers<typeof keyRoutes> => {
  // The key is made: a failure from here on must not say that nothing was changed, or clients would make another.
  const showNewKey = (made: NewKey) =>
    Effect.map(Effect.orDie(accounts.getKey(made.id)), (key) => Shapes.newKey(made, key))
  return {
    keys: () => Effect.map(accounts.listKeys(), (all) => ({ keys: all.map(Shapes.key) })),
    accountKeys: ({ id }) =>
      Effect.map(Effect.andThen(accounts.get(id), accounts.listKeys(id)), (all) => ({ keys: all.map(Shapes.key) })),
    createKey: ({ body, id }) =>
      Effect.flatMap(
        Effect.flatMap(keyTermsOf(body, gateway?.()), (terms) => accounts.createKey(id, terms)),
        showNewKey
      ),
    key: ({ id }) => Effect.map(accounts.getKey(id), Shapes.key),
    changeKey: ({ body, id }) =>
      Effect.map(
        Effect.flatMap(keyTermsOf(body, gateway?.()), (terms) => accounts.changeKey(id, terms)),
        Shapes.key
      ),
    revokeKey: ({ id }) => Effect.map(accounts.revokeKey(id), Shapes.key),
    rotateKey: ({ body: { grace_seconds = defaultGraceSeconds }, id }) =>
      Effect.flatMap(accounts.rotateKey(id, grace_seconds * 1000), showNewKey)
  }
}

type Groups = (typeof adminApi)["groups"]

/** An account that does not exist is not found, rather than one without calls. */
export const callHandlers = (accounts: Accounts["Service"], log: CallLog["Service"]): Handlers<Groups["calls"]> => ({
  calls: ({ query }) => log.allCalls(query),
  accountCalls: ({ id, query }) => Effect.andThen(accounts.get(id), log.calls({ account: id }, query)),
  accountCallStory: ({ call, id }) => Effect.andThen(accounts.get(id), log.operatorStory(id, call))
})

export const usageHandlers = (accounts: Accounts["Service"], usage: Usage["Service"]): Handlers<Groups["usage"]> => ({
  accountUsage: ({ id, query }) => Effect.andThen(accounts.get(id), usage.series({ account: id }, query)),
  accountUsageByTag: ({ id, query }) => Effect.andThen(accounts.get(id), usage.byTag({ account: id }, query)),
  usageByTag: ({ query }) => usage.byTag({}, query),
  margin: ({ query }) =>
    query.account === undefined ? usage.margin(query) : Effect.andThen(accounts.get(query.account), usage.margin(query))
})
