import { Link, useParams } from "@tanstack/react-router"
import { accountCallStory, refundCall } from "@tollgate/client/admin"
import type { OperatorCallStory } from "@tollgate/contract/admin/Margin"
import { Refund } from "@tollgate/contract/admin/Terms"
import { useMemo } from "react"
import { microsOf, usd } from "../../../ui/amounts.ts"
import { ChangeButton } from "../../../ui/ChangeButton.tsx"
import { usdText } from "../../../ui/parseUsd.ts"
import { StoryPage } from "../../calls/CallStory.tsx"

interface RefundProps {
  readonly account: string
  readonly call: OperatorCallStory
  readonly onRefunded: () => void
}

const RefundButton = ({ account, call: { charged_micros_usd, id: call }, onRefunded }: RefundProps) => {
  const charged = microsOf(charged_micros_usd)
  return (
    <ChangeButton
      label="Refund this call"
      may="refundCall"
      ask="an owner or somebody in finance or support"
      title="Refund a call"
      schema={Refund}
      fields={{
        amount_micros_usd: {
          label: "Amount in USD",
          hint: "All or part of the charge. Usage reports and budgets do not change.",
          initial: usdText(charged),
          required: true
        },
        note: { label: "Reason", hint: "The customer sees it among the transactions." }
      }}
      assemble={(values) => ({ ...values, call })}
      check={({ amount_micros_usd: amount }) => ({
        amount_micros_usd:
          Number(amount) > charged ? `The call was charged ${usd(charged)}. A refund cannot be more.` : undefined
      })}
      // The amount is filled in.
      focus="note"
      submit={({ amount_micros_usd: amount }) =>
        typeof amount === "number" ? `Refund ${usd(BigInt(amount))}` : "Refund"
      }
      afterFailure="You can safely send it again. It is booked once."
      run={(refund) => refundCall(account, refund)}
      onDone={onRefunded}
      done={(after, { amount_micros_usd: amount = 0 }) =>
        `Refunded ${usd(amount)}. The balance is ${usd(after.balance_micros_usd)}.`
      }
    >
      <p>
        <code>{call}</code> was charged {usd(charged)}. A call is refunded once: this cannot be changed afterwards.
      </p>
    </ChangeButton>
  )
}

export const OperatorCallPage = () => {
  const { account, call: id } = useParams({ from: "/operator/calls/$account/$call" })
  return (
    <StoryPage
      key={id}
      id={id}
      load={useMemo(() => accountCallStory(account, id), [account, id])}
      back={<Link to="/operator/calls">All calls</Link>}
      actions={(call, onRefunded) =>
        call.refund === null && microsOf(call.charged_micros_usd) > 0n ? (
          <RefundButton account={account} call={call} onRefunded={onRefunded} />
        ) : null
      }
    />
  )
}
