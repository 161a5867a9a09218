import * as Schema from "effect/Schema"
import { paymentFields, paymentStates } from "../account/Payment.ts"
import * as Api from "../Api.ts"
import { Name } from "../account/LoggedCall.ts"
import { PaidAmount, Reason, TransactionId } from "./Terms.ts"
import { Text, TextOrNull } from "../account/Amount.ts"

export const AccountPayment = Schema.Struct({
  ...paymentFields,
  account: Schema.String,
  account_label: Schema.String,
  provider: Text("Who takes the money: `stripe`, `transfer`, or the `sandbox`."),
  reference: TextOrNull("The provider's id of it.")
}).annotate({ identifier: "AccountPayment" })
export interface AccountPayment extends Schema.Schema.Type<typeof AccountPayment> {}

export const AccountPayments = Schema.Struct({ payments: Schema.Array(AccountPayment) })
export interface AccountPayments extends Schema.Schema.Type<typeof AccountPayments> {}

export const PaymentsQuery = Schema.Struct({
  account: Schema.optionalKey(Name),
  state: Schema.optionalKey(Schema.Literals(paymentStates))
})
export interface PaymentsQuery extends Schema.Schema.Type<typeof PaymentsQuery> {}

export const PaymentRefund = Schema.Struct({
  amount_micros_usd: Schema.optionalKey(PaidAmount.annotate({ description: "Whole cents. All of it by default." })),
  note: Reason.annotate({ description: "The reason." }),
  id: Schema.optionalKey(TransactionId)
})
export interface PaymentRefund extends Schema.Schema.Type<typeof PaymentRefund> {}

export const InvoicePaid = Schema.Struct({
  note: Reason.annotate({ description: "How the money came: the bank's reference." })
})
export interface InvoicePaid extends Schema.Schema.Type<typeof InvoicePaid> {}

export const PaymentEnd = Schema.Struct({ note: Reason.annotate({ description: "The reason." }) })
export interface PaymentEnd extends Schema.Schema.Type<typeof PaymentEnd> {}

const changed = { success: AccountPayment, conflicts: true, role: ["finance"], replay: "free" } as const

export const payments = {
  payments: Api.get("/payments", {
    summary: "The last 500 payments by customers, the newest first",
    query: PaymentsQuery,
    success: AccountPayments,
    example: { query: { state: "open" } }
  }),
  checkPayment: Api.post("/payments/{id}/check", {
    summary: "Asks the provider what became of a payment, and books it",
    ...changed,
    role: ["finance", "support"]
  }),
  refundPayment: Api.post("/payments/{id}/refunds", {
    summary: "Gives a payment back to the card, or a part of it, once for each id",
    description:
      "It is taken from the balance first, which must have it available, and added again if the provider refuses.",
    ...changed,
    body: PaymentRefund,
    example: { body: { amount_micros_usd: 5_000_000, note: "paid twice", id: "refund-1" } }
  }),
  invoicePaid: Api.post("/payments/{id}/paid", {
    summary: "Books the money of an invoice, which has come by bank transfer",
    ...changed,
    body: InvoicePaid,
    example: { body: { note: "transfer 2026-11-19/7" } }
  }),
  voidPayment: Api.post("/payments/{id}/void", {
    summary: "Ends an open payment, which then cannot be paid any more",
    ...changed,
    body: PaymentEnd,
    example: { body: { note: "the customer asked for another amount" } }
  })
} as const
