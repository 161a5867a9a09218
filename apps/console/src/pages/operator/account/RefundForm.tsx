import type { Refund } from "@tollgate/contract/admin/Terms"
import type { OperatorCallStory } from "@tollgate/contract/admin/Margin"
import { useState } from "react"
import { microsOf, usd } from "../../../ui/amounts.ts"
import { AmountField, Field } from "../../../ui/form.tsx"
import { parseUsd, usdText } from "../../../ui/parseUsd.ts"
import { Form } from "../parts/FormDialog.tsx"
import type { Change } from "../parts/useChange.ts"

interface RefundFormProps {
  readonly call: OperatorCallStory
  readonly change: Change
  readonly onRefund: (refund: Refund) => void
  readonly onClose: () => void
}

/** Gives back what a call was charged, or a part of it. */
export const RefundForm = ({ call, change, onClose, onRefund }: RefundFormProps) => {
  const [text, setText] = useState(usdText(call.charged_micros_usd))
  const [reason, setReason] = useState("")
  const [sent, setSent] = useState(false)
  const charged = microsOf(call.charged_micros_usd)
  const parsed = parseUsd(text)
  const amount =
    parsed.problem === undefined && parsed.micros > charged
      ? { problem: `The call was charged ${usd(charged)}. A refund cannot be more.` }
      : parsed
  const reasonProblem = !/^\P{Cc}{0,500}$/u.test(reason)
    ? "A reason is one line of at most 500 characters."
    : reason.trim() === ""
      ? "Give a reason."
      : undefined
  const send = () => {
    setSent(true)
    if (amount.problem === undefined && reasonProblem === undefined) {
      onRefund({ call: call.id, amount_micros_usd: Number(amount.micros), note: reason.trim() })
    }
  }
  return (
    <Form
      change={change}
      onClose={onClose}
      onSubmit={send}
      submit={amount.problem === undefined ? `Refund ${usd(amount.micros)}` : "Refund"}
    >
      <p>
        <code>{call.id}</code> was charged {usd(charged)}. A call is refunded once: this cannot be changed afterwards.
      </p>
      <AmountField
        label="Amount in USD"
        hint="All or part of the charge. Usage reports and budgets do not change."
        error={sent ? amount.problem : undefined}
        value={text}
        onChange={setText}
      />
      <Field
        label="Reason"
        hint="For your records. The account's entries show it."
        error={sent ? reasonProblem : undefined}
      >
        {(control) => (
          // What is missing: the amount is filled in.
          <input {...control} autoFocus value={reason} onChange={({ target }) => setReason(target.value)} />
        )}
      </Field>
      {change.error === undefined ? null : <p className="small">You can safely send it again. It is booked once.</p>}
    </Form>
  )
}
