import { doesNotTouchLedger } from "@tollgate/ledger/store/EmbeddedStore"
import { amount, text } from "@tollgate/ledger/store/rows"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { CardPayments } from "./CardPayments.ts"
import type { Payers } from "./Payers.ts"
import { eachOf, hour, type Payment, type PaymentRows, wantedOf } from "./PaymentRows.ts"

/** Providers forget after a day with which id something was asked for. */
const repeatMillis = 20 * hour

const monthStart = Effect.map(Clock.currentTimeMillis, (now) =>
  Date.parse(`${new Date(now).toISOString().slice(0, 7)}-01T00:00:00Z`)
)

/** Payments of a saved card, as soon as little is available. */
export const make = (
  { askLater, close, get, insertPayment, lock, mark, name, provider, query, run, sql }: PaymentRows,
  payers: Payers,
  { sync }: CardPayments
) => {
  const chargedSince = (start: string) => `(SELECT COALESCE(SUM(payments.amount), 0) FROM payments
    WHERE payments.account = payers.account AND kind = 'recharge' AND state <> 'failed' AND payments.created_at >= ${start})`
  const selectDue = `SELECT payers.account, payers.amount FROM payers JOIN accounts ON accounts.id = payers.account
    WHERE payers.provider = ${mark(1)} AND below IS NOT NULL AND method IS NOT NULL AND problem = ''
    AND balance - reserved < below AND payers.amount + ${chargedSince(mark(2))} <= month_limit AND NOT EXISTS
    (SELECT 1 FROM payments WHERE payments.account = payers.account AND kind = 'recharge' AND state IN ('open', 'unknown'))`

  /** The provider charges it once, however often it is asked. */
  const charge = Effect.fnUntraced(function* (payment: Payment) {
    const { account, createdAt, id } = payment
    const card = (yield* payers.get(account))?.saved
    const now = yield* askLater(payment)
    // An earlier try may have reached the provider.
    if (provider === undefined || card === undefined) return void (yield* close(id, "unknown", "The card was removed."))
    if (now > createdAt + repeatMillis) return void (yield* close(id, "unknown", "The provider did not answer."))
    const asked = yield* Effect.result(provider.charge(wantedOf(payment), card))
    if (asked._tag === "Success") {
      yield* query`UPDATE payments SET reference = ${asked.success.reference} WHERE id = ${id}`
      yield* sync(yield* get(id))
    } else if (asked.failure.reason === "refused") yield* payers.declined(payment, asked.failure.message)
  })

  /** Of two gateways one makes the payment. */
  const makeDue = Effect.fnUntraced(function* (account: string) {
    yield* lock("accounts", [account])
    const [row] = yield* run(`${selectDue} AND payers.account = ${mark(3)}`, [name, yield* monthStart, account])
    return row && (yield* insertPayment(account, "recharge", amount(row, "amount")))
  }, sql.withTransaction)

  return {
    charge,
    /** What a card was charged by itself in this UTC month. */
    charged: Effect.fnUntraced(function* (account: string) {
      const select = `SELECT ${chargedSince(mark(1))} AS amount FROM payers WHERE account = ${mark(2)}`
      const [row = { amount: 0n }] = yield* run(select, [yield* monthStart, account])
      return amount(row, "amount")
    }, doesNotTouchLedger),
    work: Effect.gen(function* () {
      const due = yield* run(selectDue, [name, yield* monthStart])
      yield* eachOf(due, (row) =>
        Effect.flatMap(makeDue(text(row, "account")), (payment) => (payment ? charge(payment) : Effect.void))
      )
    })
  }
}
