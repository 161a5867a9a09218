import type { PaymentState, PaymentKind } from "@tollgate/contract/account/Payment"
import { type BigMicroUsd, micro } from "@tollgate/contract/Money"
import { amount, amountOrNull, number, numberOrNull, type Row, text, textOrNull } from "@tollgate/ledger/store/rows"

export interface Payment {
  readonly id: string
  readonly account: string
  readonly provider: string
  readonly kind: PaymentKind
  readonly amount: BigMicroUsd
  readonly state: PaymentState
  readonly reference: string | null
  readonly url: string | null
  readonly receipt: string | null
  readonly returned: bigint
  readonly saveCard: boolean
  readonly createdAt: number
  readonly paidAt: number | null
  readonly problem: string
}

export const paymentOf = (row: Row): Payment => ({
  id: text(row, "id"),
  account: text(row, "account"),
  provider: text(row, "provider"),
  kind: text(row, "kind") as PaymentKind,
  amount: micro(amount(row, "amount")),
  state: text(row, "state") as PaymentState,
  reference: textOrNull(row, "reference"),
  url: textOrNull(row, "url"),
  receipt: textOrNull(row, "receipt"),
  returned: amount(row, "returned"),
  saveCard: number(row, "save_card") === 1,
  createdAt: number(row, "created_at"),
  paidAt: numberOrNull(row, "paid_at"),
  problem: text(row, "problem")
})

/** Who pays for an account by card. */
export interface Payer {
  readonly account: string
  readonly customer: string
  readonly method: string | null
  readonly card: string | null
  readonly recharge: { readonly below: bigint; readonly amount: BigMicroUsd; readonly monthLimit: bigint } | null
  readonly problem: string
}

export const payerOf = (row: Row): Payer => {
  const below = amountOrNull(row, "below")
  return {
    account: text(row, "account"),
    customer: text(row, "customer"),
    method: textOrNull(row, "method"),
    card: textOrNull(row, "card"),
    recharge:
      below === null ? null : { below, amount: micro(amount(row, "amount")), monthLimit: amount(row, "month_limit") },
    problem: text(row, "problem")
  }
}
