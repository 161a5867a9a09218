import { changeKey } from "@tollgate/client/admin"
import type { Key } from "@tollgate/contract/admin/Account"
import type { KeyTerms } from "@tollgate/contract/admin/Terms"
import { FormDialog } from "../parts/FormDialog.tsx"
import { useSay } from "../parts/Say.tsx"
import { useChange } from "../parts/useChange.ts"
import { KeyTermsFields } from "./KeyTermsFields.tsx"

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
    <FormDialog title="Edit the key" open={of !== undefined} change={change} onClose={onClose}>
      {of === undefined ? null : (
        <KeyTermsFields of={of} submit="Save the key" change={change} save={save(of.id)} onClose={onClose} />
      )}
    </FormDialog>
  )
}
