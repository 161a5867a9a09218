import { type BigMicroUsd, micro } from "@tollgate/contract/Money"
import { Accounts, AccountsError } from "@tollgate/ledger/account/Accounts"
import { usd } from "@tollgate/ledger/account/entries"
import { KeyHash } from "@tollgate/ledger/credential/KeyHash"
import { doesNotTouchLedger } from "@tollgate/ledger/store/EmbeddedStore"
import * as Rows from "@tollgate/ledger/store/rows"
import { amount, type Row, text } from "@tollgate/ledger/store/rows"
import * as Trail from "@tollgate/ledger/trail/Trail"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { PaymentError, type PaymentProvider, type Seen } from "./PaymentProvider.ts"
import { type Payer, payerOf, type Payment, paymentOf } from "./rows.ts"

export interface PaymentSettings {
  /** Takes cards. `undefined`: none are taken. */
  readonly provider: PaymentProvider | undefined
  /** Where customers send the money of an invoice. Empty: there are no invoices. */
  readonly transfer: string
  readonly least: BigMicroUsd
  readonly most: BigMicroUsd
}

type Result<A> = Effect.Effect<A, AccountsError | SqlError>

/**
 * Payments by customers. What is paid is a top-up whose id is that of the payment, so it is booked once, however often and in whatever
 * order it is told. The provider is asked for everything that is booked: an event only says when to ask.
 */
export interface Payments {
  readonly settings: PaymentSettings
  readonly list: (
    of: { readonly account?: string | undefined; readonly state?: string | undefined },
    most: number
  ) => Result<ReadonlyArray<Payment>>
  readonly get: (id: string) => Result<Payment>
  readonly payer: (account: string) => Effect.Effect<Payer | undefined, SqlError>
  /** What the saved card was charged by itself in this UTC month. */
  readonly recharged: (account: string) => Effect.Effect<bigint, SqlError>
  readonly create: (
    account: string,
    wanted: {
      readonly amount: BigMicroUsd
      readonly by: "card" | "invoice"
      readonly saveCard: boolean
      readonly back: string
    }
  ) => Result<Payment>
  readonly setRecharge: (account: string, recharge: Payer["recharge"]) => Result<void>
  readonly forgetCard: (account: string) => Result<void>
  /** Asks the provider, and books what it says. */
  readonly check: (id: string) => Result<Payment>
  readonly refund: (
    id: string,
    amount: BigMicroUsd | undefined,
    reason: string,
    refund: string | undefined
  ) => Result<Payment>
  readonly invoicePaid: (id: string, note: string) => Result<Payment>
  readonly end: (id: string, reason: string) => Result<Payment>
  /** Takes an event of the provider. */
  readonly event: (body: string, signature: string) => Effect.Effect<void, AccountsError | PaymentError | SqlError>
  /** Asks for open payments and refunds that are due, and charges the saved cards of accounts that have little left. */
  readonly work: Effect.Effect<void, SqlError>
}

/** `undefined`: customers do not pay here. */
export const CurrentPayments = Context.Reference<Payments | undefined>("@tollgate/gateway/Payments", {
  defaultValue: () => undefined
})

const cent = 10_000n
const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** Providers forget after a day with which id something was asked for. */
const repeatMillis = 20 * hour
const mostOpen = 20
const mostAtOnce = 100
/** A slow answer holds up few others. */
const atOnce = { concurrency: 10, discard: true } as const
/** A page that was not made by then never is. */
const beginMillis = 5 * minute
const invoiceMillis = 90 * day

const centsOf = (micros: bigint): number => Number(micros / cent)
const microsOf = (cents: number): BigMicroUsd => micro(BigInt(cents) * cent)

const conflict = (message: string) => new AccountsError({ reason: "conflict", message })

/** Customers wait for what they have just paid. */
const pause = (createdAt: number, now: number): number =>
  Math.floor(Math.min(hour, Math.max(10 * second, (now - createdAt) / 4)))

const monthStart = (now: number): number => Date.parse(`${new Date(now).toISOString().slice(0, 7)}-01T00:00:00Z`)

/** Payments by customers, of which `work` has to be repeated. */
export const make = Effect.fnUntraced(function* (settings: PaymentSettings) {
  const { least, most, provider, transfer } = settings
  const sql = yield* SqlClient
  const accounts = yield* Accounts
  const random = yield* SecureRandom
  const rows = Rows.make(sql)
  const { insert, literal, lock, mark, query, run } = rows
  const trail = Trail.make(sql, yield* KeyHash)
  const name = provider?.name ?? ""

  const hex = Effect.map(random.randomBytes(10), Hex.encode)

  const get = Effect.fnUntraced(function* (id: string) {
    const [row] = yield* query`SELECT * FROM payments WHERE id = ${id}`
    if (row !== undefined) return paymentOf(row)
    return yield* new AccountsError({ reason: "missing", message: `There is no payment ${id}.` })
  }, doesNotTouchLedger)

  const cards = Effect.suspend(() =>
    provider === undefined ? Effect.fail(conflict("This gateway takes no cards.")) : Effect.succeed(provider)
  )

  const payer = (account: string) =>
    doesNotTouchLedger(
      Effect.map(
        query`SELECT * FROM payers WHERE account = ${account} AND provider = ${name}`,
        ([row]) => row && payerOf(row)
      )
    )

  const savedCard = Effect.fnUntraced(function* (account: string) {
    const by = yield* payer(account)
    return by?.method == null ? undefined : { customer: by.customer, method: by.method }
  })

  const insertPayment = Effect.fnUntraced(function* (
    account: string,
    kind: Payment["kind"],
    value: bigint,
    saveCard = false
  ) {
    const id = `pay_${yield* hex}`
    const now = yield* Clock.currentTimeMillis
    yield* insert(
      "payments",
      ["id", "account", "provider", "kind", "amount", "state", "save_card", "created_at", "look_at"],
      [[id, account, kind === "invoice" ? "transfer" : name, kind, value, "open", saveCard ? 1 : 0, now, now + minute]]
    )
    return yield* get(id)
  })

  const close = (id: string, state: "failed" | "unknown", problem: string) =>
    query`UPDATE payments SET state = ${state}, url = NULL, problem = ${problem} WHERE id = ${id} AND paid_at IS NULL`

  /** A card that was declined is not charged by itself again. */
  const declined = Effect.fnUntraced(function* ({ account, id, kind, state }: Payment, problem: string) {
    yield* close(id, "failed", problem)
    if (kind === "recharge" && state === "open")
      yield* query`UPDATE payers SET problem = ${problem} WHERE account = ${account}`
  })

  /** What the trail says of a payer. It locks the account. */
  const payerTerms = Effect.fnUntraced(function* (account: string) {
    yield* lock("accounts", [account])
    const [row] = yield* query`SELECT card, below, amount, month_limit FROM payers WHERE account = ${account}`
    return { account, card: null, below: null, amount: null, month_limit: null, ...row } as Row
  })

  const changingPayer = <A, E, R>(action: string, account: string, effect: Effect.Effect<A, E, R>) =>
    trail.changing(action, account, payerTerms(account), effect)

  const saveCard = (account: string, { customer, method, words }: NonNullable<Seen["card"]>) =>
    changingPayer(
      "card saved",
      account,
      query`INSERT INTO payers (account, provider, customer, method, card) VALUES
        (${account}, ${name}, ${customer}, ${method}, ${words}) ON CONFLICT (account) DO UPDATE SET provider = excluded.provider,
        below = CASE WHEN payers.provider = excluded.provider THEN payers.below END, customer = excluded.customer,
        method = excluded.method, card = excluded.card, problem = ''`
    )

  /** Why something could not be booked. Empty: it is booked. */
  const problemOf = (booked: Result<unknown>) =>
    Effect.as(booked, "").pipe(Effect.catchTag("AccountsError", ({ message }) => Effect.succeed(message)))

  /**
   * Books what a payment gave back. Each part has an id of its own, and is booked once. What came back is taken first: an older answer
   * that comes later finds it taken.
   */
  const bookReturned = Effect.fnUntraced(function* ({ account, id }: Payment, { returned }: Seen) {
    let problem = ""
    for (const { cents, id: entry, kind, undone } of returned) {
      const words = `${kind} of ${id}`
      const taken = accounts.reverse(account, microsOf(cents), words, entry)
      const back = accounts.topUp(account, microsOf(cents), `${words}, undone`, `back:${entry}`)
      const wrong = yield* problemOf(undone ? sql.withTransaction(Effect.andThen(taken, back)) : taken)
      problem ||= wrong
    }
    return problem
  })

  /** Asks the provider what became of a payment, and books it. An answer that is older than what is known changes nothing. */
  const sync = Effect.fnUntraced(function* (payment: Payment) {
    const { account, amount: value, createdAt, id, reference } = payment
    const now = yield* Clock.currentTimeMillis
    yield* query`UPDATE payments SET look_at = ${now + pause(createdAt, now)} WHERE id = ${id}`
    if (provider === undefined || payment.provider !== name || reference === null) return payment
    const seen = yield* provider.look(reference)
    if (seen.state === "failed") yield* declined(payment, seen.problem)
    if (seen.state !== "paid") return yield* get(id)
    const isOther = seen.account !== account || microsOf(seen.cents) !== value || seen.currency !== "usd"
    const wrong = isOther
      ? `${seen.cents} cents in ${seen.currency} were paid for ${seen.account}: not booked.`
      : yield* problemOf(accounts.topUp(account, value, "card payment", id))
    if (wrong !== "") {
      yield* Effect.logError("a payment was not booked", { payment: id, wrong })
      yield* close(id, "unknown", wrong)
      return yield* get(id)
    }
    if (payment.saveCard && payment.paidAt === null && seen.card !== null) yield* saveCard(account, seen.card)
    const problem = yield* bookReturned(payment, seen)
    const returned = seen.returned.reduce((sum, { cents, undone }) => (undone ? sum : sum + microsOf(cents)), 0n)
    yield* query`UPDATE payments SET state = 'paid', url = NULL, receipt = ${seen.receipt}, returned = ${returned},
      paid_at = COALESCE(paid_at, ${now}), looked_at = ${now}, problem = ${problem} WHERE id = ${id} AND looked_at <= ${now}`
    return yield* get(id)
  })

  /** The same for somebody who waits for it. */
  const checked = (payment: Payment) =>
    Effect.catchTag(sync(payment), "PaymentError", ({ message }) => Effect.fail(conflict(message)))

  /** Charges the saved card. The provider does it once, however often it is asked. */
  const charge = Effect.fnUntraced(function* (payment: Payment) {
    const { account, amount: value, createdAt, id } = payment
    const card = yield* savedCard(account)
    const now = yield* Clock.currentTimeMillis
    yield* query`UPDATE payments SET look_at = ${now + pause(createdAt, now)} WHERE id = ${id}`
    // An earlier try may have reached the provider.
    if (provider === undefined || card === undefined) return void (yield* close(id, "unknown", "The card was removed."))
    if (now > createdAt + repeatMillis) return void (yield* close(id, "unknown", "The provider did not answer."))
    const asked = yield* Effect.result(provider.charge({ id, account, cents: centsOf(value) }, card))
    if (asked._tag === "Success") {
      yield* query`UPDATE payments SET reference = ${asked.success.reference} WHERE id = ${id}`
      return void (yield* sync(yield* get(id)))
    }
    const { message, reason } = asked.failure
    if (reason !== "refused") return
    yield* declined(payment, message)
  })

  const rechargedSince = (start: string) => `(SELECT COALESCE(SUM(payments.amount), 0) FROM payments
    WHERE payments.account = payers.account AND kind = 'recharge' AND state <> 'failed' AND payments.created_at >= ${start})`
  const selectDue = `SELECT payers.account, payers.amount FROM payers JOIN accounts ON accounts.id = payers.account
    WHERE payers.provider = ${mark(1)} AND below IS NOT NULL AND method IS NOT NULL AND problem = ''
    AND balance - reserved < below AND payers.amount + ${rechargedSince(mark(2))} <= month_limit AND NOT EXISTS
    (SELECT 1 FROM payments WHERE payments.account = payers.account AND kind = 'recharge' AND state IN ('open', 'unknown'))`

  /** Of two gateways one makes the payment. */
  const makeDue = Effect.fnUntraced(function* (account: string) {
    yield* lock("accounts", [account])
    const now = yield* Clock.currentTimeMillis
    const [row] = yield* run(`${selectDue} AND payers.account = ${mark(3)}`, [name, monthStart(now), account])
    return row && (yield* insertPayment(account, "recharge", amount(row, "amount")))
  }, sql.withTransaction)

  const lost = ({ id }: Payment, message: string) =>
    query`UPDATE payments SET problem = ${`It is not known if a refund was given: ${message}`} WHERE id = ${id}`

  /** Gives back what was taken from the balance. */
  const give = Effect.fnUntraced(function* (refund: Row) {
    const id = text(refund, "id")
    const payment = yield* get(text(refund, "payment"))
    const [taken] = yield* rows.byIds("id", "entries", [id])
    const end = (state: string) => query`UPDATE payment_refunds SET state = ${state} WHERE id = ${id}`
    if (taken === undefined) return void (yield* end("refused"))
    if (provider === undefined || payment.provider !== name || payment.reference === null) return
    // It may have been given longer ago than the provider knows our ids.
    const { returned } = yield* Effect.tapErrorTag(
      provider.look(payment.reference),
      "PaymentError",
      ({ message, reason }) =>
        reason === "refused" ? Effect.andThen(end("unknown"), lost(payment, message)) : Effect.void
    )
    if (!returned.some((one) => one.id === id)) {
      const value = micro(amount(refund, "amount"))
      const asked = yield* Effect.result(provider.refund(payment.reference, { id, cents: centsOf(value) }))
      if (asked._tag === "Failure" && asked.failure.reason === "refused") {
        yield* accounts.topUp(payment.account, value, `refund of ${payment.id}, refused`, `back:${id}`)
        yield* end("refused")
      }
      if (asked._tag === "Failure") return yield* asked.failure
    }
    yield* end("done")
    yield* sync(payment)
  })

  const newRefund = Effect.fnUntraced(function* (id: string, payment: string, wanted: bigint | undefined) {
    const { account } = yield* get(payment)
    yield* lock("accounts", [account])
    const { amount: paid, paidAt, provider: by, returned } = yield* get(payment)
    const [known] = yield* query`SELECT * FROM payment_refunds WHERE id = ${id}`
    if (known !== undefined) {
      const state = text(known, "state")
      if (state === "refused" || state === "unknown") return yield* conflict(`${id} is ${state}; use another id.`)
      if (wanted === undefined || wanted === amount(known, "amount")) return known
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
    if (value <= 0n || value > left || value % cent !== 0n) {
      return yield* conflict(`Of ${payment} ${usd(left)} can be given back, in whole cents.`)
    }
    const now = yield* Clock.currentTimeMillis
    yield* insert(
      "payment_refunds",
      ["id", "payment", "amount", "state", "created_at"],
      [[id, payment, value, "open", now]]
    )
    return { id, payment, amount: value, state: "open" } as Row
  }, sql.withTransaction)

  /** Of two changes at once the second sees the first. */
  const ending = (
    action: string,
    id: string,
    states: ReadonlyArray<string>,
    effect: (payment: Payment) => Result<unknown>
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
    const now = yield* Clock.currentTimeMillis
    if (kind === "recharge" && reference === null) return yield* charge(payment)
    if (reference !== null) return void (yield* sync(payment))
    if (now > createdAt + (kind === "invoice" ? invoiceMillis : beginMillis))
      return void (yield* close(id, "failed", "It was not paid in time."))
    yield* query`UPDATE payments SET look_at = ${now + pause(createdAt, now)} WHERE id = ${id}`
  })

  const isAmount = (value: bigint) => value >= least && value <= most && value % cent === 0n
  const amounts = `An amount from ${usd(least)} to ${usd(most)} is expected, in whole cents.`

  const payments: Payments = {
    settings,
    get,
    payer,
    list: ({ account, state }, limit) => {
      const given = Object.entries({ account, state }).filter((one): one is [string, string] => one[1] !== undefined)
      const where = given.map(([column], i) => `${i === 0 ? "WHERE" : "AND"} ${column} = ${mark(i + 1)}`).join(" ")
      const found = run(
        `SELECT * FROM payments ${where} ORDER BY created_at DESC, id LIMIT ${limit}`,
        given.map(([, value]) => value)
      )
      return doesNotTouchLedger(Effect.map(found, (all) => all.map(paymentOf)))
    },
    recharged: Effect.fnUntraced(function* (account) {
      const start = monthStart(yield* Clock.currentTimeMillis)
      const [row] = yield* run(`SELECT ${rechargedSince(mark(1))} AS amount FROM payers WHERE account = ${mark(2)}`, [
        start,
        account
      ])
      return row === undefined ? 0n : amount(row, "amount")
    }, doesNotTouchLedger),
    create: Effect.fnUntraced(function* (account, { amount: value, back, by, saveCard: isSaved }) {
      if (!isAmount(value)) return yield* conflict(amounts)
      if (by === "invoice" && transfer === "") return yield* conflict("This gateway takes no bank transfers.")
      const takes = by === "card" ? yield* cards : undefined
      const payment = yield* Effect.gen(function* () {
        yield* lock("accounts", [account])
        const [open = {}] = yield* query`SELECT COUNT(*) AS held FROM payments WHERE account = ${account}
            AND state = 'open' AND ${literal(`kind ${by === "invoice" ? "=" : "<>"} 'invoice'`)}`
        if (amount(open, "held") >= BigInt(mostOpen))
          return yield* conflict(`You have ${mostOpen} open payments; pay one, or wait.`)
        return yield* insertPayment(account, by, value, isSaved)
      }).pipe(sql.withTransaction)
      if (takes === undefined) return payment
      const { id } = payment
      const customer = (yield* payer(account))?.customer ?? null
      const pageFor = (customer: string | null) =>
        takes.checkout({ id, account, cents: centsOf(value) }, { customer, saveCard: isSaved, back: back + id })
      // The provider may have forgotten a customer.
      const page = Effect.catchTag(pageFor(customer), "PaymentError", (error) =>
        customer !== null && error.reason === "refused" ? pageFor(null) : Effect.fail(error)
      )
      const { reference, url } = yield* Effect.catchTag(page, "PaymentError", ({ message }) =>
        Effect.andThen(close(id, "failed", message), Effect.fail(conflict(message)))
      )
      const now = yield* Clock.currentTimeMillis
      yield* query`UPDATE payments SET reference = ${reference}, url = ${url}, look_at = ${now + pause(now, now)} WHERE id = ${id}`
      return yield* get(id)
    }),
    setRecharge: Effect.fnUntraced(function* (account, terms) {
      if (terms !== null) {
        if ((yield* savedCard(account)) === undefined) return yield* conflict("Save a card first: with a payment.")
        if (!isAmount(terms.amount)) return yield* conflict(amounts)
        if (terms.monthLimit < terms.amount) return yield* conflict("The limit of a month is less than one payment.")
      }
      const { amount: value, below, monthLimit } = terms ?? { amount: null, below: null, monthLimit: null }
      yield* changingPayer(
        "recharge changed",
        account,
        query`UPDATE payers SET below = ${below}, amount = ${value}, month_limit = ${monthLimit}, problem = '' WHERE account = ${account}`
      )
    }),
    forgetCard: Effect.fnUntraced(function* (account) {
      const card = yield* savedCard(account)
      if (card === undefined) return
      yield* Effect.catchTag((yield* cards).forget(card), "PaymentError", ({ message, reason }) =>
        reason === "refused" ? Effect.void : Effect.fail(conflict(message))
      )
      const gone = query`UPDATE payers SET method = NULL, card = NULL, below = NULL, amount = NULL, month_limit = NULL, problem = ''
        WHERE account = ${account}`
      yield* changingPayer("card removed", account, gone)
    }),
    check: (id) => Effect.flatMap(get(id), checked),
    refund: Effect.fnUntraced(function* (id, wanted, reason, refund) {
      const entry = `${id}.${refund ?? (yield* hex)}`
      const row = yield* newRefund(entry, id, wanted)
      if (text(row, "state") === "open") {
        const { account } = yield* get(id)
        yield* Effect.tapErrorTag(
          accounts.reverse(account, micro(amount(row, "amount")), reason, entry, "available"),
          "AccountsError",
          () => query`UPDATE payment_refunds SET state = 'refused' WHERE id = ${entry}`
        )
        yield* Effect.catchTag(give(row), "PaymentError", ({ message, reason }) =>
          // Otherwise it is asked for again.
          reason === "refused" ? Effect.fail(conflict(message)) : Effect.void
        )
      }
      return yield* get(id)
    }),
    invoicePaid: (id, note) =>
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
    end: Effect.fnUntraced(function* (id, reason) {
      const { kind, provider: by, reference, state } = yield* get(id)
      if (state === "open" && kind === "recharge") return yield* conflict("A charge of a saved card cannot be ended.")
      if (state === "open" && reference !== null && by === name) {
        yield* Effect.catchTag((yield* cards).cancel(reference), "PaymentError", ({ message }) =>
          Effect.fail(conflict(message))
        )
      }
      return yield* ending("payment ended", id, ["open", "unknown"], () => close(id, "failed", reason))
    }),
    event: Effect.fnUntraced(function* (body, signature) {
      const about = yield* (yield* cards).event(body, signature)
      if (about === undefined) return
      yield* query`UPDATE payments SET reference = COALESCE(reference, ${about.reference})
        WHERE id = ${about.payment} AND provider = ${name}`
      // Another gateway may take payments by the same provider.
      const [row] = yield* query`SELECT * FROM payments WHERE id = ${about.payment}`
      if (row !== undefined) yield* sync(paymentOf(row))
    }),
    work: Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const open = yield* doesNotTouchLedger(
        query`SELECT * FROM payments WHERE state = 'open' AND look_at <= ${now} ORDER BY look_at LIMIT ${mostAtOnce}`
      )
      yield* Effect.forEach(open, (row) => Effect.ignore(dueNow(paymentOf(row))), atOnce)
      const refunds = yield* doesNotTouchLedger(
        query`SELECT * FROM payment_refunds WHERE state = 'open' AND created_at <= ${now - minute} ORDER BY created_at LIMIT ${mostAtOnce}`
      )
      yield* Effect.forEach(refunds, (row) => Effect.ignore(give(row)), atOnce)
      if (provider === undefined) return
      const due = yield* run(selectDue, [name, monthStart(now)])
      const charged = (row: Row) =>
        Effect.flatMap(makeDue(text(row, "account")), (payment) => (payment ? charge(payment) : Effect.void))
      yield* Effect.forEach(due, (row) => Effect.ignore(charged(row)), atOnce)
    }).pipe(Effect.provideService(Trail.CurrentCause, { who: "payments", address: null, request: "" }))
  }
  return payments
})
