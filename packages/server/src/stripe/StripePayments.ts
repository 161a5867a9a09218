import { PaymentError, type PaymentProvider, type Returned, type Seen } from "@tollgate/gateway/driver"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Stripe } from "stripe"

export interface Settings {
  readonly key: Redacted.Redacted
  /** Signs the events. */
  readonly events: Redacted.Redacted
  /** Default: Stripe's own. */
  readonly baseUrl?: string | undefined
  readonly timeoutMillis?: number | undefined
}

/** What is asked and answered has the form of this version, whatever the account's is. */
const apiVersion = "2026-10-28.endive"
const defaultTimeoutMillis = 20_000
const pageMillis = 60 * 60_000
const eventSeconds = 300
const mostReturned = 5_000

/** Other programs may use the same account at Stripe. */
const paymentKey = "tollgate_payment"
const accountKey = "tollgate_account"
const refundKey = "tollgate_refund"
const eventTypes = /^(?:checkout\.session|payment_intent|charge|refund)\./

const declines: Readonly<Record<string, string>> = {
  authentication_required: "The bank wants the owner of the card to confirm it: pay on the payment page.",
  card_velocity_exceeded: "The card has reached its limit.",
  expired_card: "The card has expired.",
  incorrect_cvc: "The security code of the card is not right.",
  insufficient_funds: "The card does not have enough money."
}

/** Stripe's own words are for developers. */
const declined = (error: { readonly code?: string; readonly decline_code?: string } | null): string =>
  declines[error?.decline_code ?? ""] ?? declines[error?.code ?? ""] ?? "The card was declined."

const isStripeError = (error: unknown): error is Stripe.errors.StripeError =>
  error instanceof Error && "rawType" in error

/** What of an error may be logged. Messages can hold parts of keys. */
const fieldsOf = (error: unknown) =>
  isStripeError(error)
    ? { type: error.type, status: error.statusCode, code: error.code, param: error.param, request: error.requestId }
    : { type: error instanceof Error ? error.name : typeof error }

const failed = (reason: PaymentError["reason"], message: string) => new PaymentError({ reason, message })

const unknown = failed("unknown", "The payment provider did not say if it was done.")

const failureOf = (error: unknown, isRead: boolean): PaymentError => {
  const { statusCode = 0, type } = isStripeError(error) ? error : {}
  if (isStripeError(error) && statusCode === 402) return failed("refused", declined(error))
  // With the same id something else was asked for before, and may have been done.
  if ([400, 404].includes(statusCode) && type === "StripeInvalidRequestError")
    return failed("refused", "The payment provider refused this.")
  const isUndone = [401, 403].includes(statusCode) || type === "StripeRateLimitError"
  return isRead || isUndone ? failed("unavailable", "The payment provider is not available. Try again later.") : unknown
}

const expanded = <A extends object>(value: string | A | null | undefined): A | undefined =>
  typeof value === "object" && value !== null ? value : undefined

const idOf = (value: string | { readonly id: string }): string => (typeof value === "string" ? value : value.id)

const isSession = (reference: string): boolean => reference.startsWith("cs_")

/** Where `session` is missing, nobody could confirm what the bank asks. Otherwise it may take the customer days. */
const stateOf = (intent?: Stripe.PaymentIntent, session?: Stripe.Checkout.Session): Seen["state"] => {
  if (intent?.status === "succeeded") return "paid"
  if (session?.status === "expired" || intent?.status === "canceled") return "failed"
  if (session?.status === "open") return "open"
  const isDeclined = intent?.status === "requires_payment_method" && intent.last_payment_error !== null
  return isDeclined || (session === undefined && intent?.status === "requires_action") ? "failed" : "open"
}

/** A dispute takes what its bank says, whatever was refunded before. */
const returnedOf = async (
  stripe: Stripe,
  of: { readonly payment_intent: string } | { readonly created: { readonly gte: number } }
): Promise<ReadonlyArray<{ payment: string; returned: Returned }>> => {
  const wanted = { ...of, limit: 100, expand: ["data.payment_intent"] }
  const [refunds, disputes] = await Promise.all([
    stripe.refunds.list(wanted).autoPagingToArray({ limit: mostReturned }),
    stripe.disputes.list(wanted).autoPagingToArray({ limit: mostReturned })
  ])
  const given = (one: Stripe.Refund | Stripe.Dispute, kind: Returned["kind"], undone: boolean) => ({
    payment: expanded(one.payment_intent)?.metadata[paymentKey] ?? "",
    returned: { id: one.metadata?.[refundKey] ?? one.id, kind, cents: one.amount, undone }
  })
  // Warnings and disputes that were prevented moved no money.
  const taken = disputes.filter(({ balance_transactions }) => balance_transactions.length > 0)
  return [
    ...refunds.map((one) => given(one, "refund", one.status === "failed" || one.status === "canceled")),
    ...taken.map((one) => given(one, "chargeback", one.status === "won"))
  ]
}

const problemOf = (intent: Stripe.PaymentIntent | undefined): string =>
  intent === undefined || intent.status === "canceled"
    ? "It was not paid in time."
    : declined(intent.last_payment_error)

const look = async (stripe: Stripe, reference: string): Promise<Seen> => {
  const wanted = ["latest_charge", "payment_method"]
  const session = isSession(reference)
    ? await stripe.checkout.sessions.retrieve(reference, { expand: wanted.map((name) => `payment_intent.${name}`) })
    : undefined
  const intent = session
    ? expanded(session.payment_intent)
    : await stripe.paymentIntents.retrieve(reference, { expand: wanted })
  const state = stateOf(intent, session)
  const method = expanded(intent?.payment_method)
  return {
    state,
    account: (session ?? intent)?.metadata?.[accountKey] ?? "",
    cents: (state === "paid" ? intent?.amount_received : (intent?.amount ?? session?.amount_total)) ?? 0,
    currency: intent?.currency ?? session?.currency ?? "",
    receipt: expanded(intent?.latest_charge)?.receipt_url ?? null,
    // A card that is not saved has no customer.
    card:
      state === "paid" && method?.card && method.customer !== null
        ? { customer: idOf(method.customer), method: method.id, words: `${method.card.brand} ${method.card.last4}` }
        : null,
    returned:
      state === "paid" && intent !== undefined
        ? (await returnedOf(stripe, { payment_intent: intent.id })).map(({ returned }) => returned)
        : [],
    problem: state === "failed" ? problemOf(intent) : ""
  }
}

/** Payments by card over Stripe. It is loaded when it is first used. */
export const make = ({ baseUrl, events, key, timeoutMillis = defaultTimeoutMillis }: Settings): PaymentProvider => {
  const isLive = /^[rs]k_live_/.test(Redacted.value(key))
  let loaded: Promise<Stripe> | undefined
  const load = (): Promise<Stripe> =>
    (loaded ??= import("stripe").then(({ Stripe }) => {
      const { hostname, port, protocol } = new URL(baseUrl ?? "https://api.stripe.com")
      return new Stripe(Redacted.value(key), {
        apiVersion,
        httpClient: Stripe.createFetchHttpClient(),
        telemetry: false,
        timeout: timeoutMillis,
        maxNetworkRetries: 2,
        host: hostname,
        protocol: protocol === "http:" ? "http" : "https",
        ...(port === "" ? {} : { port })
      })
    }))

  const asking =
    (isRead: boolean) =>
    <A>(what: string, call: (stripe: Stripe) => Promise<A>): Effect.Effect<A, PaymentError> =>
      Effect.tryPromise({ try: async () => call(await load()), catch: (error) => error }).pipe(
        Effect.catch((error) => {
          const isDecline = isStripeError(error) && error.statusCode === 402
          const log = Effect.logWarning("Stripe did not do what was asked", { what, ...fieldsOf(error) })
          return Effect.andThen(isDecline ? Effect.void : log, failureOf(error, isRead))
        })
      )
  const read = asking(true)
  const write = asking(false)

  return {
    name: "stripe",
    isPretend: !isLive,
    checkout: Effect.fnUntraced(function* ({ account, cents, id }, { back, customer, saveCard }) {
      const now = yield* Clock.currentTimeMillis
      const metadata = { [paymentKey]: id, [accountKey]: account }
      const product_data = { name: "Credit" }
      const session = yield* write("checkout", (stripe) =>
        stripe.checkout.sessions.create(
          {
            mode: "payment",
            line_items: [{ quantity: 1, price_data: { currency: "usd", unit_amount: cents, product_data } }],
            adaptive_pricing: { enabled: false },
            client_reference_id: id,
            metadata,
            payment_intent_data: { metadata, ...(saveCard ? { setup_future_usage: "off_session" as const } : {}) },
            ...(customer === null ? { customer_creation: saveCard ? "always" : "if_required" } : { customer }),
            expires_at: Math.floor((now + pageMillis) / 1000),
            success_url: back,
            cancel_url: back
          },
          { idempotencyKey: `checkout_${id}_${customer ?? "new"}` }
        )
      )
      return { reference: session.id, url: session.url ?? back }
    }),
    charge: Effect.fnUntraced(function* ({ account, cents, id }, { customer, method }) {
      const wanted: Stripe.PaymentIntentCreateParams = {
        amount: cents,
        currency: "usd",
        customer,
        payment_method: method,
        automatic_payment_methods: { enabled: true, allow_redirects: "never" },
        off_session: true,
        confirm: true,
        metadata: { [paymentKey]: id, [accountKey]: account }
      }
      const made = yield* Effect.result(
        write("charge", (stripe) => stripe.paymentIntents.create(wanted, { idempotencyKey: `charge_${id}` }))
      )
      if (made._tag === "Failure" && made.failure.reason !== "unknown") return yield* made.failure
      // Stripe also keeps an answer of 500, and would repeat it for this id.
      const find = read("find charge", async (stripe) => {
        const { data } = await stripe.paymentIntents.list({ customer, limit: 100 })
        return data.find(({ metadata }) => metadata[paymentKey] === id)
      })
      const intent = made._tag === "Success" ? made.success : yield* Effect.orElseSucceed(find, () => undefined)
      if (intent === undefined) return yield* unknown
      if (stateOf(intent) !== "failed") return { reference: intent.id }
      return yield* failed("refused", declined(intent.last_payment_error))
    }),
    look: (reference) => read("look", (stripe) => look(stripe, reference)),
    returnedSince: (millis) =>
      read("returned", async (stripe) => {
        const all = await returnedOf(stripe, { created: { gte: Math.floor(millis / 1000) } })
        return all.filter(({ payment }) => payment !== "")
      }),
    cancel: (reference) =>
      write<object>("cancel", (stripe) =>
        isSession(reference) ? stripe.checkout.sessions.expire(reference) : stripe.paymentIntents.cancel(reference)
      ),
    refund: Effect.fnUntraced(function* (reference, { cents, id }) {
      const session = isSession(reference)
        ? yield* read("look", (stripe) => stripe.checkout.sessions.retrieve(reference))
        : undefined
      const intent = session === undefined ? reference : session.payment_intent
      if (intent === null) return yield* failed("refused", "It was not paid.")
      const wanted = { payment_intent: idOf(intent), amount: cents, metadata: { [refundKey]: id } }
      return yield* write("refund", (stripe) => stripe.refunds.create(wanted, { idempotencyKey: `refund_${id}` }))
    }),
    forget: ({ method }) => write("forget", (stripe) => stripe.paymentMethods.detach(method)),
    event: Effect.fnUntraced(function* (body, { "stripe-signature": signature = "" }) {
      const now = yield* Clock.currentTimeMillis
      const { data, livemode, type } = yield* Effect.tryPromise({
        try: async () => {
          const { webhooks } = await load()
          return webhooks.constructEventAsync(body, signature, Redacted.value(events), eventSeconds, undefined, now)
        },
        catch: () => failed("refused", "The event is not signed as expected.")
      })
      if (livemode !== isLive || !eventTypes.test(type)) return undefined
      const { object } = data
      const of = "payment_intent" in object ? object.payment_intent : null
      const intent = of == null ? undefined : idOf(of)
      const reference = "id" in object && /^(?:cs|pi)_/.test(object.id) ? object.id : intent
      if (reference === undefined) return undefined
      const known = "metadata" in object ? object.metadata?.[paymentKey] : undefined
      const find = (id: string) => read("event", (stripe) => stripe.paymentIntents.retrieve(id))
      const payment = known ?? (intent && (yield* find(intent)).metadata[paymentKey])
      return payment === undefined ? undefined : { payment, reference }
    })
  }
}
