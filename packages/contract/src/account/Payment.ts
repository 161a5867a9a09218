import * as Schema from "effect/Schema"
import * as Api from "../Api.ts"
import { ruled } from "./Key.ts"
import { Amount, Flag, Micros, Text, TextOrNull, Time } from "./Amount.ts"

export const paymentKinds = ["card", "recharge", "invoice"] as const
export const paymentStates = ["open", "paid", "failed", "unknown"] as const

export type PaymentKind = (typeof paymentKinds)[number]
export type PaymentState = (typeof paymentStates)[number]

export const paymentFields = {
  id: Schema.String,
  kind: Schema.Literals(paymentKinds).annotate({
    description:
      "`card`: on the provider's page. `recharge`: of the saved card, by itself. `invoice`: by bank transfer."
  }),
  state: Schema.Literals(paymentStates).annotate({
    description: "`unknown`: the provider did not say whether it charged the card. Nothing is booked until it does."
  }),
  amount_micros_usd: Amount,
  returned_micros_usd: Amount.annotate({ description: "What was refunded to the card, or charged back." }),
  created_at: Time,
  paid_at: Schema.NullOr(Time),
  url: TextOrNull("Where an open one is paid."),
  receipt_url: Schema.NullOr(Schema.String),
  problem: Text("Why it failed. Empty: it did not.")
}

/** A payment of an account. What is paid is a top-up with the same id. */
export const Payment = Schema.Struct(paymentFields).annotate({ identifier: "Payment" })
export interface Payment extends Schema.Schema.Type<typeof Payment> {}

/** Charges the saved card by itself. */
export const Recharge = Schema.Struct({
  below_micros_usd: Amount.annotate({ description: "As soon as less than this is available." }),
  amount_micros_usd: Amount,
  month_limit_micros_usd: Amount.annotate({ description: "The most that it charges in a UTC month." }),
  charged_this_month_micros_usd: Amount,
  problem: Text("Why it has stopped: setting it again starts it. Empty: it runs.")
}).annotate({ identifier: "Recharge" })
export interface Recharge extends Schema.Schema.Type<typeof Recharge> {}

export const Payments = Schema.Struct({
  ways: Schema.Array(Schema.Literals(["card", "invoice"])).annotate({ description: "How this gateway takes money." }),
  least_micros_usd: Amount,
  most_micros_usd: Amount.annotate({ description: "Of one payment." }),
  transfer: Text("Where to send the money of an invoice. Empty: no invoices."),
  pretend: Flag("No money moves: the page of the card is the sandbox's."),
  card: TextOrNull("The saved card: `visa 4242`."),
  recharge: Schema.NullOr(Recharge),
  payments: Schema.Array(Payment).annotate({ description: "The last 100, the newest first." })
}).annotate({ identifier: "Payments" })
export interface Payments extends Schema.Schema.Type<typeof Payments> {}

export const NewPayment = Schema.Struct({
  amount_micros_usd: Micros.annotate({ description: "Whole cents." }),
  by: Schema.Literals(["card", "invoice"]),
  save_card: Schema.optionalKey(Flag("For payments that it makes by itself later."))
})
export interface NewPayment extends Schema.Schema.Type<typeof NewPayment> {}

export const RechargeTerms = Schema.Struct({
  recharge: Schema.NullOr(
    Schema.Struct({ below_micros_usd: Micros, amount_micros_usd: Micros, month_limit_micros_usd: Micros })
  )
})
export interface RechargeTerms extends Schema.Schema.Type<typeof RechargeTerms> {}

export const payments = {
  payments: Api.get("/payments", {
    summary: "How this account can pay, its saved card, and its payments",
    description: "A limited key, or a grant with a budget, cannot see it.",
    success: Payments,
    scope: "usage"
  }),
  createPayment: Api.post("/payments", {
    summary: "Begins a payment. By card, its `url` is where to pay",
    ...ruled,
    body: NewPayment,
    success: Payment,
    status: 201,
    example: { body: { amount_micros_usd: 25_000_000, by: "card", save_card: true } }
  }),
  changeRecharge: Api.patch("/payments/recharge", {
    summary: "Charges the saved card as soon as little is available. `recharge: null` ends it",
    ...ruled,
    body: RechargeTerms,
    success: Payments,
    example: {
      body: {
        recharge: { below_micros_usd: 5_000_000, amount_micros_usd: 25_000_000, month_limit_micros_usd: 100_000_000 }
      }
    }
  }),
  forgetCard: Api.post("/payments/card/forget", {
    summary: "Forgets the saved card, and ends the automatic payments",
    ...ruled,
    success: Payments,
    replay: "free"
  }),
  voidInvoice: Api.post("/payments/{id}/void", {
    summary: "Ends an open invoice, which then cannot be paid any more",
    ...ruled,
    success: Payment,
    replay: "free"
  })
} as const
