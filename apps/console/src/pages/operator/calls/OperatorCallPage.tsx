import { Link, useParams } from "@tanstack/react-router"
import { useState } from "react"
import { Card, Page } from "../../../ui/kit.tsx"
import { Story } from "../account/CallsCard.tsx"

export const OperatorCallPage = () => {
  const { account, call } = useParams({ from: "/operator/calls/$account/$call" })
  const [refunds, setRefunds] = useState(0)
  return (
    <Page
      title="Call"
      back={<Link to="/operator/calls">All calls</Link>}
      actions={
        <Link className="button" to="/operator/accounts/$account" params={{ account }}>
          Its account
        </Link>
      }
    >
      <Card>
        {/* Read anew after a refund. */}
        <Story key={refunds} account={account} id={call} onRefunded={() => setRefunds(refunds + 1)} />
      </Card>
    </Page>
  )
}
