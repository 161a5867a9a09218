import type { Key, NewKey } from "@tollgate/contract/admin/Account"
import type { UseLoad } from "@tollgate/react"
import { useState } from "react"
import { Button, Card, Copy, Empty, Notice, Skeleton } from "../../../ui/kit.tsx"
import styles from "../operator.module.css"
import { Failure } from "../parts/Failure.tsx"
import { CreateKey, EditKey, RevokeKey, RotateKey } from "./KeyDialogs.tsx"
import { type KeyAction, KeyTable } from "./KeyTable.tsx"

/** The only place where a key is ever shown. */
const NewKeyNotice = ({ made, onDone }: { readonly made: NewKey; readonly onDone: () => void }) => (
  <Notice kind="warn" title={`The new key ${made.label}`}>
    <p className={styles.secret}>
      <code>{made.key}</code>
      <Copy text={made.key} label="Copy the key" />
    </p>
    <p>Store it now. It is shown only once: the gateway keeps no readable copy.</p>
    <p>
      <Button onClick={onDone}>I have stored it</Button>
    </p>
  </Notice>
)

interface KeysCardProps {
  readonly account: string
  readonly keys: UseLoad<{ readonly keys: ReadonlyArray<Key> }, unknown>
}

interface Chosen {
  readonly action: KeyAction
  readonly of: Key
}

/** The account's keys. A new key stays here until it is put away, whatever is closed in the meantime. */
export const KeysCard = ({ account, keys }: KeysCardProps) => {
  const [creates, setCreates] = useState(false)
  const [chosen, setChosen] = useState<Chosen>()
  const [made, setMade] = useState<ReadonlyArray<NewKey>>([])
  const close = () => setChosen(undefined)
  const keep = (key: NewKey) => {
    setMade((before) => [...before, key])
    keys.refresh()
  }
  const of = (action: KeyAction) => (chosen?.action === action ? chosen.of : undefined)
  return (
    <>
      {made.map((key) => (
        <NewKeyNotice
          key={key.id}
          made={key}
          onDone={() => setMade((before) => before.filter(({ id }) => id !== key.id))}
        />
      ))}
      <CreateKey account={account} open={creates} onClose={() => setCreates(false)} onDone={keep} />
      <EditKey of={of("edit")} onClose={close} onDone={keys.refresh} />
      <RotateKey of={of("rotate")} onClose={close} onDone={keep} />
      <RevokeKey of={of("revoke")} onClose={close} onDone={keys.refresh} />
      <Card title="Keys" flush action={<Button onClick={() => setCreates(true)}>Create a key</Button>}>
        {keys.error === undefined ? null : <Failure error={keys.error} retry={keys.refresh} />}
        {keys.value === undefined ? (
          keys.error === undefined ? (
            <div className={styles.inside}>
              <Skeleton lines={3} />
            </div>
          ) : null
        ) : keys.value.keys.length === 0 ? (
          <Empty title="This account has no key">
            <p>Callers send a key with each call.</p>
          </Empty>
        ) : (
          <KeyTable keys={keys.value.keys} onAct={(action, key) => setChosen({ action, of: key })} />
        )}
      </Card>
    </>
  )
}
