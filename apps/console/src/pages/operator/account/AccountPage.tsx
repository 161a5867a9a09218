import { Link, useParams } from "@tanstack/react-router"
import { account as readAccount, entries as readEntries, keys as readKeys } from "@tollgate/client/admin"
import { useLoad } from "@tollgate/react"
import { useMemo, useState } from "react"
import { Button } from "../../../ui/Button.tsx"
import { Page } from "../../../ui/Page.tsx"
import { Skeleton } from "../../../ui/Skeleton.tsx"
import { Failure } from "../parts/Failure.tsx"
import { BookingDialog, type BookingKind } from "./BookingDialog.tsx"
import { CallsCard } from "./CallsCard.tsx"
import { EntriesCard } from "./EntriesCard.tsx"
import { Figures } from "./Figures.tsx"
import { GrantsCard } from "./GrantsCard.tsx"
import { KeysCard } from "./KeysCard.tsx"
import { TermsDialog } from "./TermsDialog.tsx"
import { UsageSection } from "./UsageSection.tsx"

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
          <UsageSection account={id} />
          <CallsCard account={id} />
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
