import type { accounts as accountRoutes, keys as keyRoutes } from "@tollgate/contract/admin/Account"
import { micro } from "@tollgate/contract/Money"
import { invalid } from "@tollgate/contract/errors/Refused"
import { parseMultiplier } from "@tollgate/contract/price/Price"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { SqlError } from "effect/sql/SqlError"
import type { Accounts, Key, KeyTerms, NewKey } from "@tollgate/ledger/account/Accounts"
import type { AccountsError } from "@tollgate/ledger/account/entries"
import { isLimited } from "@tollgate/ledger/account/keys"
import type { Gateway } from "../../call/Gateway.ts"
import type { Handlers } from "../managementApi/ApiRouter.ts"
import { keyTermsOf } from "../keyTerms.ts"
import * as Shapes from "../managementApi/shapes.ts"
import type { adminApi } from "@tollgate/contract/admin/adminApi"
import type { CallLog } from "@tollgate/ledger/usage/CallLog"
import type { AdminRequest, OperatorPolicy } from "./AdminRequest.ts"
import { CurrentCause } from "@tollgate/ledger/trail/Trail"
import { refundLimitOf } from "./operators.ts"
import type { Usage } from "@tollgate/ledger/usage/Usage"

/** The trail has the reason beside what it changes. */
const because = <A, E, R>(why: string | undefined, effect: Effect.Effect<A, E, R>) =>
  Effect.updateService(effect, CurrentCause, (cause) => ({ ...cause, why }))

export const accountHandlers = (
  accounts: Accounts["Service"],
  policy: OperatorPolicy
): Handlers<typeof accountRoutes, AdminRequest> => ({
  accounts: () => Effect.map(accounts.list, (all) => ({ accounts: all.map(Shapes.account) })),
  createAccount: ({ body: { label } }) => Effect.map(accounts.create(label), Shapes.account),
  account: ({ id }) => Effect.map(accounts.get(id), Shapes.account),
  changeAccount: ({ body: { multiplier, why, ...terms }, id }) => {
    const factor = multiplier === undefined ? undefined : Option.getOrUndefined(parseMultiplier(multiplier))
    const changed = accounts.change(id, factor === undefined ? terms : { ...terms, multiplier: factor })
    return Effect.map(because(why, changed), Shapes.account)
  },
  topUp: ({ body: { amount_micros_usd: amount, id: entry, note = "" }, id }) =>
    Effect.map(accounts.topUp(id, micro(BigInt(amount)), note, entry), Shapes.account),
  adjust: ({ body: { amount_micros_usd: amount, id: entry, note }, id }) =>
    Effect.map(accounts.adjust(id, BigInt(amount), note, entry), Shapes.account),
  reversePayment: ({ body: { amount_micros_usd: amount, id: entry, note }, id }) =>
    Effect.map(accounts.reverse(id, micro(BigInt(amount)), note, entry), Shapes.account),
  refundCall: ({ body: { amount_micros_usd: amount, call, id: entry, note }, id }, { by }) =>
    Effect.map(
      accounts.refund(call, note, {
        account: id,
        most: refundLimitOf(by, policy),
        amount: amount === undefined ? undefined : micro(BigInt(amount)),
        entry
      }),
      Shapes.account
    ),
  entries: ({ id }) => Effect.map(accounts.entries(id), (all) => ({ entries: all.map(Shapes.entry) })),
  allEntries: ({ query }) =>
    Effect.map(
      accounts.allEntries({ start: query.start_time * 1000, end: query.end_time * 1000 }),
      ({ entries, totals }) => ({
        totals: Object.fromEntries([...totals].map(([kind, sum]) => [kind, Shapes.amount(sum)])),
        entries: entries.map((one) => ({ ...Shapes.entry(one), account: one.account, account_label: one.accountLabel }))
      })
    )
})

const defaultGraceSeconds = 86_400

const limitsIn = ({ budget, dayBudget, monthBudget, restrictions }: KeyTerms) =>
  Object.values({ budget, dayBudget, monthBudget, ...restrictions }).filter((limit) => limit !== undefined)

/** An unlimited key speaks for its account and charges its saved card, which support may not. */
const checkSupport = ({ by }: AdminRequest, isLimited: () => Effect.Effect<boolean, AccountsError | SqlError>) =>
  Effect.gen(function* () {
    if (by.role !== "support" || (yield* isLimited())) return
    yield* invalid("budget_micros_usd", "Only keys with a budget or another limit are made and changed by support.")
  })

export const keyHandlers = (
  accounts: Accounts["Service"],
  gateway: (() => Gateway) | undefined
): Handlers<typeof keyRoutes, AdminRequest> => {
  const shown = (key: Key, now: number) => ({ ...Shapes.keyFields(key, now), account: key.account })
  const show = <E>(found: Effect.Effect<Key, E>) => Effect.zipWith(found, Clock.currentTimeMillis, shown)
  const list = (account?: string) =>
    Effect.zipWith(accounts.listKeys(account), Clock.currentTimeMillis, (all, now) => ({
      keys: all.map((key) => shown(key, now))
    }))
  // The key is made: a failure from here on must not say that nothing was changed, or clients would make another.
  const showNewKey = ({ id, value }: NewKey) =>
    Effect.map(Effect.orDie(show(accounts.getKey(id))), (key) => ({ ...key, key: Redacted.value(value) }))
  return {
    keys: () => list(),
    accountKeys: ({ id }) => Effect.andThen(accounts.get(id), list(id)),
    createKey: Effect.fnUntraced(function* ({ body, id }, asked) {
      const terms = yield* keyTermsOf(body, gateway?.())
      yield* checkSupport(asked, () => Effect.succeed(limitsIn(terms).some((limit) => limit !== null)))
      return yield* showNewKey(yield* accounts.createKey(id, terms))
    }),
    key: ({ id }) => show(accounts.getKey(id)),
    changeKey: Effect.fnUntraced(function* ({ body, id }, asked) {
      const terms = yield* keyTermsOf(body, gateway?.())
      yield* checkSupport(asked, () => Effect.succeed(!limitsIn(terms).includes(null)))
      return yield* show(accounts.changeKey(id, terms))
    }),
    revokeKey: ({ id }) => show(accounts.revokeKey(id)),
    rotateKey: Effect.fnUntraced(function* ({ body: { grace_seconds = defaultGraceSeconds }, id }, asked) {
      yield* checkSupport(asked, () => Effect.map(accounts.getKey(id), isLimited))
      return yield* showNewKey(yield* accounts.rotateKey(id, grace_seconds * 1000))
    })
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
