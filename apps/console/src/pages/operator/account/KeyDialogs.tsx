import { changeKey, createKey, revokeKey, rotateKey } from "@tollgate/client/admin"
import type { Key, NewKey } from "@tollgate/contract/admin/Account"
import type { KeyTerms } from "@tollgate/contract/admin/Terms"
import { useState } from "react"
import { Field } from "../../../ui/form.tsx"
import { Form, FormDialog } from "../parts/FormDialog.tsx"
import { useSay } from "../parts/Say.tsx"
import { type Change, useChange } from "../parts/useChange.ts"
import { KeyTermsFields } from "./KeyTermsFields.tsx"

interface CreateKeyProps {
  readonly account: string
  readonly open: boolean
  readonly onClose: () => void
  readonly onDone: (key: NewKey) => void
}

export const CreateKey = ({ account, onClose, onDone, open }: CreateKeyProps) => {
  const change = useChange()
  const say = useSay()
  const save = (terms: KeyTerms) =>
    change.run(createKey(account, terms), (key) => {
      onClose()
      onDone(key)
      say(`The key ${key.label} was created. Store it now.`)
    })
  return (
    <FormDialog title="Create a key" open={open} change={change} onClose={onClose}>
      <KeyTermsFields submit="Create the key" change={change} save={save} onClose={onClose} />
    </FormDialog>
  )
}

interface EditKeyProps {
  readonly of: Key | undefined
  readonly onClose: () => void
  readonly onDone: () => void
}

export const EditKey = ({ of, onClose, onDone }: EditKeyProps) => {
  const change = useChange()
  const say = useSay()
  const save = (id: string) => (terms: KeyTerms) =>
    change.run(changeKey(id, terms), (key) => {
      onClose()
      onDone()
      say(`The key ${key.label} was saved.`)
    })
  return (
    <FormDialog title="Change the key" open={of !== undefined} change={change} onClose={onClose}>
      {of === undefined ? null : (
        <KeyTermsFields of={of} submit="Save the key" change={change} save={save(of.id)} onClose={onClose} />
      )}
    </FormDialog>
  )
}

const graces = [
  ["0", "No time: it ends within a second"],
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
      <Field label="Keep the old key working for">
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

interface RevokeKeyProps {
  readonly of: Key | undefined
  readonly onClose: () => void
  readonly onDone: () => void
}

export const RevokeKey = ({ of, onClose, onDone }: RevokeKeyProps) => {
  const change = useChange()
  const say = useSay()
  const revoke = (id: string) =>
    change.run(revokeKey(id), (key) => {
      onClose()
      onDone()
      say(`The key ${key.label} was revoked.`)
    })
  return (
    <FormDialog title="Revoke the key" open={of !== undefined} change={change} onClose={onClose}>
      {of === undefined ? null : (
        <Form change={change} onClose={onClose} onSubmit={() => revoke(of.id)} submit="Revoke the key" danger>
          <p>
            <strong>{of.label}</strong> stops working within a second, for every program that uses it. This cannot be
            undone.
          </p>
        </Form>
      )}
    </FormDialog>
  )
}
