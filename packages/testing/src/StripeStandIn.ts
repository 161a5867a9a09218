import * as Effect from "effect/Effect"
import { createHmac } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

type Json = string | number | boolean | null | undefined | ReadonlyArray<Json> | Fields
interface Fields {
  [name: string]: Json
}
/** An object of Stripe's. */
type Thing = Fields & { id: string; object: string }

/** A form, where `a[b][0]=c` is `{ a: { b: { 0: "c" } } }`. */
type Form = { [name: string]: string | Form | undefined }

export interface Card {
  readonly brand: string
  readonly last4: string
  /** Why a charge without its owner fails. */
  readonly declines?: string
}

export const cards = {
  visa: { brand: "visa", last4: "4242" },
  mastercard: { brand: "mastercard", last4: "4444" },
  poor: { brand: "visa", last4: "9995", declines: "insufficient_funds" },
  needsOwner: { brand: "visa", last4: "3155", declines: "authentication_required" }
} satisfies Record<string, Card>

/**
 * What happens to the next request whose `METHOD /path` contains `on`. `lost`: it is executed, and never answered. `brokenOff`: it is
 * executed, and the connection ends. `executedThen500` is kept for the idempotency key, as Stripe does.
 */
export interface Fault {
  readonly kind: "lost" | "brokenOff" | "executedThen500" | "reset" | "slow" | number
  readonly on?: string
  readonly times?: number
  readonly millis?: number
}

interface Answer {
  readonly status: number
  readonly body: Fields
}

/** A request that Stripe refuses. */
class Refusal extends Error {
  readonly answer: Answer
  constructor(status: number, error: Fields) {
    super()
    this.answer = { status, body: { error: { type: "invalid_request_error", ...error } } }
  }
}

const missing = (param: string, id: string) =>
  new Refusal(404, { code: "resource_missing", param, message: `No such ${param}: '${id}'` })

const formOf = (text: string): Form => {
  const form: Form = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.split(/[[\]]+/).filter((part) => part !== "")
    let at = form
    for (const part of path.slice(0, -1)) {
      const inner = at[part]
      at = typeof inner === "object" ? inner : (at[part] = {})
    }
    at[path.at(-1) ?? ""] = value
  }
  return form
}

const inner = (form: Form, name: string): Form => {
  const value = form[name]
  return typeof value === "object" ? value : {}
}
const word = (form: Form, name: string): string | undefined => {
  const value = form[name]
  return typeof value === "string" ? value : undefined
}
const textOf = (thing: Fields | undefined, name: string): string => {
  const value = thing?.[name]
  return typeof value === "string" ? value : ""
}
const numberOf = (thing: Fields | undefined, name: string): number => Number(thing?.[name] ?? 0)
const wordsOf = (form: Form): Fields => Object.fromEntries(Object.keys(form).map((name) => [name, word(form, name)]))

export interface Options {
  readonly key?: string
  readonly eventSecret?: string
  /** Epoch milliseconds. */
  readonly now?: () => number
  /** Pauses between tries to deliver an event. */
  readonly retryMillis?: number
}

/** A Stripe in memory: what the SDK asks for here, and what a test makes happen there. */
export class StripeStandIn {
  readonly key: string
  readonly eventSecret: string
  /** How often each was done. */
  readonly executed = { sessions: 0, charges: 0, refunds: 0 }
  /** What arrived, as `METHOD /path`. */
  readonly requests: Array<{
    readonly what: string
    readonly headers: IncomingMessage["headers"]
    readonly form: Form
  }> = []
  readonly events: Array<Thing> = []
  baseUrl = ""
  /** Where events are sent. */
  eventsTo: string | undefined
  /** Events wait for `deliver`. */
  isHolding = false
  readonly #things = new Map<string, Thing>()
  readonly #kept = new Map<string, { readonly asked: string; readonly answer: Answer }>()
  readonly #faults: Array<Fault & { left: number }> = []
  readonly #deliveries = new Set<Promise<unknown>>()
  readonly #now: () => number
  readonly #retryMillis: number
  #held: Array<Thing> = []
  #made = 0

  constructor({ eventSecret, key, now, retryMillis }: Options) {
    this.key = key ?? "sk_test_standin0123456789"
    this.eventSecret = eventSecret ?? "whsec_standin0123456789"
    this.#now = now ?? Date.now
    this.#retryMillis = retryMillis ?? 20
  }

  // What a test makes happen.

  failNext(fault: Fault): void {
    this.#faults.push({ ...fault, left: fault.times ?? 1 })
  }

  /** Its customer pays. `currency`: Stripe offered another one. */
  pay(session: string, card: Card = cards.visa, offered: { readonly currency?: string; readonly cents?: number } = {}) {
    const intent = this.#intentOf(session, card, offered)
    this.#charge(intent)
    this.#complete(session, "paid")
  }

  /** Its customer chose a way that takes days; `settle` ends it. */
  payLater(session: string): void {
    this.#intentOf(session).status = "processing"
    this.#complete(session, "unpaid")
  }

  settle(session: string, isPaid: boolean): void {
    const intent = this.#intentOf(session)
    if (isPaid) this.#charge(intent)
    else this.#decline(intent, "insufficient_funds")
    this.#complete(session, isPaid ? "paid" : "unpaid", isPaid ? "async_payment_succeeded" : "async_payment_failed")
  }

  /** The card of its customer is declined; they can try another one. */
  decline(session: string, code = "insufficient_funds"): void {
    this.#decline(this.#intentOf(session), code)
  }

  expire(session: string): void {
    const thing = this.get(session)
    if (thing.status !== "open") throw new Refusal(400, { message: "Only open sessions can be expired." })
    Object.assign(thing, { status: "expired" })
    const intent = this.#things.get(textOf(thing, "payment_intent"))
    if (intent !== undefined) intent.status = "canceled"
    this.#tell("checkout.session.expired", thing)
  }

  refundInDashboard(reference: string, cents: number): string {
    return this.#refund(this.#paid(reference), cents, {}).id
  }

  failRefund(refund: string): void {
    const thing = Object.assign(this.get(refund), { status: "failed" })
    this.#tell("refund.failed", thing)
  }

  /** Money is taken at once, except for warnings. */
  dispute(reference: string, status = "needs_response", cents?: number): string {
    const intent = this.#paid(reference)
    const amount = cents ?? numberOf(intent, "amount")
    const isFree = status.startsWith("warning_") || status === "prevented"
    const dispute = this.#make("du", "dispute", {
      amount,
      currency: intent.currency,
      payment_intent: intent.id,
      charge: intent.latest_charge,
      status,
      metadata: {},
      balance_transactions: isFree ? [] : [{ object: "balance_transaction", amount: -amount }]
    })
    this.#tell("charge.dispute.created", dispute)
    return dispute.id
  }

  closeDispute(id: string, status: "won" | "lost" | "warning_closed"): void {
    const dispute = Object.assign(this.get(id), { status })
    const back = { object: "balance_transaction", amount: numberOf(dispute, "amount") }
    const taken = dispute.balance_transactions
    if (status === "won" && Array.isArray(taken)) dispute.balance_transactions = [...taken, back]
    this.#tell("charge.dispute.closed", dispute)
  }

  get(id: string): Thing {
    const thing = this.#things.get(id)
    if (thing === undefined) throw missing("id", id)
    return thing
  }

  /** All of a kind, the newest first. */
  all(object: string): ReadonlyArray<Thing> {
    return [...this.#things.values()].filter((thing) => thing.object === object).toReversed()
  }

  // Events.

  signed(event: Fields, given: { readonly secret?: string; readonly at?: number } = {}) {
    const body = JSON.stringify(event)
    const at = Math.floor((given.at ?? this.#now()) / 1000)
    const mac = createHmac("sha256", given.secret ?? this.eventSecret).update(`${at}.${body}`)
    return { body, signature: `t=${at},v1=${mac.digest("hex")}` }
  }

  /** Sends what was held, in another order or more than once if it is given so. */
  async deliver(order = (events: ReadonlyArray<Thing>): ReadonlyArray<Thing> => events): Promise<void> {
    const events = this.#held
    this.#held = []
    for (const event of order(events)) await this.#send(event)
  }

  /** When no event is under way. */
  async delivered(): Promise<void> {
    while (this.#deliveries.size > 0) await Promise.all(this.#deliveries)
  }

  /** An event about a thing of another account or environment, or one that was not sent yet. */
  eventOf(type: string, object: Fields, livemode = this.key.includes("_live_")): Thing {
    const id = `evt_${++this.#made}`
    const created = Math.floor(this.#now() / 1000)
    return { id, object: "event", type, livemode, created, api_version: "2026-10-28.endive", data: { object } }
  }

  #tell(type: string, thing: Thing): void {
    const event = this.eventOf(type, structuredClone(thing))
    this.events.push(event)
    if (this.isHolding) return void this.#held.push(event)
    const sending = this.#send(event).finally(() => this.#deliveries.delete(sending))
    this.#deliveries.add(sending)
  }

  async #send(event: Thing): Promise<void> {
    if (this.eventsTo === undefined) return
    for (let tries = 0; tries < 4; tries++) {
      if (tries > 0) await new Promise((next) => setTimeout(next, this.#retryMillis * tries))
      const { body, signature } = this.signed(event)
      const headers = { "content-type": "application/json", "stripe-signature": signature }
      const sent = fetch(this.eventsTo, { method: "POST", headers, body })
      const isTaken = await sent.then(
        async (answer) => (await answer.text(), answer.ok),
        () => false
      )
      if (isTaken) return
    }
  }

  // What there is.

  #make(prefix: string, object: string, fields: Fields): Thing {
    const id = `${prefix}_test_${String(++this.#made).padStart(6, "0")}`
    const livemode = this.key.includes("_live_")
    const thing = { id, object, created: Math.floor(this.#now() / 1000), livemode, ...fields }
    this.#things.set(id, thing)
    return thing
  }

  #paid(reference: string): Thing {
    const thing = this.get(reference)
    return thing.object === "payment_intent" ? thing : this.get(textOf(thing, "payment_intent"))
  }

  /** A session has no payment intent until its customer pays. */
  #intentOf(id: string, card?: Card, offered: { readonly currency?: string; readonly cents?: number } = {}): Thing {
    const session = this.get(id)
    const known = this.#things.get(textOf(session, "payment_intent"))
    const future = session.setup_future_usage ?? null
    if (session.customer === null && session.customer_creation === "always") {
      session.customer = this.#make("cus", "customer", {}).id
    }
    const customer = session.customer
    const method = card === undefined ? null : this.#method(card, future === null ? null : customer).id
    if (known !== undefined) return Object.assign(known, method === null ? {} : { payment_method: method })
    const intent = this.#make("pi", "payment_intent", {
      amount: offered.cents ?? session.amount_total,
      amount_received: 0,
      currency: offered.currency ?? session.currency,
      customer,
      setup_future_usage: future,
      metadata: session.intent_metadata,
      payment_method: method,
      latest_charge: null,
      last_payment_error: null,
      status: "requires_payment_method"
    })
    session.payment_intent = intent.id
    return intent
  }

  #method({ brand, declines, last4 }: Card, customer: Json): Thing {
    return this.#make("pm", "payment_method", { type: "card", card: { brand, last4 }, customer, declines })
  }

  /** A card that was saved at another time. */
  saved(card: Card): { readonly customer: string; readonly method: string } {
    const customer = this.#make("cus", "customer", {}).id
    return { customer, method: this.#method(card, customer).id }
  }

  #complete(id: string, payment_status: string, type = "completed"): void {
    const session = Object.assign(this.get(id), { status: "complete", payment_status, url: null })
    this.#tell(`checkout.session.${type}`, session)
  }

  #charge(intent: Thing): void {
    this.executed.charges++
    const { amount, currency, metadata } = intent
    const fields = { amount, currency, metadata, payment_intent: intent.id, status: "succeeded" }
    const charge = this.#make("ch", "charge", fields)
    charge.receipt_url = `https://pay.stripe.com/receipts/${charge.id}`
    Object.assign(intent, { status: "succeeded", amount_received: amount, latest_charge: charge.id })
    Object.assign(intent, { last_payment_error: null })
    this.#tell("payment_intent.succeeded", intent)
    this.#tell("charge.succeeded", charge)
  }

  #decline(intent: Thing, decline: string): Fields {
    const code = decline === "authentication_required" ? decline : "card_declined"
    const error = { type: "card_error", code, decline_code: decline, message: `Declined; the key was ${this.key}.` }
    Object.assign(intent, { status: "requires_payment_method", last_payment_error: error })
    this.#tell("payment_intent.payment_failed", intent)
    return error
  }

  #refund(intent: Thing, amount: number, metadata: Fields): Thing {
    const before = this.all("refund").filter(
      (one) => one.payment_intent === intent.id && one.status !== "failed" && one.status !== "canceled"
    )
    const left = before.reduce((sum, one) => sum - numberOf(one, "amount"), numberOf(intent, "amount_received"))
    if (amount > left) {
      throw new Refusal(400, { code: "charge_already_refunded", message: `Only ${left} is left, says ${this.key}.` })
    }
    this.executed.refunds++
    const of = { currency: intent.currency, payment_intent: intent.id, charge: intent.latest_charge }
    const refund = this.#make("re", "refund", { amount, ...of, metadata, status: "succeeded" })
    this.#tell("refund.created", refund)
    this.#tell("charge.refunded", this.get(textOf(intent, "latest_charge")))
    return refund
  }

  // What the SDK asks for.

  #createSession(form: Form): Thing {
    const price = inner(inner(inner(form, "line_items"), "0"), "price_data")
    const amount = Number(word(price, "unit_amount"))
    const expires = Number(word(form, "expires_at"))
    const ahead = expires - this.#now() / 1000
    const customer = word(form, "customer") ?? null
    if (!(ahead >= 30 * 60 && ahead <= 24 * 60 * 60)) throw new Refusal(400, { param: "expires_at" })
    if (!(amount >= 50)) throw new Refusal(400, { code: "amount_too_small", message: "At least 50 cents." })
    if (customer !== null && !this.#things.has(customer)) throw missing("customer", customer)
    if (word(form, "success_url") === undefined) throw new Refusal(400, { param: "success_url" })
    const data = inner(form, "payment_intent_data")
    this.executed.sessions++
    const session = this.#make("cs", "checkout.session", {
      mode: word(form, "mode"),
      amount_total: amount,
      currency: word(price, "currency"),
      adaptive_pricing: { enabled: word(inner(form, "adaptive_pricing"), "enabled") !== "false" },
      client_reference_id: word(form, "client_reference_id") ?? null,
      customer,
      customer_creation: word(form, "customer_creation") ?? null,
      metadata: wordsOf(inner(form, "metadata")),
      intent_metadata: wordsOf(inner(data, "metadata")),
      setup_future_usage: word(data, "setup_future_usage") ?? null,
      payment_intent: null,
      payment_status: "unpaid",
      status: "open",
      expires_at: expires,
      success_url: word(form, "success_url"),
      cancel_url: word(form, "cancel_url")
    })
    session.url = `https://checkout.stripe.com/c/pay/${session.id}`
    return session
  }

  #createIntent(form: Form): Thing {
    const customer = word(form, "customer") ?? ""
    const id = word(form, "payment_method") ?? ""
    const method = this.#things.get(id)
    if (!this.#things.has(customer)) throw missing("customer", customer)
    if (method?.customer !== customer) throw missing("payment_method", id)
    if (word(form, "off_session") !== "true" || word(form, "confirm") !== "true") throw new Refusal(400, {})
    if (form.payment_method_types !== undefined) {
      throw new Refusal(400, { code: "payment_method_types_no_longer_supported" })
    }
    if (word(inner(form, "automatic_payment_methods"), "allow_redirects") !== "never") {
      throw new Refusal(400, { param: "return_url", message: "A return_url is needed." })
    }
    const intent = this.#make("pi", "payment_intent", {
      amount: Number(word(form, "amount")),
      amount_received: 0,
      currency: word(form, "currency"),
      customer,
      setup_future_usage: null,
      metadata: wordsOf(inner(form, "metadata")),
      payment_method: id,
      latest_charge: null,
      last_payment_error: null,
      status: "requires_confirmation"
    })
    const reason = textOf(method, "declines")
    if (reason !== "") throw new Refusal(402, { ...this.#decline(intent, reason), payment_intent: { ...intent } })
    this.#charge(intent)
    return intent
  }

  #createRefund(form: Form): Thing {
    const intent = this.#things.get(word(form, "payment_intent") ?? "")
    if (intent === undefined) throw missing("payment_intent", word(form, "payment_intent") ?? "")
    return this.#refund(intent, Number(word(form, "amount")), wordsOf(inner(form, "metadata")))
  }

  #list(url: string, object: string, form: Form): Fields {
    const filters = ["customer", "payment_intent"].filter((name) => form[name] !== undefined)
    const since = Number(word(inner(form, "created"), "gte") ?? 0)
    const found = this.all(object).filter(
      (thing) => numberOf(thing, "created") >= since && filters.every((name) => thing[name] === form[name])
    )
    const after = word(form, "starting_after")
    const rest = after === undefined ? found : found.slice(found.findIndex(({ id }) => id === after) + 1)
    const limit = Number(word(form, "limit") ?? 10)
    if (limit > 100) throw new Refusal(400, { param: "limit" })
    return { object: "list", url, has_more: rest.length > limit, data: rest.slice(0, limit) }
  }

  #expand(thing: Fields, paths: ReadonlyArray<string>): Fields {
    const copy = { ...thing }
    for (const path of paths) {
      const [name = "", ...rest] = path.split(".")
      const now = copy[name]
      if (Array.isArray(now)) copy[name] = now.map((one) => this.#expand(one as Fields, [rest.join(".")]))
      const found = typeof now === "string" ? this.#things.get(now) : undefined
      const whole =
        found ?? (typeof now === "object" && now !== null && !Array.isArray(now) ? (now as Fields) : undefined)
      if (whole !== undefined) copy[name] = this.#expand(whole, rest.length === 0 ? [] : [rest.join(".")])
    }
    return copy
  }

  #execute(method: string, path: string, form: Form): Fields {
    const [, kind = "", id = "", act = ""] =
      /^\/v1\/(checkout\/sessions|[a-z_]+)(?:\/([^/]+))?(?:\/([^/]+))?$/.exec(path) ?? []
    const kinds: Record<string, string> = {
      "checkout/sessions": "checkout.session",
      payment_intents: "payment_intent",
      refunds: "refund",
      disputes: "dispute"
    }
    const what = `${method} ${kind}${id === "" ? "" : "/:id"}${act === "" ? "" : `/${act}`}`
    if (what === "POST checkout/sessions") return this.#createSession(form)
    if (what === "POST payment_intents") return this.#createIntent(form)
    if (what === "POST refunds") return this.#createRefund(form)
    const object = kinds[kind]
    if (method === "GET" && object !== undefined && id === "") return this.#list(path, object, form)
    const thing = this.#things.get(decodeURIComponent(id))
    if (thing === undefined || (object !== undefined && thing.object !== object)) throw missing("id", id)
    if (what === "POST checkout/sessions/:id/expire") return (this.expire(thing.id), thing)
    if (what === "POST payment_intents/:id/cancel") {
      if (thing.status === "succeeded") throw new Refusal(400, { code: "payment_intent_unexpected_state" })
      return Object.assign(thing, { status: "canceled" })
    }
    if (what === "POST payment_methods/:id/detach") {
      if (thing.customer === null) throw new Refusal(400, { message: "It is not attached." })
      return Object.assign(thing, { customer: null })
    }
    if (method === "GET" && act === "") return thing
    throw new Refusal(404, { message: `Unrecognized request URL (${method} ${path})` })
  }

  #answer(method: string, path: string, form: Form): Answer {
    try {
      const { expand, ...rest } = form
      const paths = Object.values(typeof expand === "object" ? expand : {}).filter((one) => typeof one === "string")
      return { status: 200, body: structuredClone(this.#expand(this.#execute(method, path, rest), paths)) }
    } catch (error) {
      if (error instanceof Refusal) return error.answer
      throw error
    }
  }

  /** The same answer for the same key. Validation is not kept. */
  #answerOnce(key: string | undefined, method: string, path: string, text: string, execute: () => Answer): Answer {
    if (method !== "POST" || key === undefined) return execute()
    const asked = `${path}\n${text}`
    const known = this.#kept.get(key)
    if (known !== undefined && known.asked !== asked) {
      const message = `Keys for idempotent requests can only be used with the same parameters. (${this.key})`
      return { status: 400, body: { error: { type: "idempotency_error", message } } }
    }
    if (known !== undefined) return known.answer
    const answer = execute()
    if (answer.status !== 400 && answer.status !== 404) this.#kept.set(key, { asked, answer })
    return answer
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk)
    const text = Buffer.concat(chunks).toString()
    const method = request.method ?? ""
    const { pathname, search } = new URL(request.url ?? "", "http://stripe")
    const form = formOf(method === "POST" ? text : search)
    const what = `${method} ${pathname}`
    this.requests.push({ what, headers: request.headers, form })
    const fault = this.#faults.find(({ left, on = "" }) => left > 0 && what.includes(on))
    if (fault !== undefined) fault.left--
    const send = ({ body, status }: Answer): void => {
      response.writeHead(status, { "content-type": "application/json", "request-id": `req_${this.requests.length}` })
      response.end(JSON.stringify(body))
    }
    const kind = fault?.kind
    const failed = (status: number): Answer => ({
      status,
      body: { error: { type: "api_error", message: `It went wrong with ${this.key}.` } }
    })
    if (kind === "reset") return void request.socket.destroy()
    if (typeof kind === "number") return send(failed(kind))
    if (kind === "slow") await new Promise((next) => setTimeout(next, fault?.millis ?? 100))
    if (request.headers.authorization !== `Bearer ${this.key}`) return send(failed(401))
    const key = request.headers["idempotency-key"]
    const answer = this.#answerOnce(typeof key === "string" ? key : undefined, method, pathname, text, () => {
      const executed = this.#answer(method, pathname, form)
      return kind === "executedThen500" ? failed(500) : executed
    })
    if (kind === "brokenOff") return void request.socket.destroy()
    if (kind !== "lost") send(answer)
  }
}

/** Listens on this machine until the scope ends. */
export const make = (options: Options = {}) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const stripe = new StripeStandIn(options)
      const server = createServer((request, response) => void stripe.handle(request, response))
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
      stripe.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      return { stripe, server }
    }),
    ({ server }) => Effect.sync(() => (server.close(), server.closeAllConnections()))
  ).pipe(Effect.map(({ stripe }) => stripe))
