import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import {
  type AccountError,
  changeRecharge,
  createPayment,
  forgetCard,
  payments,
  voidInvoice
} from "@tollgate/client/account"
import { NewPayment, type Payment, type Payments, RechargeTerms } from "@tollgate/contract/account/Payment"
import { useLoad } from "@tollgate/react/effect"
import * as Effect from "effect/Effect"
import { useEffect } from "react"
import { gateway } from "../../session/gateway.ts"
import { useProfile } from "../../session/useProfile.ts"
import { usd } from "../../ui/amounts.ts"
import { ChangeButton } from "../../ui/ChangeButton.tsx"
import { Segments, TextField } from "../../ui/form.tsx"
import { Button, Card, Facts, Notice, Tag } from "../../ui/kit.tsx"
import { usdText } from "../../ui/parseUsd.ts"
import { TableCard } from "../../ui/Table.tsx"
import { fullTime } from "../../ui/times.ts"
import { amountProblem, states } from "./payment.ts"
import { paymentColumns } from "./paymentColumns.tsx"
import styles from "./billing.module.css"

const Papers = ({ of: { id, kind, receipt_url, state, url } }: { readonly of: Payment }) => (
  <>
    {kind === "invoice" ? (
      <Link to="/billing" search={{ payment: id }}>
        Invoice
      </Link>
    ) : state === "open" && url !== null ? (
      <a href={url}>Pay</a>
    ) : null}{" "}
    {receipt_url === null ? null : (
      <a href={receipt_url} target="_blank">
        Receipt
      </a>
    )}
  </>
)

const columns = [
  ...paymentColumns<Payment>(),
  { head: "Papers", kind: "actions" as const, cell: (payment: Payment) => <Papers of={payment} /> }
]

interface SectionProps {
  readonly of: Payments
  readonly refresh: () => void
}

const amounts = ["10", "25", "100"].map((amount) => [amount, `$${amount}`] as const)

export const AddMoney = ({ of, refresh }: SectionProps) => {
  const navigate = useNavigate()
  const hint = `From ${usd(of.least_micros_usd)} to ${usd(of.most_micros_usd)}.`
  const ways = [["card", "By card"] as const, ["invoice", "By bank transfer"] as const]
  return (
    <ChangeButton
      label="Add money"
      kind="main"
      schema={NewPayment}
      fields={{
        amount_micros_usd: {
          label: "Amount",
          initial: "25",
          render: ({ text, ...control }) => (
            <>
              <Segments label="Suggested amounts" options={amounts} value={text} onChange={control.onChange} />
              <TextField label="Amount in USD" hint={hint} inputMode="decimal" value={text} {...control} />
            </>
          )
        },
        by: {
          label: "Pay",
          initial: of.ways[0] ?? "",
          options: ways.filter(([way]) => of.ways.includes(way)),
          when: () => of.ways.length > 1
        },
        save_card: { label: "Save the card for later", when: ({ by }) => by === "card" }
      }}
      assemble={(values) => ({ by: of.ways[0], ...values })}
      check={({ amount_micros_usd }) => ({ amount_micros_usd: amountProblem(amount_micros_usd, of) })}
      submit={({ save_card }) => (save_card === undefined ? "Make an invoice" : "Pay by card")}
      run={createPayment}
      onDone={({ id, kind, url }) => {
        if (kind === "card" && url !== null) return location.assign(url)
        refresh()
        return void navigate({ to: "/billing", search: { payment: id } })
      }}
    >
      {of.pretend ? <p className="soft">No money moves here: the page where you pay is the sandbox's.</p> : null}
    </ChangeButton>
  )
}

const terms = [
  ["below_micros_usd", "As soon as less than this is available, in USD", "5"],
  ["amount_micros_usd", "Charge, in USD", "25"],
  ["month_limit_micros_usd", "At most in a month, in USD", "100"]
] as const

const endings = [
  ["Turn off", "The card stays saved.", () => changeRecharge(null), "The automatic recharge is off."],
  ["Forget the card", "The automatic recharge ends too.", forgetCard, "The card was forgotten."]
] as const

const rechargeWords = ({ card, recharge }: Payments): string => {
  if (card === null) return "Off. To turn it on, add money and save the card."
  if (recharge === null) return `Off. The saved card is ${card}.`
  const [below, amount, limit, charged] = [
    recharge.below_micros_usd,
    recharge.amount_micros_usd,
    recharge.month_limit_micros_usd,
    recharge.charged_this_month_micros_usd
  ].map(usd)
  return `Charges ${amount} to ${card} as soon as less than ${below} is available. Charged this month (UTC): ${charged} of at most ${limit}.`
}

const Recharge = ({ of, refresh }: SectionProps) => {
  const { card, recharge } = of
  const ends = endings.slice(recharge === null ? 1 : 0).map(([label, words, run, said]) => (
    <ChangeButton key={label} label={label} danger submit={label} run={run} onDone={refresh} done={() => said}>
      <p>{words}</p>
    </ChangeButton>
  ))
  const change = (
    <ChangeButton
      label={recharge === null ? "Turn on" : "Change"}
      title="Automatic recharge"
      schema={RechargeTerms.fields.recharge.members[0]}
      fields={Object.fromEntries(
        terms.map(([name, label, initial], at) => [
          name,
          { label, half: at > 0, initial: usdText(recharge?.[name]) || initial }
        ])
      )}
      check={({ amount_micros_usd: amount, month_limit_micros_usd: most }) => ({
        amount_micros_usd: amountProblem(amount, of),
        month_limit_micros_usd: Number(most) < Number(amount) ? "Enter as much as one charge, or more." : undefined
      })}
      submit={recharge === null ? "Turn on" : "Save"}
      run={changeRecharge}
      onDone={refresh}
      done={() => "The automatic recharge is on."}
    />
  )
  return (
    <Card
      title="Automatic recharge"
      action={
        card === null ? null : (
          <div className="row">
            {ends}
            {change}
          </div>
        )
      }
    >
      {recharge === null || recharge.problem === "" ? null : (
        <Notice kind="warn" title={`It has stopped: ${recharge.problem}`}>
          <p>Save it again to start it.</p>
        </Notice>
      )}
      <p className="soft">{rechargeWords(of)}</p>
    </Card>
  )
}

/** What became of the payment in the address: an invoice to print, or what the provider's page came back with. */
const Awaited = ({ of, refresh, transfer }: { of: Payment; refresh: () => void; transfer: string }) => {
  const { amount_micros_usd, created_at, id, kind, problem, state } = of
  const { value } = useProfile()
  const [name, color, said] = states[state]
  const close = <Link to="/billing">Close</Link>
  if (kind !== "invoice") {
    return (
      <Notice kind={color === "accent" ? "info" : color} title={said(usd(amount_micros_usd))}>
        <p>
          {problem} <Papers of={of} /> {close}
        </p>
      </Notice>
    )
  }
  const end = { run: () => voidInvoice(id), onDone: refresh, done: () => "The invoice was voided." }
  const actions = (
    <div className="row">
      {state === "open" ? (
        <ChangeButton label="Void" danger submit="Void the invoice" {...end}>
          <p>It cannot be paid any more. Do not void it if you have sent the money.</p>
        </ChangeButton>
      ) : null}
      <Button onClick={() => print()}>Print</Button>
    </div>
  )
  return (
    <div className={styles.invoice}>
      <Card title={`Invoice ${id}`} action={actions}>
        <Facts
          of={[
            ["Amount", <strong>{usd(amount_micros_usd)}</strong>],
            ["Date", fullTime(created_at)],
            ["State", <Tag kind={color}>{name}</Tag>],
            ["From", gateway.name],
            ["For", `${value?.account.label} (${value?.account.id})`],
            ["Reference", id],
            state === "open" ? ["Send it to", <span className={styles.lines}>{transfer}</span>] : undefined
          ]}
        />
        <p>
          {state === "open" ? "The money is added as soon as it has come and was booked." : problem} {close}
        </p>
      </Card>
    </div>
  )
}

/** `null`: this gateway takes no payments, or not of this credential. */
const load = Effect.catch(
  Effect.map(payments(), (found) => (found.ways.length === 0 ? null : found)),
  (error: AccountError) =>
    "status" in error && (error.status === 403 || error.status === 404) ? Effect.succeed(null) : Effect.fail(error)
)

const none = Effect.succeed(null)

/** Ways to pay, and what was paid, of a credential that sees the balance. `onPaid`: one more is. */
export const usePayments = (sees: boolean | undefined, onPaid: () => void) => {
  const { payment } = useSearch({ from: "/billing" })
  const loaded = useLoad(sees === true ? load : none, {
    every: payment === undefined ? "10 seconds" : "3 seconds",
    keep: true
  })
  const paid = loaded.value?.payments.filter(({ state }) => state === "paid").length ?? 0
  useEffect(() => {
    if (paid > 0) onPaid()
  }, [paid, onPaid])
  return loaded
}

export const PaymentCards = ({ of, refresh }: SectionProps) => {
  const { payment } = useSearch({ from: "/billing" })
  const awaited = of.payments.find(({ id }) => id === payment)
  return (
    <>
      {awaited === undefined ? null : <Awaited of={awaited} refresh={refresh} transfer={of.transfer} />}
      {of.ways.includes("card") ? <Recharge of={of} refresh={refresh} /> : null}
      {of.payments.length === 0 ? null : (
        <TableCard title="Payments" columns={columns} rows={of.payments} keyOf={({ id }) => id} />
      )}
    </>
  )
}
