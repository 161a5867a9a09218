import { createClient } from "@tollgate/client/admin"
import type { MadeClient, NewClient } from "@tollgate/contract/admin/Client"
import { useState } from "react"
import { AmountField, Field } from "../../../ui/form.tsx"
import { type Parsed, parseUsd } from "../../../ui/parseUsd.ts"
import { Form, FormDialog } from "../parts/FormDialog.tsx"
import { labelProblem } from "../parts/labelProblem.ts"
import { useSay } from "../parts/Say.tsx"
import { type Change, useChange } from "../parts/useChange.ts"

const dayMillis = 86_400_000
const days = [1, 7, 30, 90, 365]

const optional = (text: string): Parsed | undefined => (text.trim() === "" ? undefined : parseUsd(text, "zero"))

const isProposed = "Empty: the default for new grants."

interface FieldsProps {
  readonly change: Change
  readonly save: (client: NewClient) => void
  readonly onClose: () => void
}

const Fields = ({ change, onClose, save }: FieldsProps) => {
  const [name, setName] = useState("")
  const [limitText, setLimit] = useState("")
  const [dayText, setDay] = useState("")
  const [categoriesText, setCategories] = useState("")
  const [end, setEnd] = useState("")
  const [readsUsage, setReadsUsage] = useState(false)
  const [sent, setSent] = useState(false)
  const [limit, day] = [optional(limitText), optional(dayText)]
  const wrongName = labelProblem(name.trim())
  const send = () => {
    setSent(true)
    if (wrongName !== undefined || limit?.problem !== undefined || day?.problem !== undefined) return
    const categories = categoriesText.split(/[\s,]+/).filter((category) => category !== "")
    save({
      name: name.trim(),
      reads_usage: readsUsage,
      ...(limit === undefined ? {} : { limit_micros_usd: Number(limit.micros) }),
      ...(day === undefined ? {} : { day_limit_micros_usd: Number(day.micros) }),
      ...(categories.length === 0 ? {} : { allowed: { categories, operations: [] } }),
      ...(end === "" ? {} : { ends_at: new Date(Date.now() + Number(end) * dayMillis).toISOString() })
    })
  }
  return (
    <Form change={change} onClose={onClose} onSubmit={send} submit="Create the client">
      <p>A machine gets its tokens with an id and a secret. No person signs in for it.</p>
      <Field label="Label" hint="What the machine does." error={sent ? wrongName : undefined}>
        {(control) => <input {...control} value={name} onChange={({ target }) => setName(target.value)} />}
      </Field>
      <AmountField
        label="Limit in USD"
        hint={`In total. ${isProposed}`}
        error={sent ? limit?.problem : undefined}
        value={limitText}
        onChange={setLimit}
      />
      <AmountField
        label="Daily limit in USD"
        hint={`Days are UTC. ${isProposed}`}
        error={sent ? day?.problem : undefined}
        value={dayText}
        onChange={setDay}
      />
      <Field label="Categories" hint="What it may call, separated by commas. Empty: everything.">
        {(control) => (
          <input {...control} value={categoriesText} onChange={({ target }) => setCategories(target.value)} />
        )}
      </Field>
      <Field label="Ends">
        {(control) => (
          <select {...control} value={end} onChange={({ target }) => setEnd(target.value)}>
            <option value="">by default</option>
            {days.map((count) => (
              <option key={count} value={count}>
                {count === 1 ? "in 1 day" : `in ${count} days`}
              </option>
            ))}
          </select>
        )}
      </Field>
      <label>
        <input type="checkbox" checked={readsUsage} onChange={({ target }) => setReadsUsage(target.checked)} /> It may
        also read what the account used
      </label>
    </Form>
  )
}

interface CreateClientProps {
  readonly account: string
  readonly open: boolean
  readonly onClose: () => void
  readonly onDone: (client: MadeClient) => void
}

/** Makes a client for a machine of this account. */
export const CreateClient = ({ account, onClose, onDone, open }: CreateClientProps) => {
  const change = useChange()
  const say = useSay()
  const save = (client: NewClient) =>
    change.run(createClient(account, client), (made) => {
      onClose()
      onDone(made)
      say(`The client ${made.client_name} was created. Store its secret now.`)
    })
  return (
    <FormDialog title="Create a client for a machine" open={open} change={change} onClose={onClose}>
      <Fields change={change} save={save} onClose={onClose} />
    </FormDialog>
  )
}
