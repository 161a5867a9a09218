import { micro } from "@tollgate/contract/Money"
import { conflict } from "@tollgate/ledger/account/entries"
import { doesNotTouchLedger } from "@tollgate/ledger/store/EmbeddedStore"
import { amount, type Row, textOrNull, text } from "@tollgate/ledger/store/rows"
import * as Effect from "effect/Effect"
import type { PaymentError, Seen } from "./PaymentProvider.ts"
import { awaited, type Payment, type PaymentRows } from "./PaymentRows.ts"

/** When a saved card is charged by itself. */
const termsOf = (row: Row) => ({
  below: amount(row, "below"),
  amount: micro(amount(row, "amount")),
  monthLimit: amount(row, "month_limit")
})

const payerOf = (row: Row) => ({
  customer: text(row, "customer"),
  /** The card at the provider. */
  saved: row.method === null ? undefined : { customer: text(row, "customer"), method: text(row, "method") },
  card: textOrNull(row, "card"),
  recharge: row.below === null ? null : termsOf(row),
  problem: text(row, "problem")
})

/** Who pays for an account by card. */
export const make = ({ checkAmount, close, lock, name, provider, query, trail }: PaymentRows) => {
  const get = Effect.fnUntraced(function* (account: string) {
    const [row] = yield* query`SELECT * FROM payers WHERE account = ${account} AND provider = ${name}`
    return row && payerOf(row)
  }, doesNotTouchLedger)

  const terms = Effect.fnUntraced(function* (account: string) {
    yield* lock("accounts", [account])
    const [row] = yield* query`SELECT card, below, amount, month_limit FROM payers WHERE account = ${account}`
    return { account, card: null, below: null, amount: null, month_limit: null, ...row } as Row
  })
  const changing = <A, E, R>(action: string, account: string, effect: Effect.Effect<A, E, R>) =>
    trail.changing(action, account, terms(account), effect)

  return {
    get,
    save: (account: string, { customer, method, words }: NonNullable<Seen["card"]>) =>
      changing(
        "card saved",
        account,
        query`INSERT INTO payers (account, provider, customer, method, card) VALUES
          (${account}, ${name}, ${customer}, ${method}, ${words}) ON CONFLICT (account) DO UPDATE SET provider = excluded.provider,
          below = CASE WHEN payers.provider = excluded.provider THEN payers.below END, customer = excluded.customer,
          method = excluded.method, card = excluded.card, problem = ''`
      ),
    /** A card that was declined is not charged by itself again. */
    declined: Effect.fnUntraced(function* ({ account, id, kind, state }: Payment, problem: string) {
      yield* close(id, "failed", problem)
      if (kind === "recharge" && state === "open")
        yield* query`UPDATE payers SET problem = ${problem} WHERE account = ${account}`
    }),
    setRecharge: Effect.fnUntraced(function* (account: string, recharge: ReturnType<typeof termsOf> | null) {
      if (recharge !== null) {
        if ((yield* get(account))?.saved === undefined) return yield* conflict("Save a card first: with a payment.")
        yield* checkAmount(recharge.amount)
        if (recharge.monthLimit < recharge.amount)
          return yield* conflict("The limit of a month is less than one payment.")
      }
      const { amount, below, monthLimit } = recharge ?? { amount: null, below: null, monthLimit: null }
      const set = query`UPDATE payers SET below = ${below}, amount = ${amount}, month_limit = ${monthLimit}, problem = ''
        WHERE account = ${account}`
      yield* changing("recharge changed", account, set)
    }),
    forgetCard: Effect.fnUntraced(function* (account: string) {
      const card = (yield* get(account))?.saved
      if (provider === undefined || card === undefined) return
      const isGone = ({ reason }: PaymentError) => reason === "refused"
      yield* awaited(Effect.catchIf(provider.forget(card), isGone, () => Effect.void))
      const gone = query`UPDATE payers SET method = NULL, card = NULL, below = NULL, amount = NULL, month_limit = NULL, problem = ''
        WHERE account = ${account}`
      yield* changing("card removed", account, gone)
    })
  }
}

export type Payers = ReturnType<typeof make>
