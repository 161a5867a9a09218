import { createKey } from "@tollgate/client/admin"
import type { NewKey } from "@tollgate/contract/admin/Account"
import type { KeyTerms } from "@tollgate/contract/admin/Terms"
import { FormDialog } from "../parts/FormDialog.tsx"
import { useSay } from "../parts/Say.tsx"
import { useChange } from "../parts/useChange.ts"
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
