import type * as Contract from "@tollgate/contract/admin/Payment"
import { micro } from "@tollgate/contract/Money"
import type { Accounts } from "@tollgate/ledger/account/Accounts"
import * as Effect from "effect/Effect"
import type { Payments } from "../../payment/Payments.ts"
import type { Payment } from "../../payment/rows.ts"
import { shownPayment } from "../account/payments.ts"
import type { Handlers } from "../managementApi/ApiRouter.ts"

const most = 500

export const paymentHandlers = (
  payments: Payments,
  accounts: Accounts["Service"]
): Handlers<typeof Contract.payments> => {
  const shown = Effect.fnUntraced(function* (payment: Payment) {
    const { account, provider, reference } = payment
    return {
      ...shownPayment(payment),
      account,
      account_label: (yield* accounts.get(account)).label,
      provider,
      reference
    }
  })
  const show = <E>(payment: Effect.Effect<Payment, E>) => Effect.flatMap(payment, shown)
  return {
    payments: Effect.fnUntraced(function* ({ query }) {
      const labels = new Map((yield* accounts.list).map(({ id, label }) => [id, label]))
      const listed = yield* payments.list(query, most)
      return {
        payments: listed.map((payment) => {
          const { account, provider, reference } = payment
          return { ...shownPayment(payment), account, account_label: labels.get(account) ?? "", provider, reference }
        })
      }
    }),
    checkPayment: ({ id }) => show(payments.check(id)),
    refundPayment: ({ body: { amount_micros_usd: value, id: refund, note }, id }) =>
      show(payments.refund(id, value === undefined ? undefined : micro(BigInt(value)), note, refund)),
    invoicePaid: ({ body: { note }, id }) => show(payments.invoicePaid(id, note)),
    voidPayment: ({ body: { note }, id }) => show(payments.end(id, note))
  }
}
