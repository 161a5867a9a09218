import { applyPrices } from "@tollgate/client/admin"
import type { PriceChange, PriceFile, PricePreview } from "@tollgate/contract/admin/Prices"
import { useState } from "react"
import { count } from "../../../ui/amounts.ts"
import { Button } from "../../../ui/Button.tsx"
import { Card } from "../../../ui/Card.tsx"
import { Code } from "../../../ui/Code.tsx"
import { Field } from "../../../ui/Field.tsx"
import { Notice } from "../../../ui/Notice.tsx"
import styles from "../operator.module.css"
import { Form, FormDialog } from "../parts/FormDialog.tsx"
import { noteProblem } from "../parts/noteProblem.ts"
import { useSay } from "../parts/Say.tsx"
import { useChange } from "../parts/useChange.ts"
import { PriceChanges } from "./PriceChanges.tsx"

const pricesInWords = (number: number): string => `${count(number)} ${number === 1 ? "price" : "prices"}`

interface ApplyCardProps {
  readonly preview: PricePreview
  readonly section: object
  readonly file: PriceFile
  /** Whether the draft is another one by now. */
  readonly isStale: boolean
  readonly onApplied: () => void
  readonly onRefused: () => void
}

/** Puts the prices of a preview into the file, or shows what to put there. */
export const ApplyCard = ({ file, isStale, onApplied, onRefused, preview, section }: ApplyCardProps) => {
  const { changed, changes } = preview
  const { fingerprint, refusal } = file
  const [confirms, setConfirms] = useState(false)
  const [note, setNote] = useState("")
  const wrong = noteProblem(note)
  const change = useChange()
  const say = useSay()
  const close = () => {
    setConfirms(false)
    // After a refusal the file may be another one.
    if (change.error !== undefined) onRefused()
  }
  const apply = () => {
    if (wrong !== undefined) return
    change.run(applyPrices({ prices: section, fingerprint: fingerprint ?? "", note: note.trim() }), (applied) => {
      say(`${pricesInWords(applied.changed)} changed. New calls cost the new prices.`)
      setConfirms(false)
      onApplied()
    })
  }
  const listed = <Listed changes={changes} changed={changed} />
  return (
    <>
      <FormDialog title="Apply these prices" open={confirms} change={change} onClose={close}>
        <Form change={change} onClose={close} onSubmit={apply} submit={`Change ${pricesInWords(changed)}`}>
          <p>The gateway writes its configuration file and reloads it. Calls under way keep the old prices.</p>
          {listed}
          <Field label="Note" hint="Who you are, or why. It is recorded." error={wrong}>
            {(control) => <input {...control} value={note} onChange={({ target }) => setNote(target.value)} />}
          </Field>
        </Form>
      </FormDialog>
      <Card title="Apply these prices">
        {changed === 0 ? <p>These are the current prices.</p> : listed}
        {changed === 0 || refusal === null ? null : (
          <Notice title="Change the file yourself">
            <p>{refusal}</p>
            <p>Put this section into the file, then reload it.</p>
          </Notice>
        )}
        {changed === 0 || refusal !== null ? null : (
          <p>
            <Button kind="main" disabled={isStale} onClick={() => setConfirms(true)}>
              Apply
            </Button>
          </p>
        )}
        <div className={styles.tall}>
          <Code title="prices" code={`"prices": ${JSON.stringify(section, null, 2)}`} />
        </div>
      </Card>
    </>
  )
}

const Listed = ({ changed, changes }: { readonly changed: number; readonly changes: ReadonlyArray<PriceChange> }) => (
  <>
    <PriceChanges changes={changes} />
    {changed > changes.length ? <p className="soft">And {count(changed - changes.length)} more.</p> : null}
  </>
)
