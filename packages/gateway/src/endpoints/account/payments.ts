import type * as Contract from "@tollgate/contract/account/Payment"
import { micro } from "@tollgate/contract/Money"
import type { Accounts } from "@tollgate/ledger/account/Accounts"
import * as Effect from "effect/Effect"
import type { Payments } from "../../payment/Payments.ts"
import type { Payment } from "../../payment/PaymentRows.ts"
import type { Handlers } from "../managementApi/ApiRouter.ts"
import { amount, time } from "../managementApi/shapes.ts"
import { type Caller, decidesForAccount, needsBalance } from "./Caller.ts"

export const shownPayment = (of: Payment): Contract.Payment => ({
  id: of.id,
  kind: of.kind,
  state: of.state,
  amount_micros_usd: amount(of.amount),
  returned_micros_usd: amount(of.returned),
  created_at: time(of.createdAt),
  paid_at: of.paidAt === null ? null : time(of.paidAt),
  url: of.url,
  receipt_url: of.receipt,
  problem: of.problem
})

const most = 100

/** What the owner of an account pays, where the page of a payment leads back to `back`. */
export const paymentHandlers = (
  payments: Payments,
  accounts: Accounts["Service"],
  back: string
): Handlers<typeof Contract.payments, Caller> => {
  const sees = needsBalance(accounts)
  const decides = decidesForAccount(accounts)
  const { least, most: largest, provider, transfer } = payments.settings

  const shown = Effect.fnUntraced(function* (account: string) {
    const payer = yield* payments.payer(account)
    const recharge = payer?.recharge ?? null
    return {
      ways: [...(provider === undefined ? [] : ["card" as const]), ...(transfer === "" ? [] : ["invoice" as const])],
      least_micros_usd: amount(least),
      most_micros_usd: amount(largest),
      transfer,
      pretend: provider?.isPretend === true,
      card: payer?.card ?? null,
      recharge: recharge && {
        below_micros_usd: amount(recharge.below),
        amount_micros_usd: amount(recharge.amount),
        month_limit_micros_usd: amount(recharge.monthLimit),
        charged_this_month_micros_usd: amount(yield* payments.recharged(account)),
        problem: payer?.problem ?? ""
      },
      payments: (yield* payments.list({ account }, most)).map(shownPayment)
    } satisfies Contract.Payments
  })

  const deciding = <A, E>(caller: Caller, change: (account: string) => Effect.Effect<A, E>) =>
    Effect.andThen(decides(caller), () => change(caller.principal.account))

  return {
    payments: (_, caller) => Effect.andThen(sees(caller), shown(caller.principal.account)),
    createPayment: ({ body: { amount_micros_usd: value, by, save_card: saveCard = false } }, caller) =>
      deciding(caller, (account) =>
        Effect.map(payments.create(account, { amount: micro(BigInt(value)), by, saveCard, back }), shownPayment)
      ),
    changeRecharge: ({ body: { recharge } }, caller) =>
      deciding(caller, (account) => {
        const terms = recharge && {
          below: BigInt(recharge.below_micros_usd),
          amount: micro(BigInt(recharge.amount_micros_usd)),
          monthLimit: BigInt(recharge.month_limit_micros_usd)
        }
        return Effect.andThen(payments.setRecharge(account, terms), shown(account))
      }),
    forgetCard: (_, caller) =>
      deciding(caller, (account) => Effect.andThen(payments.forgetCard(account), shown(account))),
    voidInvoice: ({ id }, caller) =>
      deciding(caller, (account) => Effect.map(payments.end(id, "The customer has ended it.", account), shownPayment))
  }
}
