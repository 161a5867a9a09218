import { revokeKey } from "@tollgate/client/admin"
import type { Key } from "@tollgate/contract/admin/Account"
import { Form, FormDialog } from "../parts/FormDialog.tsx"
import { useSay } from "../parts/Say.tsx"
import { useChange } from "../parts/useChange.ts"

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
