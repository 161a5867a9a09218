import { checkPayment, invoicePaid, payments, refundPayment, voidPayment } from "@tollgate/client/admin"
import { paymentStates } from "@tollgate/contract/account/Payment"
import { type AccountPayment, PaymentRefund } from "@tollgate/contract/admin/Payment"
import { useLoad } from "@tollgate/react/effect"
import { useMemo, useState } from "react"
import { microsOf, usd } from "../../ui/amounts.ts"
import { ChangeButton, type FormField } from "../../ui/ChangeButton.tsx"
import { Segments } from "../../ui/form.tsx"
import { usdText } from "../../ui/parseUsd.ts"
import { type Column, List } from "../../ui/Table.tsx"
import { states } from "../billing/payment.ts"
import { paymentColumns } from "../billing/paymentColumns.tsx"
import { AccountLink, newId } from "./parts.tsx"
import styles from "./operator.module.css"

const reason = { note: { label: "Reason", hint: "It is recorded." } }
const transfer = { note: { label: "Reference of the bank", hint: "It is recorded." } }
const fromBalance = "It leaves the balance for the card."

type Fields = Readonly<Record<string, FormField>>
type Run = (given: PaymentRefund) => ReturnType<typeof checkPayment>

/** What may be done with a payment. */
const actionsOf = (of: AccountPayment, onDone: () => void) => {
  const { id, kind, state } = of
  const left = microsOf(of.amount_micros_usd) - microsOf(of.returned_micros_usd)
  const action = (route: string, label: string, words: string, fields: Fields, run: Run) => (
    <ChangeButton
      label={label}
      may={route}
      name={`${label} ${id}`}
      {...("note" in fields ? { schema: PaymentRefund } : {})}
      fields={fields}
      submit={label}
      run={run}
      onDone={onDone}
      done={(now) => `${id}: ${states[now.state][0].toLowerCase()}, ${usd(now.returned_micros_usd)} returned.`}
    >
      <p>
        {usd(of.amount_micros_usd)} of {of.account_label}. {words}
      </p>
    </ChangeButton>
  )
  const refund = {
    amount_micros_usd: { label: "Amount in USD", hint: `At most ${usd(left)}.`, initial: usdText(left) },
    ...reason,
    // One id for each dialog: if it is sent again, also after a failure, it is refunded once.
    id: { label: "Id", initial: newId(), render: () => null }
  }
  const giveBack = (given: PaymentRefund) => refundPayment(id, given)
  const isCard = kind !== "invoice"
  const mayEnd = state === "unknown" || (state === "open" && kind !== "recharge")
  return (
    <>
      {isCard && action("checkPayment", "Check", "Books what the provider says of it.", {}, () => checkPayment(id))}
      {isCard && state === "paid" && left > 0n && action("refundPayment", "Refund", fromBalance, refund, giveBack)}
      {!isCard &&
        state === "open" &&
        action("invoicePaid", "Mark as paid", "The money has come.", transfer, ({ note }) => invoicePaid(id, note))}
      {mayEnd &&
        action("voidPayment", "Void", "It cannot be paid any more.", reason, ({ note }) => voidPayment(id, note))}
    </>
  )
}

const choices = [["all", "All"] as const, ...paymentStates.map((state) => [state, states[state][0]] as const)]

/** The payments of all accounts, or of one. */
export const PaymentsCard = ({ account }: { readonly account?: string }) => {
  const [state, setState] = useState<(typeof choices)[number][0]>("all")
  const load = useMemo(() => {
    const of = account === undefined ? {} : { account }
    return payments(state === "all" ? of : { ...of, state })
  }, [account, state])
  const loaded = useLoad(load, { every: "15 seconds", keep: true })
  const ofAccount: Column<AccountPayment> = {
    head: "Account",
    cell: ({ account, account_label }) => <AccountLink id={account} label={account_label} />
  }
  const reference: Column<AccountPayment> = {
    head: "Reference",
    extra: true,
    className: styles.id,
    title: ({ reference }) => reference ?? undefined,
    cell: ({ provider, reference }) => [provider, reference].join(" ")
  }
  return (
    <List
      title="Payments"
      of={loaded}
      action={<Segments label="State" options={choices} value={state} onChange={setState} />}
      columns={[
        ...paymentColumns(...(account === undefined ? [ofAccount, reference] : [reference])),
        { head: "Actions", kind: "actions", cell: (payment) => actionsOf(payment, loaded.refresh) }
      ]}
      rows={({ payments }) => payments}
      keyOf={({ id }) => id}
      empty="No payments here"
    />
  )
}
