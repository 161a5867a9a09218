import { useNavigate } from "@tanstack/react-router"
import { createAccount } from "@tollgate/client/admin"
import { useState } from "react"
import { Field } from "../../../ui/Field.tsx"
import { Form, FormDialog, type FormProps } from "../parts/FormDialog.tsx"
import { useChange } from "../parts/useChange.ts"
import { useSay } from "../parts/Say.tsx"
import { labelProblem } from "../parts/labelProblem.ts"

interface CreateAccountProps {
  readonly open: boolean
  readonly onClose: () => void
}

const Fields = ({
  create,
  ...form
}: Omit<FormProps, "children" | "submit" | "onSubmit"> & { readonly create: (label: string) => void }) => {
  const [label, setLabel] = useState("")
  const [problem, setProblem] = useState<string>()
  const send = () => {
    const found = labelProblem(label.trim())
    setProblem(found)
    if (found === undefined) create(label.trim())
  }
  return (
    <Form {...form} submit="Create the account" onSubmit={send}>
      <Field label="Label" hint="Whom it is for. A new account gets the signup credit." error={problem}>
        {(control) => <input {...control} value={label} onChange={({ target }) => setLabel(target.value)} />}
      </Field>
    </Form>
  )
}

export const CreateAccount = ({ onClose, open }: CreateAccountProps) => {
  const change = useChange()
  const say = useSay()
  const navigate = useNavigate()
  const create = (label: string) =>
    change.run(createAccount(label), (account) => {
      onClose()
      void navigate({ to: "/operator/accounts/$account", params: { account: account.id } }).then(() =>
        say(`The account ${account.label} was created.`)
      )
    })
  return (
    <FormDialog title="Create an account" open={open} change={change} onClose={onClose}>
      <Fields change={change} create={create} onClose={onClose} />
    </FormDialog>
  )
}
