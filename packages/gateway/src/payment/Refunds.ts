import { type BigMicroUsd, micro } from "@tollgate/contract/Money"
import { conflict, usd } from "@tollgate/ledger/account/entries"
import { doesNotTouchLedger } from "@tollgate/ledger/store/EmbeddedStore"
import { amount, type Row, text } from "@tollgate/ledger/store/rows"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { CardPayments } from "./CardPayments.ts"
import { PaymentError } from "./PaymentProvider.ts"
import { awaited, cent, eachOf, minute, mostAtOnce, type PaymentRows } from "./PaymentRows.ts"

const refundOf = (row: Row) => ({
  id: text(row, "id"),
  payment: text(row, "payment"),
  amount: micro(amount(row, "amount")),
  state: text(row, "state")
})

type Refund = Readonly<ReturnType<typeof refundOf>>

/** Money that operators give back to a card. It leaves the balance first. */
export const make = (
  { accounts, byIds, get, insert, lock, name, newId, provider, query, sql }: PaymentRows,
  { sync }: CardPayments
) => {
  const end = (id: string, state: string) => query`UPDATE payment_refunds SET state = ${state} WHERE id = ${id}`

  /** Gives what was taken from the balance. */
  const give = Effect.fnUntraced(function* ({ amount: value, id, payment: of }: Refund) {
    const payment = yield* get(of)
    const [taken] = yield* byIds("id", "entries", [id])
    if (taken === undefined) return void (yield* end(id, "refused"))
    if (provider === undefined || payment.provider !== name || payment.reference === null) return
    const lost = (message: string) =>
      query`UPDATE payments SET problem = ${`It is not known if a refund was given: ${message}`} WHERE id = ${of}`
    // It may have been given longer ago than the provider knows our ids.
    const { returned } = yield* Effect.tapError(provider.look(payment.reference), ({ message, reason }) =>
      reason === "refused" ? Effect.andThen(end(id, "unknown"), lost(message)) : Effect.void
    )
    if (!returned.some((one) => one.id === id)) {
      const asked = provider.refund(payment.reference, { id, cents: Number(value / cent) })
      const undo = accounts.topUp(payment.account, value, `refund of ${of}, refused`, `back:${id}`)
      yield* Effect.tapError(asked, ({ reason }) =>
        reason === "refused" ? Effect.andThen(undo, end(id, "refused")) : Effect.void
      )
    }
    // First what is known of the payment: after a crash one that is done is not asked for again.
    yield* sync(payment)
    yield* end(id, "done")
  })

  const find = Effect.fnUntraced(function* (id: string, payment: string, wanted: bigint | undefined) {
    yield* lock("accounts", [(yield* get(payment)).account])
    const { amount: paid, paidAt, provider: by, returned } = yield* get(payment)
    const [row] = yield* query`SELECT * FROM payment_refunds WHERE id = ${id}`
    if (row !== undefined) {
      const known = refundOf(row)
      const { amount, state } = known
      if (state === "refused" || state === "unknown") return yield* conflict(`${id} is ${state}; use another id.`)
      if (wanted === undefined || wanted === amount) return known
      return yield* conflict(`${id} was asked for before, with another amount.`)
    }
    if (paidAt === null) return yield* conflict(`${payment} was not paid.`)
    if (by !== name)
      return yield* conflict(
        `It came by ${by === "transfer" ? "bank transfer" : by}: send it back there, and book a reversal.`
      )
    const [open = {}] = yield* query`SELECT COALESCE(SUM(amount), 0) AS amount FROM payment_refunds
      WHERE payment = ${payment} AND state IN ('open', 'unknown')`
    const left = paid - returned - amount(open, "amount")
    const value = wanted ?? left
    if (value <= 0n || value > left || value % cent !== 0n)
      return yield* conflict(`Of ${payment} ${usd(left > 0n ? left : 0n)} can be given back, in whole cents.`)
    const refund = { id, payment, amount: micro(value), state: "open" }
    const now = yield* Clock.currentTimeMillis
    yield* insert("payment_refunds", [...Object.keys(refund), "created_at"], [[...Object.values(refund), now]])
    return refund
  }, sql.withTransaction)

  return {
    refund: Effect.fnUntraced(function* (of: string, wanted: BigMicroUsd | undefined, reason: string, name?: string) {
      const refund = yield* find(`${of}.${name ?? (yield* newId)}`, of, wanted)
      const { amount, id, state } = refund
      if (state === "open") {
        const { account } = yield* get(of)
        const taken = accounts.reverse(account, amount, reason, id, "available")
        yield* Effect.tapErrorTag(taken, "AccountsError", () => end(id, "refused"))
        // If it was not refused, it is asked for again.
        const isLater = (error: object) => error instanceof PaymentError && error.reason !== "refused"
        yield* awaited(Effect.catchIf(give(refund), isLater, () => Effect.void))
      }
      return yield* get(of)
    }),
    work: Effect.gen(function* () {
      const before = (yield* Clock.currentTimeMillis) - minute
      const open = yield* doesNotTouchLedger(
        query`SELECT * FROM payment_refunds WHERE state = 'open' AND created_at <= ${before} ORDER BY created_at LIMIT ${mostAtOnce}`
      )
      yield* eachOf(open, (row) => give(refundOf(row)))
    })
  }
}
