import { describe, expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import {
  Accounts,
  Audit,
  Composition,
  KeyHash,
  makePretend,
  PaymentError,
  type PaymentProvider,
  Payments
} from "@tollgate/gateway"
import * as Rows from "@tollgate/ledger/store/rows"
import { withTrail } from "@tollgate/ledger/trail/verify"
import { NodeDigest, NodeSqliteClient } from "@tollgate/server"
import { PostgresClient } from "@tollgate/server/postgres"
import { hasPostgres, migratedDatabase } from "@tollgate/testing/store/postgres"
import * as Effect from "effect/Effect"
import * as Deferred from "effect/Deferred"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"

type Seen = Effect.Success<ReturnType<PaymentProvider["look"]>>

const secret = Redacted.make(new Uint8Array(32).fill(7))
const usd = (amount: number) => micro(BigInt(Math.round(amount * 1_000_000)))
const failing = (reason: PaymentError["reason"], message = reason as string) =>
  Effect.fail(new PaymentError({ reason, message }))

/** A provider whose answers the test sets. It counts what it does. */
const scripted = () => {
  const seen = new Map<string, Seen>()
  const done: Array<string> = []
  const askedSince: Array<number> = []
  let next: ReturnType<typeof failing> | undefined
  /** The next request is answered with a failure, before or after it was carried out. */
  const faulty = <A>(run: () => A) =>
    Effect.suspend(() => {
      const fault = next
      next = undefined
      if (fault === undefined) return Effect.succeed(run())
      return Effect.tapErrorTag(fault, "PaymentError", ({ reason }) =>
        Effect.sync(() => (reason === "unknown" ? run() : 0))
      )
    })
  const once = (what: string) => void (done.includes(what) || done.push(what))
  const provider: PaymentProvider = {
    name: "scripted",
    isPretend: false,
    checkout: ({ account, cents, id }) =>
      faulty(() => {
        seen.set(id, { ...nothing, account, cents, state: "open" })
        return { reference: id, url: `https://pay.example.com/${id}` }
      }),
    charge: ({ account, cents, id }) =>
      faulty(() => {
        once(`charge ${id}`)
        seen.set(id, { ...nothing, account, cents, state: "paid" })
        return { reference: id }
      }),
    look: (reference) => faulty(() => seen.get(reference)!),
    returnedSince: (millis) =>
      Effect.sync(() => {
        askedSince.push(millis)
        return [...seen].flatMap(([payment, { returned }]) => returned.map((one) => ({ payment, returned: one })))
      }),
    cancel: () => faulty(() => {}),
    refund: (reference, { cents, id }) =>
      faulty(() => {
        if (done.includes(`refund ${id}`)) return
        once(`refund ${id}`)
        change(reference, ({ returned }) => ({ returned: [...returned, { id, kind: "refund", cents, undone: false }] }))
      }),
    forget: () => faulty(() => {}),
    event: (body) => Effect.succeed({ payment: body, reference: body })
  }
  const nothing = { currency: "usd", receipt: "https://r.example.com", card: null, returned: [], problem: "" } as const
  const change = (id: string, of: (seen: Seen) => Partial<Seen>) => {
    const before = seen.get(id)!
    seen.set(id, { ...before, ...of(before) })
  }
  return { provider, done, askedSince, change, fail: (fault?: ReturnType<typeof failing>) => void (next = fault) }
}

const card = { customer: "cus_1", method: "pm_1", words: "visa 4242" }

const sqlite = Layer.provideMerge(Composition.layerStore(secret), NodeSqliteClient.layer({ filename: ":memory:" }))
const postgres = Layer.unwrap(
  Effect.map(migratedDatabase, (address) =>
    Composition.layerStore(secret).pipe(
      Layer.provideMerge(PostgresClient.layer({ address })),
      Layer.provide(NodeDigest.layer)
    )
  )
)

const world = Effect.gen(function* () {
  const script = scripted()
  const payments = yield* Payments.make({
    provider: script.provider,
    transfer: "IBAN XX00",
    least: usd(5),
    most: usd(1_000)
  })
  const accounts = yield* Accounts
  const { id: account } = yield* accounts.create("Acme")
  const sql = yield* SqlClient
  const pay = (amount: number, saveCard = false) =>
    Effect.gen(function* () {
      const { id } = yield* payments.create(account, { amount: usd(amount), by: "card", saveCard, back: "" })
      script.change(id, () => ({ state: "paid", card: saveCard ? card : null }))
      return yield* payments.check(id)
    })
  const balance = Effect.map(accounts.get(account), ({ balance, tier }) => [Number(balance) / 1e6, tier])
  const isRight = Effect.gen(function* () {
    const { differences } = yield* withTrail(Audit.run, Rows.make(sql), yield* KeyHash)
    expect(differences).toEqual([])
  })
  const spend = (amount: number) => accounts.adjust(account, BigInt(-amount * 1e6), "spent")
  return { ...script, payments, accounts, account, pay, balance, isRight, spend, sql }
})

describe.each([["SQLite", sqlite], ...(hasPostgres ? ([["PostgreSQL", postgres]] as const) : [])] as const)(
  "payments on %s",
  (_, store) => {
    const test = <A, E>(
      name: string,
      run: (of: Effect.Success<typeof world>) => Effect.Effect<A, E, Effect.Services<typeof world>>
    ) => it.effect(name, () => Effect.provide(Effect.flatMap(world, run), store as typeof sqlite))

    test("what is paid is booked once, and raises the tier at once", ({
      account,
      accounts,
      balance,
      change,
      isRight,
      payments
    }) =>
      Effect.gen(function* () {
        const made = yield* payments.create(account, { amount: usd(25), by: "card", saveCard: false, back: "" })
        expect(made).toMatchObject({ state: "open", url: `https://pay.example.com/${made.id}` })
        expect(yield* payments.check(made.id)).toMatchObject({ state: "open" })
        expect(yield* balance).toEqual([5, "Free"])
        change(made.id, () => ({ state: "paid" }))
        const all = Array.from({ length: 8 }, () => payments.event(made.id, {}))
        yield* Effect.all([...all, payments.work], { concurrency: "unbounded" })
        expect(yield* payments.get(made.id)).toMatchObject({
          state: "paid",
          url: null,
          receipt: "https://r.example.com"
        })
        expect(yield* balance).toEqual([30, "Starter"])
        expect((yield* accounts.entries(account)).map(({ id, kind }) => [kind, id])).toContainEqual(["topup", made.id])
        yield* isRight
      }))

    test("an event of another account, amount or currency books nothing", ({
      account,
      balance,
      change,
      isRight,
      payments
    }) =>
      Effect.gen(function* () {
        for (const wrong of [{ account: "acct_other" }, { cents: 1 }, { cents: 250_000 }, { currency: "jpy" }]) {
          const { id } = yield* payments.create(account, { amount: usd(25), by: "card", saveCard: false, back: "" })
          change(id, () => ({ state: "paid", ...wrong }))
          yield* payments.event(id, {})
          expect(yield* payments.get(id)).toMatchObject({ state: "unknown", paidAt: null })
        }
        yield* payments.event("pay_of_another_gateway", {})
        expect(yield* balance).toEqual([5, "Free"])
        yield* isRight
      }))

    test("one that was ended here, and is paid all the same, is booked", ({ account, balance, change, payments }) =>
      Effect.gen(function* () {
        const { id } = yield* payments.create(account, { amount: usd(25), by: "card", saveCard: false, back: "" })
        expect(yield* payments.end(id, "wrong amount")).toMatchObject({ state: "failed", problem: "wrong amount" })
        expect(yield* Effect.flip(payments.end(id, "again"))).toMatchObject({ message: `${id} is failed.` })
        change(id, () => ({ state: "paid" }))
        yield* payments.event(id, {})
        expect(yield* payments.get(id)).toMatchObject({ state: "paid", problem: "" })
        expect(yield* balance).toEqual([30, "Starter"])
      }))

    test("amounts, and how many may be open, are bounded", ({ account, fail, payments }) =>
      Effect.gen(function* () {
        const create = (amount: bigint, by: "card" | "invoice" = "card") =>
          payments.create(account, { amount: micro(amount), by, saveCard: false, back: "" })
        for (const amount of [0n, 1n, 4_990_000n, 5_000_001n, 1_000_010_000n]) {
          expect(yield* Effect.flip(create(amount))).toMatchObject({
            message: "An amount from 5 USD to 1000 USD is expected, in whole cents."
          })
        }
        fail(failing("unavailable", "Cards cannot be taken now."))
        expect(yield* Effect.flip(create(5_000_000n))).toMatchObject({ message: "Cards cannot be taken now." })
        for (let i = 0; i < 20; i++) yield* create(5_000_000n, "invoice")
        expect(yield* Effect.flip(create(5_000_000n, "invoice"))).toMatchObject({ reason: "conflict" })
        for (let i = 0; i < 20; i++) yield* create(5_000_000n)
        expect(yield* Effect.flip(create(5_000_000n))).toMatchObject({
          message: "You have 20 open payments; pay one, or wait."
        })
      }))

    test("a refund leaves the balance first, and is given once", ({
      account,
      balance,
      done,
      fail,
      isRight,
      pay,
      payments,
      spend
    }) =>
      Effect.gen(function* () {
        const { id } = yield* pay(25)
        const other = { message: `${id}.r1 was asked for before, with another amount.` }
        yield* payments.refund(id, usd(5), "too much", "r1")
        yield* payments.refund(id, usd(5), "too much", "r1")
        expect(yield* Effect.flip(payments.refund(id, usd(6), "too much", "r1"))).toMatchObject(other)
        expect(yield* payments.get(id)).toMatchObject({ returned: usd(5) })
        expect(yield* balance).toEqual([25, "Starter"])
        for (const amount of [usd(20.01), micro(1n)]) {
          expect(yield* Effect.flip(payments.refund(id, amount, "more", undefined))).toMatchObject({
            message: `Of ${id} 20 USD can be given back, in whole cents.`
          })
        }
        fail(failing("unavailable"))
        yield* payments.refund(id, usd(1), "provider is down", "r2")
        expect(yield* balance).toEqual([24, "Starter"])
        expect(done).toEqual([`refund ${id}.r1`])
        yield* TestClock.adjust("2 minutes")
        yield* payments.work
        expect(done).toEqual([`refund ${id}.r1`, `refund ${id}.r2`])
        yield* spend(20)
        expect(yield* Effect.flip(payments.refund(id, undefined, "all", "r3"))).toMatchObject({
          message: `${account} has less than that available.`
        })
        expect(yield* balance).toEqual([4, "Starter"])
        yield* isRight
      }))

    test("a refund that the provider refuses comes back to the balance", ({
      balance,
      done,
      fail,
      isRight,
      pay,
      payments,
      provider
    }) =>
      Effect.gen(function* () {
        const { id } = yield* pay(25)
        const { refund } = provider
        Object.assign(provider, { refund: () => failing("refused", "The card is closed.") })
        expect(yield* Effect.flip(payments.refund(id, undefined, "all", "r1"))).toMatchObject({
          message: "The card is closed."
        })
        expect(yield* balance).toEqual([30, "Starter"])
        expect(yield* Effect.flip(payments.refund(id, undefined, "all", "r1"))).toMatchObject({
          message: `${id}.r1 is refused; use another id.`
        })
        Object.assign(provider, {
          refund: (...of: Parameters<typeof refund>) => (fail(failing("unknown")), refund(...of))
        })
        yield* payments.refund(id, undefined, "all", "r2")
        Object.assign(provider, { refund })
        yield* TestClock.adjust("2 minutes")
        yield* Effect.all([payments.work, payments.work], { concurrency: 2 })
        expect(done).toEqual([`refund ${id}.r2`])
        expect(yield* payments.get(id)).toMatchObject({ returned: usd(25) })
        expect(yield* balance).toEqual([5, "Free"])
        yield* isRight
      }))

    test("a refund of a payment that the provider does not know is taken, and told as unknown", ({
      balance,
      fail,
      isRight,
      pay,
      payments
    }) =>
      Effect.gen(function* () {
        const { id } = yield* pay(25)
        fail(failing("refused", "There is none."))
        expect(yield* Effect.flip(payments.refund(id, usd(5), "too much", "r1"))).toMatchObject({ reason: "conflict" })
        yield* TestClock.adjust("2 minutes")
        yield* payments.work
        expect(yield* payments.get(id)).toMatchObject({
          problem: "It is not known if a refund was given: There is none."
        })
        expect(yield* balance).toEqual([25, "Starter"])
        expect(yield* Effect.flip(payments.refund(id, undefined, "x", "r1"))).toMatchObject({
          message: `${id}.r1 is unknown; use another id.`
        })
        expect(yield* Effect.flip(payments.refund(id, usd(21), "x", "r2"))).toMatchObject({
          message: `Of ${id} 20 USD can be given back, in whole cents.`
        })
        yield* isRight
      }))

    test("a chargeback after the money was spent goes below zero, and comes back if it is won", ({
      balance,
      change,
      isRight,
      pay,
      payments,
      spend
    }) =>
      Effect.gen(function* () {
        const { id } = yield* pay(25)
        yield* spend(28)
        const dispute = { id: "dp_1", kind: "chargeback", cents: 2_500, undone: false } as const
        change(id, () => ({ returned: [dispute] }))
        yield* Effect.all([payments.event(id, {}), payments.event(id, {})], { concurrency: 2 })
        expect(yield* balance).toEqual([-23, "Free"])
        change(id, () => ({ returned: [{ ...dispute, undone: true }] }))
        yield* payments.event(id, {})
        yield* payments.event(id, {})
        expect(yield* balance).toEqual([2, "Starter"])
        // One that is told of only when it is over moved nothing.
        change(id, ({ returned }) => ({ returned: [...returned, { ...dispute, id: "dp_2", undone: true }] }))
        yield* payments.event(id, {})
        expect(yield* balance).toEqual([2, "Starter"])
        yield* isRight
      }))

    test("chargebacks whose events were all lost are booked within an hour, once", ({
      account,
      askedSince,
      balance,
      change,
      isRight,
      pay,
      payments,
      provider
    }) =>
      Effect.gen(function* () {
        yield* TestClock.adjust("200 days")
        const ids = yield* Effect.forEach([25, 50], (amount) => Effect.map(pay(amount), ({ id }) => id))
        yield* payments.work
        const dispute = { id: "dp_1", kind: "chargeback", cents: 2_500, undone: false } as const
        const refund = { id: "re_1", kind: "refund", cents: 1_000, undone: false } as const
        change(ids[0]!, () => ({ returned: [dispute] }))
        change(ids[1]!, () => ({ returned: [refund] }))
        yield* TestClock.adjust("59 minutes")
        yield* payments.work
        expect([askedSince.length, (yield* balance)[0]]).toEqual([1, 80])
        yield* TestClock.adjust("1 minute")
        const { look } = provider
        const looks: Array<string> = []
        Object.assign(provider, { look: (of: string) => (looks.push(of), look(of)) })
        const other = yield* Payments.make(payments.settings)
        yield* Effect.all([payments.work, other.work, payments.event(ids[0]!, {})], { concurrency: "unbounded" })
        expect(yield* balance).toEqual([45, "Starter"])
        expect(askedSince.slice(1)).toEqual([8_643_600_000, 8_643_600_000])
        // What is booked is not asked for again.
        looks.length = 0
        yield* TestClock.adjust("1 hour")
        yield* payments.work
        expect([askedSince.length, looks]).toEqual([4, []])
        // One that is unknown here, and a provider that is away, hold nothing up.
        const { returnedSince } = provider
        Object.assign(provider, { returnedSince: () => failing("unavailable") })
        yield* TestClock.adjust("1 hour")
        yield* payments.work
        Object.assign(provider, {
          returnedSince: (millis: number) =>
            Effect.map(returnedSince(millis), (all) => [{ payment: "pay_other", returned: refund }, ...all])
        })
        change(ids[0]!, () => ({ returned: [{ ...dispute, undone: true }] }))
        yield* TestClock.adjust("59 seconds")
        yield* payments.work
        expect(looks).toEqual([])
        yield* TestClock.adjust("1 second")
        yield* payments.work
        expect(yield* balance).toEqual([70, "Starter"])
        change(ids[1]!, () => ({ returned: [{ ...refund, undone: true }] }))
        // As after kill -9: a gateway that starts asks at once.
        yield* (yield* Payments.make(payments.settings)).work
        expect(yield* balance).toEqual([80, "Starter"])
        expect(looks.toSorted()).toEqual(ids.toSorted())
        expect(yield* payments.list({ account, state: undefined }, 10)).toMatchObject([
          { returned: 0n },
          { returned: 0n }
        ])
        yield* isRight
      }))

    test("a refund and a chargeback of the same money are both booked, since both were taken", ({
      balance,
      change,
      isRight,
      pay,
      payments
    }) =>
      Effect.gen(function* () {
        const { id } = yield* pay(25)
        yield* payments.refund(id, undefined, "all", "r1")
        const dispute = { id: "dp_1", kind: "chargeback", cents: 2_500, undone: false } as const
        change(id, ({ returned }) => ({ returned: [...returned, dispute] }))
        yield* Effect.all([payments.event(id, {}), payments.event(id, {})], { concurrency: 2 })
        expect(yield* payments.get(id)).toMatchObject({ state: "paid", returned: usd(50), problem: "" })
        expect(yield* balance).toEqual([-20, "Free"])
        expect(yield* Effect.flip(payments.refund(id, undefined, "x", "r2"))).toMatchObject({
          message: `Of ${id} 0 USD can be given back, in whole cents.`
        })
        // What is paid next counts from there.
        const { id: next } = yield* pay(25)
        expect(yield* balance).toEqual([5, "Free"])
        change(id, ({ returned }) => ({ returned: [...returned.slice(0, -1), { ...dispute, undone: true }] }))
        yield* payments.event(id, {})
        expect(yield* balance).toEqual([30, "Starter"])
        // The other way round, of a part.
        change(next, () => ({ returned: [{ ...dispute, id: "dp_2" }] }))
        yield* payments.event(next, {})
        const refund = { id: "re_1", kind: "refund", cents: 500, undone: false } as const
        change(next, ({ returned }) => ({ returned: [refund, ...returned] }))
        yield* payments.event(next, {})
        expect(yield* payments.get(next)).toMatchObject({ returned: usd(30), problem: "" })
        expect(yield* balance).toEqual([0, "Free"])
        yield* isRight
      }))

    test("a saved card is charged once when little is left, up to the limit of a month", ({
      account,
      balance,
      done,
      isRight,
      pay,
      payments,
      spend
    }) =>
      Effect.gen(function* () {
        const terms = { below: usd(4), amount: usd(20), monthLimit: usd(50) }
        expect(yield* Effect.flip(payments.setRecharge(account, terms))).toMatchObject({
          message: "Save a card first: with a payment."
        })
        yield* pay(10, true)
        expect(yield* payments.payer(account)).toMatchObject({ card: "visa 4242", recharge: null })
        yield* payments.setRecharge(account, terms)
        yield* payments.work
        expect(done).toEqual([])
        for (const left of [22, 21]) {
          yield* spend(left === 22 ? 13 : 21)
          yield* Effect.all([payments.work, payments.work, payments.work], { concurrency: 3 })
          expect((yield* balance)[0]).toBe(left)
        }
        yield* spend(20)
        yield* payments.work
        expect(done).toHaveLength(2)
        expect(yield* payments.recharged(account)).toBe(usd(40))
        yield* TestClock.adjust("32 days")
        yield* payments.work
        expect(done).toHaveLength(3)
        yield* payments.forgetCard(account)
        expect(yield* payments.payer(account)).toMatchObject({ card: null, saved: undefined, recharge: null })
        yield* isRight
      }))

    test("a declined card stops, and an unknown charge is asked again by its own id", ({
      account,
      balance,
      done,
      fail,
      isRight,
      pay,
      payments,
      spend
    }) =>
      Effect.gen(function* () {
        yield* pay(10, true)
        const terms = { below: usd(4), amount: usd(20), monthLimit: usd(500) }
        yield* payments.setRecharge(account, terms)
        yield* spend(14)
        fail(failing("refused", "The card has expired."))
        yield* payments.work
        yield* payments.work
        expect(yield* payments.payer(account)).toMatchObject({ problem: "The card has expired." })
        expect(yield* payments.list({ account, state: "failed" }, 10)).toMatchObject([
          { problem: "The card has expired." }
        ])
        yield* payments.setRecharge(account, terms)
        fail(failing("unknown"))
        yield* payments.work
        yield* payments.work
        expect([(yield* balance)[0], done.length]).toEqual([1, 1])
        yield* TestClock.adjust("1 minute")
        yield* payments.work
        expect([(yield* balance)[0], done.length]).toEqual([21, 1])
        yield* spend(18)
        for (let i = 0; i < 40; i++) {
          fail(failing("unavailable"))
          yield* payments.work
          yield* TestClock.adjust("1 hour")
        }
        const [lost] = yield* payments.list({ account, state: "unknown" }, 10)
        expect(lost).toMatchObject({ problem: "The provider did not answer." })
        fail(undefined)
        yield* payments.end(lost!.id, "not at the provider")
        yield* payments.work
        expect([(yield* balance)[0], done.length]).toEqual([23, 2])
        yield* isRight
      }))

    test("an invoice is booked once, when somebody in finance has seen the money", ({
      account,
      balance,
      isRight,
      payments
    }) =>
      Effect.gen(function* () {
        const create = payments.create(account, { amount: usd(100), by: "invoice", saveCard: false, back: "" })
        const { id } = yield* create
        const twice = yield* Effect.all(
          [1, 2].map((n) => Effect.result(payments.invoicePaid(id, `transfer ${n}`))),
          { concurrency: 2 }
        )
        expect(twice.map(({ _tag }) => _tag).toSorted()).toEqual(["Failure", "Success"])
        expect(yield* Effect.flip(payments.end(id, "late"))).toMatchObject({ message: `${id} is paid.` })
        expect(yield* Effect.flip(payments.refund(id, undefined, "x", undefined))).toMatchObject({
          message: "It came by bank transfer: send it back there, and book a reversal."
        })
        expect(yield* balance).toEqual([105, "Starter"])
        const { id: other } = yield* create
        yield* TestClock.adjust("91 days")
        yield* payments.work
        expect(yield* payments.get(other)).toMatchObject({ state: "failed", problem: "It was not paid in time." })
        yield* isRight
      }))

    test("a customer ends their own open invoice, or somebody in finance books it: one of both", ({
      account,
      accounts,
      balance,
      isRight,
      pay,
      payments,
      sql
    }) =>
      Effect.gen(function* () {
        const { id: other } = yield* accounts.create("Other")
        const create = payments.create(account, { amount: usd(10), by: "invoice", saveCard: false, back: "" })
        let booked = 0
        for (let i = 0; i < 6; i++) {
          const { id } = yield* create
          const end = payments.end(id, "The customer has ended it.", account)
          const both = [end, payments.invoicePaid(id, `transfer ${i}`), end]
          const all = yield* Effect.all(i % 2 === 0 ? both : both.toReversed(), { concurrency: 3, mode: "result" })
          expect(all.filter(({ _tag }) => _tag === "Success")).toHaveLength(1)
          const { paidAt, state } = yield* payments.get(id)
          expect([state, paidAt !== null]).toEqual(state === "paid" ? ["paid", true] : ["failed", false])
          if (state === "paid") booked++
          expect(yield* Effect.flip(end)).toMatchObject({ message: `${id} is ${state}.` })
        }
        expect((yield* balance)[0]).toBe(5 + 10 * booked)
        const { id } = yield* create
        expect(yield* Effect.flip(payments.end(id, "x", other))).toMatchObject({ reason: "missing" })
        expect(yield* payments.end(id, "The customer has ended it.", account)).toMatchObject({ state: "failed" })
        expect(yield* Effect.flip(payments.invoicePaid(id, "late"))).toMatchObject({ message: `${id} is failed.` })
        const { id: card } = yield* pay(25)
        expect(yield* Effect.flip(payments.end(card, "x", account))).toMatchObject({
          message: `${card} is paid by card.`
        })
        const [row] = yield* sql`SELECT COUNT(*) AS n FROM trail WHERE subject = ${id} AND action = 'payment ended'`
        expect(Number(row?.n)).toBe(1)
        yield* isRight
      }))

    test("an entry of something else with the same id hides no chargeback, and gives nothing back", ({
      account,
      accounts,
      balance,
      change,
      isRight,
      pay,
      payments
    }) =>
      Effect.gen(function* () {
        const { id } = yield* pay(25)
        yield* accounts.adjust((yield* accounts.create("Other")).id, 1n, "mine", "dp_1")
        const [taken, undone] = [false, true].map(
          (undone) => ({ id: "dp_1", kind: "chargeback", cents: 500, undone }) as const
        )
        change(id, () => ({ returned: [taken!, { ...taken!, id: "dp_2" }] }))
        yield* payments.event(id, {})
        // What can be booked is.
        expect(yield* balance).toEqual([25, "Starter"])
        expect(yield* payments.get(id)).toMatchObject({ problem: "dp_1 was entered before, with other terms." })
        change(id, () => ({ returned: [undone!] }))
        yield* payments.event(id, {})
        expect(yield* balance).toEqual([25, "Starter"])
        const { id: next } = yield* payments.create(account, { amount: usd(9), by: "card", saveCard: false, back: "" })
        yield* accounts.adjust(account, 1n, "mine", next)
        change(next, () => ({ state: "paid" }))
        yield* payments.event(next, {})
        const expected = { state: "unknown", problem: `${next} was entered before, with other terms.` }
        expect(yield* payments.get(next)).toMatchObject(expected)
        yield* isRight
      }))

    test("the id of a refund is none of what undoes another one", ({ balance, isRight, pay, payments, provider }) =>
      Effect.gen(function* () {
        const { id } = yield* pay(25)
        yield* payments.refund(id, usd(5), "x", "r1:back")
        Object.assign(provider, { refund: () => failing("refused") })
        expect(yield* Effect.flip(payments.refund(id, usd(5), "x", "r1"))).toMatchObject({ message: "refused" })
        expect(yield* balance).toEqual([25, "Starter"])
        yield* isRight
      }))

    test("what another provider took stays as it is here, and can be ended", ({
      account,
      balance,
      isRight,
      pay,
      payments,
      provider,
      spend
    }) =>
      Effect.gen(function* () {
        const { id } = yield* pay(25, true)
        yield* payments.setRecharge(account, { below: usd(4), amount: usd(20), monthLimit: usd(50) })
        const { id: open } = yield* payments.create(account, { amount: usd(9), by: "card", saveCard: false, back: "" })
        const other = { ...provider, name: "other", cancel: () => failing("refused"), look: () => failing("refused") }
        const now = yield* Payments.make({ ...payments.settings, provider: other })
        expect(yield* Effect.flip(now.refund(id, undefined, "x", "r1"))).toMatchObject({
          message: "It came by scripted: send it back there, and book a reversal."
        })
        expect(yield* balance).toEqual([30, "Starter"])
        expect(yield* now.end(open, "it is gone")).toMatchObject({ state: "failed" })
        // A card that is saved now is not charged by what was set for another one elsewhere.
        Object.assign(other, { look: provider.look })
        const { id: next } = yield* now.create(account, { amount: usd(10), by: "card", saveCard: true, back: "" })
        Object.assign(other, {
          look: () =>
            Effect.succeed({
              account,
              cents: 1_000,
              state: "paid",
              currency: "usd",
              receipt: null,
              card,
              returned: [],
              problem: ""
            })
        })
        yield* now.check(next)
        expect(yield* now.payer(account)).toMatchObject({ card: "visa 4242", recharge: null })
        yield* spend(38)
        yield* now.work
        expect(yield* now.list({ account, state: undefined }, 10)).toHaveLength(3)
        yield* isRight
      }))

    test("an event about an invoice makes it no payment by card", ({ account, payments }) =>
      Effect.gen(function* () {
        const { id } = yield* payments.create(account, { amount: usd(9), by: "invoice", saveCard: false, back: "" })
        yield* payments.event(id, {})
        expect(yield* payments.get(id)).toMatchObject({ reference: null, state: "open" })
      }))

    test("an answer that comes late changes nothing that a newer one said", ({
      balance,
      change,
      isRight,
      pay,
      payments,
      provider
    }) =>
      Effect.gen(function* () {
        const { id } = yield* pay(25)
        const refund = { id: "re_1", kind: "refund", cents: 500, undone: false } as const
        change(id, () => ({ returned: [refund] }))
        const { look } = provider
        // Read before the refund failed, and answered after it.
        Object.assign(provider, {
          look: (of: string) =>
            Effect.delay(
              look(of).pipe((_) => Effect.succeed(Effect.runSync(_))),
              "5 seconds"
            )
        })
        const late = yield* Effect.forkChild(payments.event(id, {}))
        yield* Effect.yieldNow
        yield* TestClock.adjust("1 second")
        Object.assign(provider, { look })
        change(id, () => ({ returned: [{ ...refund, undone: true }] }))
        yield* payments.event(id, {})
        yield* TestClock.adjust("10 seconds")
        yield* Fiber.join(late)
        expect(yield* balance).toEqual([30, "Starter"])
        yield* isRight
      }))

    test("slow answers about many open payments hold up few others", ({
      account,
      balance,
      change,
      payments,
      provider
    }) =>
      Effect.gen(function* () {
        const ids: Array<string> = []
        for (let i = 0; i < 20; i++)
          ids.push((yield* payments.create(account, { amount: usd(5), by: "card", saveCard: false, back: "" })).id)
        for (const id of ids) change(id, () => ({ state: "paid" }))
        const { look } = provider
        // No answer comes before a second one was asked for.
        const second = yield* Deferred.make<void>()
        let asked = 0
        Object.assign(provider, {
          look: (of: string) =>
            Effect.suspend(() =>
              Effect.andThen(++asked === 2 ? Deferred.succeed(second, undefined) : Deferred.await(second), look(of))
            )
        })
        yield* TestClock.adjust("1 minute")
        yield* payments.work
        expect((yield* balance)[0]).toBe(105)
      }))

    test("texts of all kinds leave the trail whole", ({ account, accounts, isRight, pay, payments }) =>
      Effect.gen(function* () {
        yield* accounts.change(account, { label: "\ud800 lone \u{1f600}\ufeff\ufffe" })
        yield* accounts.createKey(account, { label: "\udc00" })
        const { id } = yield* pay(25)
        yield* payments.refund(id, usd(1), "a\ud83d", "r1")
        yield* isRight
      }))
  }
)

it.effect("a chargeback that was booked halfway when the gateway ended is booked as a whole later", () =>
  Effect.gen(function* () {
    const { balance, change, isRight, pay, payments, sql } = yield* world
    const { id } = yield* pay(25)
    change(id, () => ({ returned: [{ id: "dp_1", kind: "chargeback", cents: 2_500, undone: false }] }))
    yield* sql`CREATE TRIGGER ended BEFORE UPDATE OF returned ON payments BEGIN SELECT RAISE(ABORT, 'ended'); END`
    expect(yield* Effect.flip(payments.event(id, {}))).toMatchObject({ _tag: "SqlError" })
    yield* sql`DROP TRIGGER ended`
    expect(yield* balance).toEqual([30, "Starter"])
    yield* payments.work
    expect(yield* payments.get(id)).toMatchObject({ returned: usd(25), problem: "" })
    expect(yield* balance).toEqual([5, "Free"])
    yield* isRight
  }).pipe(Effect.provide(sqlite))
)

it.effect("pretend cards end as soon as more than the sandbox is reached, and forgotten ones are failed", () =>
  Effect.gen(function* () {
    let onlySandbox = true
    const make = () => {
      const pretend = makePretend("http://127.0.0.1:1", () => onlySandbox)
      return Effect.map(
        Payments.make({ provider: pretend.provider, transfer: "", least: usd(5), most: usd(10) }),
        (payments) => ({ payments, press: (id: string) => pretend.press(pretend.page(id)!, "pay") })
      )
    }
    const accounts = yield* Accounts
    const { id: account } = yield* accounts.create("Acme")
    const wanted = { amount: usd(5), by: "card", saveCard: false, back: "" } as const
    const { payments, press } = yield* make()
    const ids = yield* Effect.forEach([1, 2, 3], () => Effect.map(payments.create(account, wanted), ({ id }) => id))
    press(ids[0]!)
    expect(yield* payments.check(ids[0]!)).toMatchObject({ state: "paid" })
    onlySandbox = false
    press(ids[1]!)
    expect(yield* payments.check(ids[1]!)).toMatchObject({ state: "open" })
    const over = "This gateway reaches more than the sandbox now, and takes no pretend cards."
    expect(yield* Effect.flip(payments.create(account, wanted))).toMatchObject({ message: over })
    expect(yield* accounts.get(account)).toMatchObject({ balance: usd(10) })

    onlySandbox = true
    const forgotten = "The sandbox has forgotten this payment: it was started again."
    const { payments: later } = yield* make()
    expect(yield* later.check(ids[2]!)).toMatchObject({ state: "failed", problem: forgotten })
    expect(yield* Effect.flip(later.refund(ids[0]!, undefined, "x", undefined))).toMatchObject({ message: forgotten })
    expect(yield* accounts.get(account)).toMatchObject({ balance: usd(10) })
  }).pipe(Effect.provide(sqlite))
)
