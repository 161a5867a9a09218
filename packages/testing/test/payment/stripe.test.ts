import { describe, expect, it } from "@effect/vitest"
import type { PaymentError } from "@tollgate/gateway/driver"
import { StripePayments } from "@tollgate/server"
import * as StripeStandIn from "@tollgate/testing/StripeStandIn"
import { httpUpstream } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { inspect } from "node:util"

const { cards } = StripeStandIn
const wanted = { id: "pay_1", account: "acme", cents: 2_500 }
/** When an answer is given up that does not come. */
const lostMillis = 1_500
const page = { customer: null, saveCard: true, back: "https://gateway.example.com/payments/pay_1" }

/** Stripe's stand-in, and the driver over it. */
const driven = Effect.fnUntraced(function* (options: StripeStandIn.Options & { readonly timeoutMillis?: number } = {}) {
  const stripe = yield* StripeStandIn.make(options)
  const payments = StripePayments.make({
    key: Redacted.make(stripe.key),
    events: Redacted.make(stripe.eventSecret),
    baseUrl: stripe.baseUrl,
    timeoutMillis: options.timeoutMillis
  })
  return { stripe, payments }
})

const failure = <A>(effect: Effect.Effect<A, PaymentError>) => Effect.flip(effect)

const forEachFault = <A, E, R>(
  kinds: ReadonlyArray<StripeStandIn.Fault["kind"]>,
  test: (kind: StripeStandIn.Fault["kind"]) => Effect.Effect<A, E, R>
) => Effect.forEach(kinds, test, { concurrency: "unbounded", discard: true })

const seen = { state: "paid", account: "acme", cents: 2_500, currency: "usd", returned: [], problem: "" }

describe("checkout", () => {
  it.live("leads to a page in dollars that ends after an hour, and knows whose it is", () =>
    Effect.gen(function* () {
      const { payments, stripe } = yield* driven()
      const now = Date.now() / 1000
      const { reference, url } = yield* payments.checkout(wanted, page)
      expect(url).toBe(`https://checkout.stripe.com/c/pay/${reference}`)
      const metadata = { tollgate_payment: "pay_1", tollgate_account: "acme" }
      expect(stripe.get(reference)).toMatchObject({
        mode: "payment",
        currency: "usd",
        amount_total: 2_500,
        adaptive_pricing: { enabled: false },
        client_reference_id: "pay_1",
        metadata,
        intent_metadata: metadata,
        setup_future_usage: "off_session",
        customer_creation: "always",
        success_url: page.back,
        cancel_url: page.back
      })
      const { expires_at } = stripe.get(reference)
      expect(Number(expires_at) - now).toBeGreaterThan(3_590)
      expect(Number(expires_at) - now).toBeLessThanOrEqual(3_600)
      const [request] = stripe.requests
      expect(request?.headers).toMatchObject({
        "idempotency-key": "checkout_pay_1_new",
        "stripe-version": "2026-10-28.endive"
      })
      expect(request?.headers).not.toHaveProperty("x-stripe-client-telemetry")
      expect(yield* payments.look(reference)).toMatchObject({ ...seen, state: "open", card: null, receipt: null })
    })
  )

  it.live("a customer from before is used again, and no card is saved if it is not wanted", () =>
    Effect.gen(function* () {
      const { payments, stripe } = yield* driven()
      const { customer } = stripe.saved(cards.visa)
      const { reference } = yield* payments.checkout(wanted, { ...page, customer, saveCard: false })
      expect(stripe.get(reference)).toMatchObject({ customer, customer_creation: null, setup_future_usage: null })
      stripe.pay(reference)
      expect(yield* payments.look(reference)).toMatchObject({ ...seen, card: null })
    })
  )

  it.live("what is paid says which card was saved, and that card can be charged until it is forgotten", () =>
    Effect.gen(function* () {
      const { payments, stripe } = yield* driven()
      const { reference } = yield* payments.checkout(wanted, page)
      stripe.pay(reference, cards.mastercard)
      const { card, receipt } = yield* payments.look(reference)
      expect(card).toMatchObject({ words: "mastercard 4444" })
      expect(receipt).toMatch("https://pay.stripe.com/receipts/ch_")
      if (card === null) return
      const charged = yield* payments.charge({ ...wanted, id: "pay_2", cents: 700 }, card)
      expect(charged.reference).toMatch(/^pi_/)
      expect(yield* payments.look(charged.reference)).toMatchObject({ ...seen, cents: 700, card })
      yield* payments.forget(card)
      expect((yield* payments.look(charged.reference)).card).toBeNull()
      expect(yield* failure(payments.charge({ ...wanted, id: "pay_3" }, card))).toMatchObject({ reason: "refused" })
      expect(yield* failure(payments.forget(card))).toMatchObject({ reason: "refused" })
      expect(stripe.executed).toEqual({ sessions: 1, charges: 2, refunds: 0 })
    })
  )

  it.effect("is once for an id", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_790_000_000_000)
      const { payments, stripe } = yield* driven({ now: () => 1_790_000_000_000 })
      const checkout = payments.checkout(wanted, page)
      expect(yield* checkout).toEqual(yield* checkout)
      // What was asked for first may have been done.
      expect(yield* failure(payments.checkout({ ...wanted, cents: 99 }, page))).toMatchObject({ reason: "unknown" })
      expect(stripe.executed.sessions).toBe(1)
    })
  )

  it.live("a decline leaves the page open, and a page that ended or a cancelled one is failed", () =>
    Effect.gen(function* () {
      const { payments, stripe } = yield* driven()
      const { reference } = yield* payments.checkout(wanted, page)
      stripe.decline(reference)
      expect(yield* payments.look(reference)).toMatchObject({ state: "open", problem: "" })
      yield* payments.cancel(reference)
      const ended = { state: "failed", problem: "It was not paid in time." }
      expect(yield* payments.look(reference)).toMatchObject(ended)
      expect(yield* failure(payments.cancel(reference))).toMatchObject({ reason: "refused" })
      const { reference: other } = yield* payments.checkout({ ...wanted, id: "pay_2" }, page)
      stripe.expire(other)
      expect(yield* payments.look(other)).toMatchObject({ ...ended, account: "acme", cents: 2_500 })
      const { reference: paid } = yield* payments.checkout({ ...wanted, id: "pay_3" }, page)
      stripe.pay(paid)
      expect(yield* failure(payments.cancel(paid))).toMatchObject({ reason: "refused" })
      expect(yield* payments.look(paid)).toMatchObject(seen)
    })
  )

  it.live("a way to pay that takes days is open until the money is there, or does not come", () =>
    Effect.gen(function* () {
      const { payments, stripe } = yield* driven()
      for (const isPaid of [true, false]) {
        const { reference } = yield* payments.checkout({ ...wanted, id: `pay_${isPaid}` }, page)
        stripe.payLater(reference)
        expect(yield* payments.look(reference)).toMatchObject({ state: "open" })
        stripe.settle(reference, isPaid)
        const after = isPaid ? seen : { state: "failed", problem: "The card does not have enough money." }
        expect(yield* payments.look(reference)).toMatchObject(after)
      }
    })
  )

  it.live("says what was paid if that is not what was asked for", () =>
    Effect.gen(function* () {
      const { payments, stripe } = yield* driven()
      const { reference } = yield* payments.checkout(wanted, page)
      stripe.pay(reference, cards.visa, { currency: "eur", cents: 2_199 })
      expect(yield* payments.look(reference)).toMatchObject({ ...seen, cents: 2_199, currency: "eur" })
    })
  )
})

describe("a saved card", () => {
  it.live("that is declined, or needs its owner, is refused with words for a customer", () =>
    Effect.gen(function* () {
      const { payments, stripe } = yield* driven()
      const told = {
        poor: "The card does not have enough money.",
        needsOwner: "The bank wants the owner of the card to confirm it: pay on the payment page."
      }
      for (const name of ["poor", "needsOwner"] as const) {
        const card = stripe.saved(cards[name])
        const charge = payments.charge({ ...wanted, id: name }, card)
        expect(yield* failure(charge)).toMatchObject({ reason: "refused", message: told[name] })
        expect(yield* failure(charge)).toMatchObject({ reason: "refused", message: told[name] })
      }
      expect(stripe.executed.charges).toBe(0)
      expect(stripe.all("payment_intent")).toHaveLength(2)
    })
  )

  it.live("is charged once for an id, also at the same time", () =>
    Effect.gen(function* () {
      const { payments, stripe } = yield* driven()
      const charge = payments.charge(wanted, stripe.saved(cards.visa))
      const references = yield* Effect.all([charge, charge, charge], { concurrency: "unbounded" })
      expect(new Set(references.map(({ reference }) => reference)).size).toBe(1)
      expect(stripe.executed.charges).toBe(1)
    })
  )

  it.live("is charged once though the first answer is lost, or the connection breaks", () =>
    forEachFault(["lost", "brokenOff", "reset", 500, 409], (kind) =>
      Effect.gen(function* () {
        const { payments, stripe } = yield* driven({ timeoutMillis: lostMillis })
        stripe.failNext({ kind, on: "POST /v1/payment_intents" })
        const { reference } = yield* payments.charge(wanted, stripe.saved(cards.visa))
        expect(yield* payments.look(reference)).toMatchObject(seen)
        expect(stripe.executed.charges).toBe(1)
      })
    )
  )

  it.live("is found if Stripe charged it and failed afterwards, which it keeps answering for this id", () =>
    Effect.gen(function* () {
      const { payments, stripe } = yield* driven()
      const card = stripe.saved(cards.visa)
      stripe.failNext({ kind: "executedThen500" })
      const { reference } = yield* payments.charge(wanted, card)
      expect(yield* payments.charge(wanted, card)).toEqual({ reference })
      expect(yield* payments.look(reference)).toMatchObject(seen)
      stripe.failNext({ kind: "executedThen500" })
      const declined = payments.charge({ ...wanted, id: "pay_2" }, stripe.saved(cards.poor))
      expect(yield* failure(declined)).toMatchObject({ reason: "refused" })
      expect(stripe.executed.charges).toBe(1)
    })
  )

  it.live("has an unknown end if Stripe is not heard of, and is charged once when it is asked for again", () =>
    forEachFault(["lost", "brokenOff", 503, 409], (kind) =>
      Effect.gen(function* () {
        const { payments, stripe } = yield* driven({ timeoutMillis: lostMillis })
        stripe.failNext({ kind, on: "/v1/payment_intents", times: 6 })
        const charge = payments.charge(wanted, stripe.saved(cards.visa))
        expect(yield* failure(charge)).toMatchObject({ reason: "unknown" })
        const { reference } = yield* charge
        expect(yield* payments.look(reference)).toMatchObject(seen)
        expect(stripe.executed.charges).toBe(1)
      })
    )
  )
})

describe("refunds", () => {
  const paid = Effect.fnUntraced(function* (timeoutMillis?: number) {
    const { payments, stripe } = yield* driven(timeoutMillis === undefined ? {} : { timeoutMillis })
    const { reference } = yield* payments.checkout(wanted, page)
    stripe.pay(reference)
    return { payments, stripe, reference }
  })

  it.live("are told with our id or with Stripe's, and undone if they fail", () =>
    Effect.gen(function* () {
      const { payments, reference, stripe } = yield* paid()
      yield* payments.refund(reference, { id: "ref_1", cents: 500 })
      const other = stripe.refundInDashboard(reference, 300)
      const [ours, theirs] = [
        { id: "ref_1", kind: "refund", cents: 500, undone: false },
        { id: other, kind: "refund", cents: 300, undone: false }
      ]
      expect((yield* payments.look(reference)).returned).toEqual([theirs, ours])
      stripe.failRefund(stripe.all("refund")[1]?.id ?? "")
      expect((yield* payments.look(reference)).returned).toEqual([theirs, { ...ours, undone: true }])
    })
  )

  it.live("are given once for an id, whatever happens to the answer", () =>
    forEachFault(["lost", "brokenOff", "reset", 500], (kind) =>
      Effect.gen(function* () {
        const { payments, reference, stripe } = yield* paid(lostMillis)
        const refund = payments.refund(reference, { id: "ref_1", cents: 100 })
        stripe.failNext({ kind, on: "POST /v1/refunds" })
        yield* refund
        yield* refund
        expect(stripe.executed.refunds).toBe(1)
        stripe.failNext({ kind, on: "POST /v1/refunds", times: 3 })
        const other = payments.refund(reference, { id: "ref_2", cents: 100 })
        expect(yield* failure(other)).toMatchObject({ reason: "unknown" })
        yield* other
        expect((yield* payments.look(reference)).returned).toMatchObject([{ id: "ref_2" }, { id: "ref_1" }])
      })
    )
  )

  it.live("of more than is left, or of what was not paid, are refused", () =>
    Effect.gen(function* () {
      const { payments, reference, stripe } = yield* paid()
      const tooMuch = payments.refund(reference, { id: "ref_1", cents: 2_501 })
      expect(yield* failure(tooMuch)).toMatchObject({
        reason: "refused",
        message: "The payment provider refused this."
      })
      const { reference: open } = yield* payments.checkout({ ...wanted, id: "pay_2" }, page)
      expect(yield* failure(payments.refund(open, { id: "ref_2", cents: 1 }))).toMatchObject({ reason: "refused" })
      expect(stripe.executed.refunds).toBe(0)
    })
  )

  it.live("are all told, also if they are more than a page of them", () =>
    Effect.gen(function* () {
      const { payments, reference, stripe } = yield* paid()
      for (let i = 0; i < 230; i++) stripe.refundInDashboard(reference, 1)
      const { returned } = yield* payments.look(reference)
      expect(new Set(returned.map(({ id }) => id)).size).toBe(230)
    })
  )

  it.live("disputes that took money are chargebacks, and undone if they are won; warnings are none", () =>
    Effect.gen(function* () {
      const { payments, reference, stripe } = yield* paid()
      const warning = stripe.dispute(reference, "warning_needs_response")
      stripe.dispute(reference, "prevented")
      expect((yield* payments.look(reference)).returned).toEqual([])
      stripe.closeDispute(warning, "warning_closed")
      const id = stripe.dispute(reference, "needs_response", 2_000)
      const chargeback = { id, kind: "chargeback", cents: 2_000, undone: false }
      expect((yield* payments.look(reference)).returned).toEqual([chargeback])
      stripe.closeDispute(id, "lost")
      expect((yield* payments.look(reference)).returned).toEqual([chargeback])
      stripe.closeDispute(id, "won")
      expect((yield* payments.look(reference)).returned).toEqual([{ ...chargeback, undone: true }])
    })
  )
})

describe("what was given back", () => {
  it.live("since a time is told with whose payment it is, whatever took it, and how it ended", () =>
    Effect.gen(function* () {
      let now = Date.now() - 10_000_000
      const { payments, stripe } = yield* driven({ now: () => now })
      const paid = Effect.fnUntraced(function* (id: string) {
        // A page ends an hour after the time of the machine.
        const at = now
        now = Date.now()
        const { reference } = yield* payments.checkout({ ...wanted, id }, page)
        now = at
        stripe.pay(reference)
        return reference
      })
      const references = yield* Effect.forEach(["pay_1", "pay_2", "pay_other"], paid)
      stripe.refundInDashboard(references[1]!, 100)
      stripe.get(String(stripe.get(references[2]!).payment_intent)).metadata = { order: "7" }
      now += 1_000_000
      const since = now
      stripe.dispute(references[2]!)
      stripe.dispute(references[1]!, "warning_needs_response")
      // A dispute of what was refunded takes the money again.
      yield* payments.refund(references[0]!, { id: "ref_1", cents: 2_500 })
      const id = stripe.dispute(references[0]!)
      const refund = { id: "ref_1", kind: "refund", cents: 2_500, undone: false }
      const dispute = { id, kind: "chargeback", cents: 2_500, undone: false }
      const of = (...all: ReadonlyArray<object>) => all.map((returned) => ({ payment: "pay_1", returned }))
      expect(yield* payments.returnedSince(since)).toEqual(of(refund, dispute))
      expect((yield* payments.look(references[0]!)).returned).toEqual([refund, dispute])
      expect(yield* payments.returnedSince(since - 1_000_001)).toHaveLength(3)
      expect(yield* payments.returnedSince(since + 1_000)).toEqual([])
      now += 5_000_000
      stripe.closeDispute(id, "won")
      expect(yield* payments.returnedSince(since)).toEqual(of(refund, { ...dispute, undone: true }))
      for (let i = 0; i < 120; i++) stripe.refundInDashboard(references[1]!, 1)
      expect(yield* payments.returnedSince(since)).toHaveLength(122)
      stripe.failNext({ kind: 500, times: 6 })
      expect(yield* failure(payments.returnedSince(since))).toMatchObject({ reason: "unavailable" })
    })
  )
})

describe("events", () => {
  it.live("name the payment they are about, also those of objects without our metadata", () =>
    Effect.gen(function* () {
      const { payments, stripe } = yield* driven()
      const { reference } = yield* payments.checkout(wanted, page)
      stripe.pay(reference)
      yield* payments.refund(reference, { id: "ref_1", cents: 100 })
      stripe.failRefund(stripe.refundInDashboard(reference, 100))
      stripe.closeDispute(stripe.dispute(reference), "lost")
      const types = new Set<unknown>()
      for (const event of stripe.events) {
        const { body, signature } = stripe.signed(event)
        expect([event.type, yield* payments.event(body, { "stripe-signature": signature })]).toEqual([
          event.type,
          expect.objectContaining({ payment: "pay_1" })
        ])
        types.add(event.type)
      }
      expect([...types].toSorted()).toEqual([
        "charge.dispute.closed",
        "charge.dispute.created",
        "charge.refunded",
        "charge.succeeded",
        "checkout.session.completed",
        "payment_intent.succeeded",
        "refund.created",
        "refund.failed"
      ])
    })
  )

  it.live("of others, of the other environment and of other things are about none", () =>
    Effect.gen(function* () {
      const { payments, stripe } = yield* driven()
      const ours = { id: "pi_1", object: "payment_intent", metadata: { tollgate_payment: "pay_1" } }
      const others = { id: "cs_1", object: "checkout.session", metadata: { order: "7" }, payment_intent: null }
      for (const event of [
        stripe.eventOf("payment_intent.succeeded", ours, true),
        stripe.eventOf("checkout.session.completed", others),
        stripe.eventOf("customer.created", { ...ours, object: "customer" })
      ]) {
        const { body, signature } = stripe.signed(event)
        expect(yield* payments.event(body, { "stripe-signature": signature })).toBeUndefined()
      }
      expect(stripe.requests).toEqual([])
      expect(payments.isPretend).toBe(true)
      const live = yield* driven({ key: "rk_live_0123456789" })
      const { body, signature } = live.stripe.signed(stripe.eventOf("payment_intent.succeeded", ours, true))
      expect(yield* live.payments.event(body, { "stripe-signature": signature })).toMatchObject({ payment: "pay_1" })
      expect(live.payments.isPretend).toBe(false)
    })
  )

  it.live("that are forged, old or signed with another secret are refused", () =>
    Effect.gen(function* () {
      const { payments, stripe } = yield* driven()
      const ours = { id: "pi_1", object: "payment_intent", metadata: { tollgate_payment: "pay_1" } }
      const event = stripe.eventOf("payment_intent.succeeded", ours)
      const { body, signature } = stripe.signed(event)
      const old = stripe.signed(event, { at: Date.now() - 301_000 })
      const refused = { reason: "refused", message: "The event is not signed as expected." }
      for (const [text, given] of [
        [body.replace("pay_1", "pay_2"), signature],
        [old.body, old.signature],
        [body, stripe.signed(event, { secret: "whsec_other" }).signature],
        [body, signature.replace(/v1=.*/, "v1=")],
        [body, ""],
        [body, "v0"],
        ["", signature]
      ] as const) {
        expect(yield* failure(payments.event(text, { "stripe-signature": given }))).toMatchObject(refused)
      }
      const recent = stripe.signed(event, { at: Date.now() - 290_000 })
      expect(yield* payments.event(recent.body, { "stripe-signature": recent.signature })).toMatchObject({
        payment: "pay_1"
      })
    })
  )

  it.live("can be asked about again if Stripe is away", () =>
    Effect.gen(function* () {
      const { payments, stripe } = yield* driven()
      const { reference } = yield* payments.checkout(wanted, page)
      stripe.pay(reference)
      stripe.dispute(reference)
      const { body, signature } = stripe.signed(stripe.events.at(-1) ?? {})
      stripe.failNext({ kind: "reset", times: 3 })
      expect(yield* failure(payments.event(body, { "stripe-signature": signature }))).toMatchObject({
        reason: "unavailable"
      })
      expect(yield* payments.event(body, { "stripe-signature": signature })).toMatchObject({ payment: "pay_1" })
    })
  )
})

describe("errors", () => {
  it.live("of the key and of limits are unavailable, and nothing says the key", () => {
    const lines: Array<string> = []
    const logger = Logger.make((given) => void lines.push(JSON.stringify([given.message, given.cause])))
    return Effect.gen(function* () {
      const { payments, stripe } = yield* driven({ timeoutMillis: lostMillis })
      const card = stripe.saved(cards.visa)
      const said: Array<unknown> = []
      for (const kind of [401, 403, 429] as const) {
        for (const asked of [
          payments.charge(wanted, card),
          payments.look("pi_1"),
          payments.refund("pi_1", { id: "r", cents: 1 })
        ]) {
          stripe.failNext({ kind })
          const error = yield* failure<unknown>(asked)
          expect(error).toMatchObject({ reason: "unavailable" })
          said.push(error.message, JSON.stringify(error), error.stack, error.cause)
        }
      }
      const wrong = StripePayments.make({
        key: Redacted.make("sk_test_wrong\n"),
        events: Redacted.make("whsec_secret"),
        baseUrl: stripe.baseUrl
      })
      said.push(
        yield* failure(wrong.look("pi_1")),
        yield* failure(wrong.event("{}", { "stripe-signature": "t=1,v1=00" })),
        wrong
      )
      said.push(yield* failure(payments.look("pi_1")))
      expect(yield* failure(payments.look("pi_1"))).toMatchObject({ reason: "refused" })
      stripe.failNext({ kind: 500, times: 3 })
      expect(yield* failure(payments.look("pi_1"))).toMatchObject({ reason: "unavailable" })
      stripe.failNext({ kind: "lost", times: 3 })
      expect(yield* failure(payments.look("pi_1"))).toMatchObject({ reason: "unavailable" })
      stripe.failNext({ kind: "slow", millis: 50 })
      expect(yield* failure(payments.look("pi_1"))).toMatchObject({ reason: "refused" })
      const all = `${inspect(said, { depth: 10, showHidden: true })} ${lines.join("\n")}`
      expect(all).not.toMatch(/sk_test|whsec/)
      expect(lines.join("\n")).toMatch(/"what":"charge".*"status":401/)
      expect(stripe.executed.charges).toBe(0)
    }).pipe(Effect.provide(Logger.layer([logger])))
  })
})

describe("the stand-in", () => {
  it.live("sends its events until they are taken, and held ones in the order that is wanted", () =>
    Effect.gen(function* () {
      const { payments, stripe } = yield* driven()
      const got: Array<string> = []
      const answers = [500, 500]
      const upstream = yield* httpUpstream((response, { body, headers }) => {
        const signature = headers["stripe-signature"]
        got.push(`${JSON.parse(body).type} ${typeof signature}`)
        response.writeHead(answers.shift() ?? 200).end()
      })
      stripe.eventsTo = `http://127.0.0.1:${upstream.port}/`
      const { reference } = yield* payments.checkout(wanted, page)
      stripe.expire(reference)
      yield* Effect.promise(() => stripe.delivered())
      expect(got).toEqual(Array(3).fill("checkout.session.expired string"))
      stripe.isHolding = true
      const { reference: other } = yield* payments.checkout({ ...wanted, id: "pay_2" }, page)
      stripe.pay(other)
      expect(got).toHaveLength(3)
      yield* Effect.promise(() => stripe.deliver(([first, ...rest]) => [...rest, first!, first!]))
      expect(got.slice(3).map((line) => line.split(" ")[0])).toEqual([
        "charge.succeeded",
        "checkout.session.completed",
        "payment_intent.succeeded",
        "payment_intent.succeeded"
      ])
    })
  )
})
