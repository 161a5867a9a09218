import { Link, useParams } from "@tanstack/react-router"
import {
  account as readAccount,
  accountUsage,
  adjust,
  changeAccount,
  entries as readEntries,
  reversePayment,
  topUp
} from "@tollgate/client/admin"
import type { Amount } from "@tollgate/contract/account/Amount"
import type * as Contract from "@tollgate/contract/admin/Account"
import { AccountTerms, Adjustment, Reversal, TopUp } from "@tollgate/contract/admin/Terms"
import { useLoad } from "@tollgate/react/effect"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { useMemo, useState } from "react"
import { count, leftUsd, shortUsd, usd } from "../../../ui/amounts.ts"
import { ChangeButton, type FormField } from "../../../ui/ChangeButton.tsx"
import { Segments } from "../../../ui/form.tsx"
import { Button, Empty, Loaded, Page, Skeleton, Stats } from "../../../ui/kit.tsx"
import { List } from "../../../ui/Table.tsx"
import { Figures } from "../../overview/Figures.tsx"
import { type Shown, UsageChart } from "../../overview/UsageChart.tsx"
import { type Preset, presets, spanOf, widthOf } from "../../overview/window.ts"
import styles from "../operator.module.css"
import { entryColumns, newId } from "../parts.tsx"
import { PaymentsCard } from "../PaymentsCard.tsx"
import { CallsCard } from "./CallsCard.tsx"
import { GrantsCard } from "./GrantsCard.tsx"
import { KeysCard } from "./KeysCard.tsx"

const AccountStats = ({ account }: { readonly account: Contract.Account }) => {
  const { balance_micros_usd: balance, reserved_micros_usd: reserved, topped_up_micros_usd: toppedUp } = account
  const stat = (label: string, amount: Amount | bigint, write: typeof usd) =>
    [label, <span title={usd(amount)}>{write(amount)}</span>] as const
  return (
    <Stats
      of={[
        stat("Balance", balance, leftUsd),
        stat("Available", BigInt(balance) - BigInt(reserved), leftUsd),
        stat("Reserved", reserved, shortUsd),
        stat("Topped up", toppedUp, shortUsd),
        [
          "Terms",
          `${account.tier} ×${account.multiplier}`,
          `${count(account.rpm)} requests and ${count(account.tpm)} tokens per minute, ${count(account.concurrency)} calls at once`
        ]
      ]}
    />
  )
}

interface BookingWords {
  readonly title: string
  readonly route: string
  readonly hint: string
  readonly schema: Schema.ConstraintDecoder<TopUp>
  readonly book: typeof topUp | typeof reversePayment
  /** What the button does with an amount. */
  readonly words: (micros: bigint) => string
  readonly isMain?: true
}

const bookings: ReadonlyArray<BookingWords> = [
  {
    title: "Record a chargeback",
    route: "reversePayment",
    hint: "A payment that was taken back. The balance can go below zero, and the tier can drop.",
    schema: Reversal,
    book: reversePayment,
    words: (micros) => `Reverse ${usd(micros)}`
  },
  {
    title: "Adjust balance",
    route: "adjust",
    hint: "A credit, or with a minus a debit. It does not count towards the tier.",
    schema: Adjustment,
    book: adjust,
    words: (micros) => (micros < 0n ? `Take ${usd(-micros)}` : `Add ${usd(micros)}`)
  },
  {
    title: "Top up",
    route: "topUp",
    hint: "A payment. It counts towards the tier.",
    schema: TopUp,
    book: topUp,
    words: (micros) => `Top up ${usd(micros)}`,
    isMain: true
  }
]

interface BookingButtonProps {
  readonly account: string
  readonly of: BookingWords
  readonly onDone: () => void
}

const BookingButton = ({
  account,
  of: { book, hint, isMain, route, schema, title, words },
  onDone
}: BookingButtonProps) => (
  <ChangeButton
    label={title}
    may={route}
    kind={isMain && "main"}
    schema={schema}
    fields={{
      amount_micros_usd: { label: "Amount in USD", hint },
      note: isMain
        ? { label: "Note", hint: "Such as an invoice number. The customer sees it." }
        : { label: "Reason", hint: "The customer sees it." },
      // One id for each dialog: if it is sent again, also after a failure, it is booked once.
      id: { label: "Id", initial: newId(), render: () => null }
    }}
    submit={({ amount_micros_usd: amount }) => (typeof amount === "number" ? words(BigInt(amount)) : title)}
    afterFailure="You can safely send it again. It is booked once."
    run={(booking) => book(account, { note: "", ...booking })}
    onDone={onDone}
    done={(after, { amount_micros_usd: amount }) =>
      `Booked ${usd(amount)}. The balance is ${usd(after.balance_micros_usd)}.`
    }
  />
)

const limitField = (label: string, now: number): FormField => ({
  label,
  hint: "Empty: as in the tier.",
  initial: `${now}`
})

interface TermsButtonProps {
  readonly account: Contract.Account
  readonly onDone: () => void
}

const TermsButton = ({ account, onDone }: TermsButtonProps) => (
  <ChangeButton
    label="Change terms"
    may="changeAccount"
    ask="an owner or somebody in finance"
    schema={AccountTerms}
    changedOnly
    fields={{
      label: { label: "Label", initial: account.label, required: true },
      tier: {
        label: "Tier",
        options: [
          ["", `Unchanged: ${account.tier}`],
          ["auto", "From top-ups"],
          ...AccountTerms.fields.tier.schema.members[0].literals.map((name) => [name, name] as const)
        ],
        read: (text) => (text === "auto" ? null : text),
        half: true
      },
      multiplier: {
        label: "Multiplier",
        hint: "The charge is the list price times this.",
        initial: account.multiplier,
        required: true,
        half: true
      },
      rpm: limitField("Requests per minute", account.rpm),
      tpm: limitField("Tokens per minute", account.tpm),
      concurrency: limitField("Calls at once", account.concurrency),
      why: { label: "Why", hint: "For the trail. The customer does not see it." }
    }}
    submit="Save the terms"
    run={(terms) => changeAccount(account.id, terms)}
    onDone={onDone}
    done={() => "The terms were saved."}
  />
)

const UsageSection = ({ account }: { readonly account: string }) => {
  const [preset, setPreset] = useState<Preset>("7d")
  const [shown, setShown] = useState<Shown>("requests")
  const load = useMemo(
    () =>
      Effect.suspend(() => {
        const span = spanOf(preset, Date.now() / 1000)
        return accountUsage(account, { start_time: span.start, end_time: span.end, width: widthOf(span, undefined) })
      }),
    [account, preset]
  )
  return (
    <section aria-labelledby="usage">
      <header className={styles.head}>
        <h2 id="usage">Usage</h2>
        <Segments label="Window" options={presets} value={preset} onChange={setPreset} />
      </header>
      <Loaded of={useLoad(load, { every: "10 seconds", keep: true })} loading={<Skeleton lines={4} tall />}>
        {(series) => (
          <>
            <Figures series={series} />
            {series.totals.requests === 0 ? (
              <Empty inCard title="No calls in this window" />
            ) : (
              <UsageChart series={series} shown={shown} onShow={setShown} />
            )}
          </>
        )}
      </Loaded>
    </section>
  )
}

const Account = ({ id }: { readonly id: string }) => {
  const [showsPayments, setShowsPayments] = useState(false)
  const load = useMemo(() => readAccount(id), [id])
  const account = useLoad(load, { every: "5 seconds" })
  const entries = useLoad(useMemo(() => readEntries(id), [id]))
  const booked = () => {
    account.refresh()
    entries.refresh()
  }
  return (
    <Page
      title={account.value?.label ?? "Account"}
      back={<Link to="/operator/accounts">All accounts</Link>}
      lead={<code>{id}</code>}
      actions={
        account.value === undefined ? undefined : (
          <>
            <TermsButton account={account.value} onDone={account.refresh} />
            {bookings.map((each) => (
              <BookingButton key={each.title} account={id} of={each} onDone={booked} />
            ))}
          </>
        )
      }
    >
      <Loaded of={account} loading={<Skeleton lines={3} tall />}>
        {(value) => (
          <>
            <AccountStats account={value} />
            <KeysCard account={id} />
            <UsageSection account={id} />
            <CallsCard account={id} />
            <List
              title="Transactions"
              of={entries}
              columns={entryColumns()}
              rows={({ entries }) => entries}
              keyOf={(entry) => entry.id}
              empty="No transactions yet"
            />
            {showsPayments ? (
              <PaymentsCard account={id} />
            ) : (
              <p>
                <Button onClick={() => setShowsPayments(true)}>Show payments</Button>
              </p>
            )}
            <GrantsCard account={id} />
            <p>
              <Link to="/operator/team" search={{ of: id }}>
                Who changed this account
              </Link>
            </p>
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** One account. Another id is another page: nothing of the last one stays, above all no new key. */
export const AccountPage = () => {
  const { account } = useParams({ from: "/operator/accounts/$account" })
  return <Account key={account} id={account} />
}
