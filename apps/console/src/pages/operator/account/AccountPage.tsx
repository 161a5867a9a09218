import { Link, useParams } from "@tanstack/react-router"
import { account as readAccount, entries as readEntries, keys as readKeys } from "@tollgate/client/admin"
import type { Amount } from "@tollgate/contract/account/Amount"
import type * as Contract from "@tollgate/contract/admin/Account"
import { useLoad } from "@tollgate/react"
import { useCallback, useMemo, useState } from "react"
import { count, leftUsd, shortUsd, usd } from "../../../ui/amounts.ts"
import { Button, Page, Skeleton, Stat, Stats } from "../../../ui/kit.tsx"
import { Failure } from "../parts/Failure.tsx"
import { BookingDialog, type BookingKind } from "./BookingDialog.tsx"
import { CallsCard } from "./CallsCard.tsx"
import { EntriesCard } from "./EntriesCard.tsx"
import { GrantsCard } from "./GrantsCard.tsx"
import { KeysCard } from "./KeysCard.tsx"
import { TermsDialog } from "./TermsDialog.tsx"
import { UsageSection } from "./UsageSection.tsx"

/** What a short amount leaves out. */
const exactly = (amount: Amount | bigint, shown = shortUsd(amount)): string | undefined =>
  usd(amount) === shown ? undefined : `Exactly ${usd(amount)}`

const availableTo = (account: Contract.Account): bigint =>
  BigInt(account.balance_micros_usd) - BigInt(account.reserved_micros_usd)

const Figures = ({ account }: { readonly account: Contract.Account }) => (
  <Stats>
    <Stat
      label="Balance"
      value={leftUsd(account.balance_micros_usd)}
      note={
        exactly(account.balance_micros_usd, leftUsd(account.balance_micros_usd)) ??
        "What is available, and what is reserved"
      }
    />
    <Stat
      label="Available"
      value={leftUsd(availableTo(account))}
      note={exactly(availableTo(account), leftUsd(availableTo(account))) ?? "For new calls"}
    />
    <Stat
      label="Reserved"
      value={shortUsd(account.reserved_micros_usd)}
      note={exactly(account.reserved_micros_usd) ?? "For calls under way"}
    />
    <Stat
      label="Topped up"
      value={shortUsd(account.topped_up_micros_usd)}
      note={exactly(account.topped_up_micros_usd) ?? "In total"}
    />
    <Stat
      label="Terms"
      value={`${account.tier} ×${account.multiplier}`}
      note={`${count(account.rpm)} requests and ${count(account.tpm)} tokens per minute, ${count(account.concurrency)} calls at once`}
    />
  </Stats>
)

const Account = ({ id }: { readonly id: string }) => {
  const account = useLoad(
    useMemo(() => readAccount(id), [id]),
    { every: "10 seconds" }
  )
  const keys = useLoad(
    useMemo(() => readKeys(id), [id]),
    { every: "10 seconds" }
  )
  const entries = useLoad(useMemo(() => readEntries(id), [id]))
  const [booking, setBooking] = useState<BookingKind>()
  const [editsTerms, setEditsTerms] = useState(false)
  const [changes, setChanges] = useState(0)
  const [refreshAccount, refreshKeys] = [account.refresh, keys.refresh]
  const called = useCallback(() => {
    refreshAccount()
    refreshKeys()
    setChanges((before) => before + 1)
  }, [refreshAccount, refreshKeys])
  const booked = () => {
    account.refresh()
    entries.refresh()
  }
  return (
    <Page
      title={account.value?.label ?? "Account"}
      back={<Link to="/operator">All accounts</Link>}
      lead={<code>{id}</code>}
      actions={
        account.value === undefined ? undefined : (
          <>
            <Button onClick={() => setEditsTerms(true)}>Change terms</Button>
            <Button onClick={() => setBooking("reversal")}>Reverse a payment</Button>
            <Button onClick={() => setBooking("adjustment")}>Adjust</Button>
            <Button kind="main" onClick={() => setBooking("topup")}>
              Top up
            </Button>
          </>
        )
      }
    >
      {account.error === undefined ? null : <Failure error={account.error} retry={account.refresh} />}
      {account.value === undefined ? (
        account.error === undefined ? (
          <Skeleton lines={3} tall />
        ) : null
      ) : (
        <>
          <BookingDialog account={id} kind={booking} onClose={() => setBooking(undefined)} onDone={booked} />
          <TermsDialog
            account={account.value}
            open={editsTerms}
            onClose={() => setEditsTerms(false)}
            onDone={account.refresh}
          />
          <Figures account={account.value} />
          <KeysCard account={id} keys={keys} />
          <UsageSection account={id} changes={changes} />
          <CallsCard account={id} entries={entries.value?.entries ?? []} onChange={called} onRefunded={booked} />
          <EntriesCard entries={entries} />
          <GrantsCard account={id} />
        </>
      )}
    </Page>
  )
}

/** One account. Another id is another page: nothing of the last one stays, above all no new key. */
export const AccountPage = () => {
  const { account } = useParams({ from: "/operator/accounts/$account" })
  return <Account key={account} id={account} />
}
