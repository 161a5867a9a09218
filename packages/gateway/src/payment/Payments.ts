import type { BigMicroUsd } from "@tollgate/contract/Money"
import { conflict } from "@tollgate/ledger/account/entries"
import { amount, type Row } from "@tollgate/ledger/store/rows"
import * as Trail from "@tollgate/ledger/trail/Trail"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as AutomaticPayments from "./AutomaticPayments.ts"
import * as CardPayments from "./CardPayments.ts"
import * as Chargebacks from "./Chargebacks.ts"
import * as Payers from "./Payers.ts"
import { awaited, day, eachOf, minute, mostAtOnce, type Payment, type PaymentSettings } from "./PaymentRows.ts"
import * as PaymentRows from "./PaymentRows.ts"
import type { PaymentProvider } from "./PaymentProvider.ts"
import * as Refunds from "./Refunds.ts"

const mostOpen = 20
/** A page that was not made by then never is. */
const beginMillis = 5 * minute
const invoiceMillis = 90 * day

/**
 * Payments by customers, of which `work` has to be repeated. What is paid is a top-up whose id is that of the payment, so it is booked
 * once, however often and in whatever order it is told. The provider is asked for everything that is booked: an event only says when
 * to ask.
 */
export const make = Effect.fnUntraced(function* (settings: PaymentSettings) {
  const { provider, transfer } = settings
  const rows = yield* PaymentRows.make(settings)
  const { accounts, askLater, checkAmount, close, find, get, literal, lock, mark, name, query, sql, trail } = rows
  const payers = Payers.make(rows)
  const cards = CardPayments.make(rows, payers)
  const automatic = AutomaticPayments.make(rows, payers, cards)
  const refunds = Refunds.make(rows, cards)
  const askForReturned = Chargebacks.make(rows, cards)

  const takesCards = Effect.suspend(() =>
    provider === undefined ? Effect.fail(conflict("This gateway takes no cards.")) : Effect.succeed(provider)
  )

  /** Of two changes at once the second sees the first. */
  const ending = <E>(
    action: string,
    id: string,
    states: ReadonlyArray<string>,
    effect: (payment: Payment) => Effect.Effect<unknown, E>
  ) => {
    const read = Effect.map(
      Effect.tap(get(id), ({ account }) => lock("accounts", [account])),
      ({ account, problem, state }): Row => ({ account, state, problem })
    )
    const ended = Effect.gen(function* () {
      const payment = yield* get(id)
      if (!states.includes(payment.state)) return yield* conflict(`${id} is ${payment.state}.`)
      yield* effect(payment)
    })
    return Effect.andThen(trail.changing(action, id, read, ended), get(id))
  }

  const dueNow = Effect.fnUntraced(function* (payment: Payment) {
    const { createdAt, id, kind, reference } = payment
    if (kind === "recharge" && reference === null) return yield* automatic.charge(payment)
    if (reference !== null) return void (yield* cards.sync(payment))
    const now = yield* askLater(payment)
    if (now > createdAt + (kind === "invoice" ? invoiceMillis : beginMillis))
      yield* close(id, "failed", "It was not paid in time.")
  })

  return {
    settings,
    get,
    list: ({ account, state }: { account?: string | undefined; state?: string | undefined }, limit: number) => {
      const given = Object.entries({ account, state }).filter((one): one is [string, string] => one[1] !== undefined)
      const where = given.map(([column], i) => `${i === 0 ? "WHERE" : "AND"} ${column} = ${mark(i + 1)}`).join(" ")
      const values = given.map(([, value]) => value)
      return find(`${where} ORDER BY created_at DESC, id LIMIT ${limit}`, values)
    },
    payer: payers.get,
    setRecharge: payers.setRecharge,
    forgetCard: payers.forgetCard,
    recharged: automatic.charged,
    refund: refunds.refund,
    create: Effect.fnUntraced(function* (
      account: string,
      wanted: {
        readonly amount: BigMicroUsd
        readonly by: "card" | "invoice"
        readonly saveCard: boolean
        /** Where the page of a card leads back to, without the id. */
        readonly back: string
      }
    ) {
      const { amount: value, back, by, saveCard } = wanted
      yield* checkAmount(value)
      if (by === "invoice" && transfer === "") return yield* conflict("This gateway takes no bank transfers.")
      const takes = by === "card" ? yield* takesCards : undefined
      const payment = yield* Effect.gen(function* () {
        yield* lock("accounts", [account])
        const [open = {}] = yield* query`SELECT COUNT(*) AS held FROM payments WHERE account = ${account}
            AND state = 'open' AND ${literal(`kind ${by === "invoice" ? "=" : "<>"} 'invoice'`)}`
        if (amount(open, "held") >= BigInt(mostOpen))
          return yield* conflict(`You have ${mostOpen} open payments; pay one, or wait.`)
        return yield* rows.insertPayment(account, by, value, saveCard)
      }).pipe(sql.withTransaction)
      return takes === undefined ? payment : yield* cards.checkout(takes, payment, back)
    }),
    /** Asks the provider, and books what it says. */
    check: (id: string) => awaited(Effect.flatMap(get(id), cards.sync)),
    invoicePaid: (id: string, note: string) =>
      ending(
        "invoice paid",
        id,
        ["open"],
        Effect.fnUntraced(function* ({ account, amount: value, kind }) {
          if (kind !== "invoice") return yield* conflict(`${id} is paid by card.`)
          yield* accounts.topUp(account, value, note, id)
          const now = yield* Clock.currentTimeMillis
          yield* query`UPDATE payments SET state = 'paid', paid_at = ${now} WHERE id = ${id}`
        })
      ),
    /** `customer`: the account that asks. It ends its own invoices. */
    end: Effect.fnUntraced(function* (id: string, reason: string, customer?: string) {
      const { account, kind, provider: by, reference, state } = yield* get(id)
      if (customer !== undefined && customer !== account) return yield* PaymentRows.noPayment(id)
      if (customer !== undefined && kind !== "invoice") return yield* conflict(`${id} is paid by card.`)
      if (state === "open" && kind === "recharge") return yield* conflict("A charge of a saved card cannot be ended.")
      if (state === "open" && reference !== null && by === name) yield* awaited((yield* takesCards).cancel(reference))
      return yield* ending("payment ended", id, ["open", "unknown"], () => close(id, "failed", reason))
    }),
    /** Takes an event of the provider. */
    event: Effect.fnUntraced(function* (...event: Parameters<PaymentProvider["event"]>) {
      const about = yield* (yield* takesCards).event(...event)
      if (about === undefined) return
      yield* query`UPDATE payments SET reference = COALESCE(reference, ${about.reference})
        WHERE id = ${about.payment} AND provider = ${name}`
      // Another gateway may take payments by the same provider.
      yield* Effect.forEach(yield* find(`WHERE id = ${mark(1)}`, [about.payment]), cards.sync)
    }),
    /** Asks for open payments, refunds and chargebacks that are due, and charges the saved cards of accounts that have little left. */
    work: Effect.gen(function* () {
      const due = `WHERE state = 'open' AND look_at <= ${mark(1)} ORDER BY look_at LIMIT ${mostAtOnce}`
      yield* eachOf(yield* find(due, [yield* Clock.currentTimeMillis]), dueNow)
      yield* refunds.work
      if (provider !== undefined) yield* automatic.work
      yield* askForReturned
    }).pipe(Effect.provideService(Trail.CurrentCause, { who: "payments", address: null, request: "" }))
  }
})

export type Payments = Effect.Success<ReturnType<typeof make>>

/** `undefined`: customers do not pay here. */
export const CurrentPayments = Context.Reference<Payments | undefined>("@tollgate/gateway/Payments", {
  defaultValue: () => undefined
})
