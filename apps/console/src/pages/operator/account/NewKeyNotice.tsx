import type { NewKey } from "@tollgate/contract/admin/Account"
import { Button } from "../../../ui/Button.tsx"
import { Copy } from "../../../ui/Copy.tsx"
import { Notice } from "../../../ui/Notice.tsx"
import styles from "../operator.module.css"

/** The only place where a key is ever shown. */
export const NewKeyNotice = ({ made, onDone }: { readonly made: NewKey; readonly onDone: () => void }) => (
  <Notice kind="warn" title={`The new key ${made.label}`}>
    <p className={styles.secret}>
      <code>{made.key}</code>
      <Copy text={made.key} label="Copy the key" />
    </p>
    <p>It is shown once, here. The gateway keeps no copy that can be read: store it now.</p>
    <p>
      <Button onClick={onDone}>I have stored it</Button>
    </p>
  </Notice>
)
