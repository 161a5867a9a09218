import { adjust, reversePayment, topUp } from "@tollgate/client/admin"
import type { Account } from "@tollgate/contract/admin/Account"
import type { Booking } from "@tollgate/contract/admin/Terms"
import { useState } from "react"
import { usd } from "../../../ui/amounts.ts"
import { AmountField, Field } from "../../../ui/form.tsx"
import { parseUsd } from "../../../ui/parseUsd.ts"
import { Form, FormDialog } from "../parts/FormDialog.tsx"
import { useSay } from "../parts/Say.tsx"
import { type Change, useChange } from "../parts/useChange.ts"

/** Not `randomUUID`, which a page over plain http does not have. */
const newId = (): string =>
  `console-${Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")}`

export type BookingKind = "topup" | "adjustment" | "reversal"

const texts = {
  topup: {
    title: "Top up",
    submit: "Top up",
    hint: "A payment. It counts towards the tier.",
    range: "positive",
    book: topUp
  },
  adjustment: {
    title: "Adjust the balance",
    submit: "Adjust the balance",
    hint: "A credit, or with a minus a debit. It does not count towards the tier.",
    range: "signed",
    book: adjust
  },
  reversal: {
    title: "Reverse a payment",
    submit: "Reverse a payment",
    hint: "Such as after a chargeback. The balance can go below zero, and the tier can drop.",
    range: "positive",
    book: reversePayment
  }
} as const

const wordsOf = (kind: BookingKind, micros: bigint): string =>
  kind === "topup"
    ? `Top up ${usd(micros)}`
    : kind === "reversal"
      ? `Reverse ${usd(micros)}`
      : micros < 0n
        ? `Take ${usd(-micros)}`
        : `Add ${usd(micros)}`

interface FieldsProps {
  readonly kind: BookingKind
  readonly change: Change
  readonly book: (booking: Booking & { readonly note: string }) => void
  readonly onClose: () => void
}

const Fields = ({ book, change, kind, onClose }: FieldsProps) => {
  // One id for each dialog: if it is sent again, also after a failure, it is booked once.
  const [id] = useState(newId)
  const [text, setText] = useState("")
  const [note, setNote] = useState("")
  const [sent, setSent] = useState(false)
  const amount = parseUsd(text, texts[kind].range)
  const noteProblem = !/^\P{Cc}{0,500}$/u.test(note)
    ? "A note is one line of at most 500 characters."
    : kind === "reversal" && note.trim() === ""
      ? "Give a reason."
      : undefined
  const send = () => {
    setSent(true)
    if (amount.problem === undefined && noteProblem === undefined) {
      book({ amount_micros_usd: Number(amount.micros), note: note.trim(), id })
    }
  }
  return (
    <Form
      change={change}
      onClose={onClose}
      onSubmit={send}
      submit={amount.problem === undefined ? wordsOf(kind, amount.micros) : texts[kind].submit}
    >
      <AmountField
        label="Amount in USD"
        hint={texts[kind].hint}
        error={sent ? amount.problem : undefined}
        value={text}
        onChange={setText}
      />
      <Field label="Note" hint="For your records, such as an invoice number." error={sent ? noteProblem : undefined}>
        {(control) => <input {...control} value={note} onChange={({ target }) => setNote(target.value)} />}
      </Field>
      {change.error === undefined ? null : <p className="small">You can safely send it again. It is booked once.</p>}
    </Form>
  )
}

interface BookingDialogProps {
  readonly account: string
  readonly kind: BookingKind | undefined
  readonly onClose: () => void
  readonly onDone: (account: Account) => void
}

export const BookingDialog = ({ account, kind, onClose, onDone }: BookingDialogProps) => {
  const change = useChange()
  const say = useSay()
  const book = (kind: BookingKind) => (booking: Booking & { readonly note: string }) =>
    change.run(texts[kind].book(account, booking), (after) => {
      onClose()
      onDone(after)
      say(`Booked ${usd(booking.amount_micros_usd)}. The balance is ${usd(after.balance_micros_usd)}.`)
    })
  return (
    <FormDialog title={texts[kind ?? "topup"].title} open={kind !== undefined} change={change} onClose={onClose}>
      {kind === undefined ? null : <Fields kind={kind} change={change} book={book(kind)} onClose={onClose} />}
    </FormDialog>
  )
}
