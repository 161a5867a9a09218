import { rotateKey } from "@tollgate/client/admin"
import type { Key, NewKey } from "@tollgate/contract/admin/Account"
import { useState } from "react"
import { Field } from "../../../ui/Field.tsx"
import { Form, FormDialog } from "../parts/FormDialog.tsx"
import { useSay } from "../parts/Say.tsx"
import { type Change, useChange } from "../parts/useChange.ts"

const graces = [
  ["0", "Not at all: it ends within a second"],
  ["3600", "One hour"],
  ["86400", "One day"],
  ["604800", "Seven days"],
  ["2592000", "Thirty days"]
] as const

interface FieldsProps {
  readonly of: Key
  readonly change: Change
  readonly rotate: (graceSeconds: number) => void
  readonly onClose: () => void
}

const Fields = ({ change, of, onClose, rotate }: FieldsProps) => {
  const [grace, setGrace] = useState("86400")
  return (
    <Form
      change={change}
      onClose={onClose}
      onSubmit={() => rotate(Number(grace))}
      submit="Rotate the key"
      danger={grace === "0"}
    >
      <p>
        A new key takes the place of <strong>{of.label}</strong>, with the same budget and quota. What was spent counts
        on.
      </p>
      <Field label="The old key works on for">
        {(control) => (
          <select {...control} value={grace} onChange={({ target }) => setGrace(target.value)}>
            {graces.map(([seconds, words]) => (
              <option key={seconds} value={seconds}>
                {words}
              </option>
            ))}
          </select>
        )}
      </Field>
    </Form>
  )
}

interface RotateKeyProps {
  readonly of: Key | undefined
  readonly onClose: () => void
  readonly onDone: (key: NewKey) => void
}

export const RotateKey = ({ of, onClose, onDone }: RotateKeyProps) => {
  const change = useChange()
  const say = useSay()
  const rotate = (id: string) => (graceSeconds: number) =>
    change.run(rotateKey(id, graceSeconds), (key) => {
      onClose()
      onDone(key)
      say(`The key ${key.label} was rotated. Store the new one now.`)
    })
  return (
    <FormDialog title="Rotate the key" open={of !== undefined} change={change} onClose={onClose}>
      {of === undefined ? null : <Fields of={of} change={change} rotate={rotate(of.id)} onClose={onClose} />}
    </FormDialog>
  )
}
