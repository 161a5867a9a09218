import type { PaymentKind, PaymentState } from "@tollgate/contract/account/Payment"
import { type BigMicroUsd, micro } from "@tollgate/contract/Money"
import { Accounts } from "@tollgate/ledger/account/Accounts"
import { AccountsError, conflict, usd } from "@tollgate/ledger/account/entries"
import { KeyHash } from "@tollgate/ledger/credential/KeyHash"
import { doesNotTouchLedger } from "@tollgate/ledger/store/EmbeddedStore"
import * as Rows from "@tollgate/ledger/store/rows"
import { amount, number, numberOrNull, type Row, text, textOrNull } from "@tollgate/ledger/store/rows"
import * as Trail from "@tollgate/ledger/trail/Trail"
import * as Clock from "effect/Clock"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { PaymentError, type PaymentProvider, type Wanted } from "./PaymentProvider.ts"

const paymentOf = (row: Row) => ({
  id: text(row, "id"),
  account: text(row, "account"),
  accountLabel: text(row, "label"),
  provider: text(row, "provider"),
  kind: text(row, "kind") as PaymentKind,
  amount: micro(amount(row, "amount")),
  state: text(row, "state") as PaymentState,
  reference: textOrNull(row, "reference"),
  url: textOrNull(row, "url"),
  receipt: textOrNull(row, "receipt"),
  returned: amount(row, "returned"),
  saveCard: number(row, "save_card") === 1,
  createdAt: number(row, "created_at"),
  paidAt: numberOrNull(row, "paid_at"),
  problem: text(row, "problem")
})

export type Payment = Readonly<ReturnType<typeof paymentOf>>

export const cent = 10_000n
export const microsOf = (cents: number): BigMicroUsd => micro(BigInt(cents) * cent)

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

export const noPayment = (id: string) => new AccountsError({ reason: "missing", message: `There is no payment ${id}.` })

/** How many are asked for in one round. A slow answer holds up few others. */
export const mostAtOnce = 100
export const eachOf = <A, E, R>(all: ReadonlyArray<A>, run: (one: A) => Effect.Effect<unknown, E, R>) =>
  Effect.forEach(all, (one) => Effect.ignore(run(one)), { concurrency: 10, discard: true })

export const wantedOf = ({ account, amount, id }: Payment): Wanted => ({ id, account, cents: Number(amount / cent) })

/** What a provider says to somebody who waits for it. */
export const awaited = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.catchIf(
    effect,
    (error): error is Extract<E, PaymentError> => error instanceof PaymentError,
    ({ message }) => Effect.fail(conflict(message))
  )

export interface PaymentSettings {
  /** Takes cards. `undefined`: none are taken. */
  readonly provider: PaymentProvider | undefined
  /** Where customers send the money of an invoice. Empty: there are no invoices. */
  readonly transfer: string
  readonly least: BigMicroUsd
  readonly most: BigMicroUsd
}

/** Payments as the store has them. */
export const make = Effect.fnUntraced(function* ({ least, most, provider }: PaymentSettings) {
  const sql = yield* SqlClient
  const accounts = yield* Accounts
  const random = yield* SecureRandom
  const rows = Rows.make(sql)
  const { insert, mark, query, run } = rows
  const name = provider?.name ?? ""

  const newId = Effect.map(random.randomBytes(10), Hex.encode)

  const select = "SELECT payments.*, (SELECT label FROM accounts WHERE accounts.id = account) AS label FROM payments"
  const find = (where: string, values: ReadonlyArray<Rows.Value>): Effect.Effect<ReadonlyArray<Payment>, SqlError> =>
    doesNotTouchLedger(Effect.map(run(`${select} ${where}`, values), (found) => found.map(paymentOf)))

  const get = Effect.fnUntraced(function* (id: string) {
    const [found] = yield* find(`WHERE id = ${mark(1)}`, [id])
    return found ?? (yield* noPayment(id))
  })

  const store = { ...rows, sql, accounts, trail: Trail.make(sql, yield* KeyHash), provider, name, newId, find, get }
  return {
    ...store,
    checkAmount: (value: bigint) =>
      value >= least && value <= most && value % cent === 0n
        ? Effect.void
        : Effect.fail(conflict(`An amount from ${usd(least)} to ${usd(most)} is expected, in whole cents.`)),
    insertPayment: Effect.fnUntraced(function* (account: string, kind: PaymentKind, amount: bigint, saveCard = false) {
      const id = `pay_${yield* newId}`
      const now = yield* Clock.currentTimeMillis
      const whose = { id, account, provider: kind === "invoice" ? "transfer" : name, kind, amount, state: "open" }
      const row = { ...whose, save_card: saveCard ? 1 : 0, created_at: now, look_at: now + minute }
      yield* insert("payments", Object.keys(row), [Object.values(row)])
      return yield* get(id)
    }),
    close: (id: string, state: "failed" | "unknown", problem: string) =>
      query`UPDATE payments SET state = ${state}, url = NULL, problem = ${problem} WHERE id = ${id} AND paid_at IS NULL`,
    /** Customers wait for what they have just paid. */
    askLater: Effect.fnUntraced(function* ({ createdAt, id }: Payment) {
      const now = yield* Clock.currentTimeMillis
      const pause = Math.floor(Math.min(hour, Math.max(10_000, (now - createdAt) / 4)))
      yield* query`UPDATE payments SET look_at = ${now + pause} WHERE id = ${id}`
      return now
    })
  }
})

export type PaymentRows = Effect.Success<ReturnType<typeof make>>
