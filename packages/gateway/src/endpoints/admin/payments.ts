import type * as Contract from "@tollgate/contract/admin/Payment"
import { micro } from "@tollgate/contract/Money"
import * as Effect from "effect/Effect"
import type { Payment } from "../../payment/PaymentRows.ts"
import type { Payments } from "../../payment/Payments.ts"
import { shownPayment } from "../account/payments.ts"
import type { Handlers } from "../managementApi/ApiRouter.ts"

const most = 500

const shown = (of: Payment): Contract.AccountPayment => {
  const { account, accountLabel: account_label, provider, reference } = of
  return { ...shownPayment(of), account, account_label, provider, reference }
}
const show = Effect.map(shown)

export const paymentHandlers = (payments: Payments): Handlers<typeof Contract.payments> => ({
  payments: ({ query }) => Effect.map(payments.list(query, most), (listed) => ({ payments: listed.map(shown) })),
  checkPayment: ({ id }) => show(payments.check(id)),
  refundPayment: ({ body: { amount_micros_usd: value, id: refund, note }, id }) =>
    show(payments.refund(id, value === undefined ? undefined : micro(BigInt(value)), note, refund)),
  invoicePaid: ({ body: { note }, id }) => show(payments.invoicePaid(id, note)),
  voidPayment: ({ body: { note }, id }) => show(payments.end(id, note))
})
