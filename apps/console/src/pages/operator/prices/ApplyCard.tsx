import { applyPrices } from "@tollgate/client/admin"
import type { PriceChange, PriceFile, PricePreview } from "@tollgate/contract/admin/Prices"
import { type FormEvent, useEffect, useRef, useState } from "react"
import { count } from "../../../ui/amounts.ts"
import { Button, Card, Code, ErrorNotice, Notice } from "../../../ui/kit.tsx"
import { Field } from "../../../ui/form.tsx"
import styles from "../operator.module.css"
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

/** Puts the prices of a preview into the file. The button says how many they are, and the list below which. */
const ApplyForm = ({ file, isStale, onApplied, onRefused, preview, section }: ApplyCardProps) => {
  const [note, setNote] = useState("")
  const wrong = noteProblem(note)
  const change = useChange()
  const say = useSay()
  const { error } = change
  const refused = useRef(onRefused)
  refused.current = onRefused
  // After a refusal the file may be another one.
  useEffect(() => {
    if (error !== undefined) refused.current()
  }, [error])
  const apply = (event: FormEvent) => {
    event.preventDefault()
    if (wrong !== undefined || isStale) return
    const request = { prices: section, fingerprint: file.fingerprint ?? "", note: note.trim() }
    change.run(applyPrices(request), (applied) => {
      say(`${pricesInWords(applied.changed)} changed. New calls cost the new prices.`)
      onApplied()
    })
  }
  return (
    <form onSubmit={apply} noValidate>
      <p>The gateway writes its configuration file and reloads it. Calls under way keep the old prices.</p>
      <Field label="Note" hint="Who you are, or why. It is recorded." error={wrong}>
        {(control) => (
          <span className={styles.inline}>
            <input {...control} value={note} onChange={({ target }) => setNote(target.value)} />
            <Button kind="main" type="submit" busy={change.busy} disabled={change.busy || isStale}>
              Change {pricesInWords(preview.changed)}
            </Button>
          </span>
        )}
      </Field>
      {error === undefined ? null : <ErrorNotice error={error} />}
    </form>
  )
}

/** Applies the prices of a preview, or shows what to put into the file. */
export const ApplyCard = (props: ApplyCardProps) => {
  const { changed, changes } = props.preview
  const { refusal } = props.file
  const text = <Code title="prices" code={`"prices": ${JSON.stringify(props.section, null, 2)}`} />
  return (
    <Card title="Apply these prices">
      {changed === 0 ? (
        <p>These are the current prices.</p>
      ) : refusal === null ? (
        <ApplyForm {...props} />
      ) : (
        <Notice title="Change the file yourself">
          <p>{refusal}</p>
          <p>Put this section into the file, then reload it.</p>
        </Notice>
      )}
      {changed === 0 ? null : <Listed changes={changes} changed={changed} />}
      {refusal === null ? (
        <details className={styles.serves}>
          <summary>The section as text</summary>
          <div className={`${styles.tall} ${styles.options}`}>{text}</div>
        </details>
      ) : (
        <div className={styles.tall}>{text}</div>
      )}
    </Card>
  )
}

const Listed = ({ changed, changes }: { readonly changed: number; readonly changes: ReadonlyArray<PriceChange> }) => (
  <>
    <div className={styles.tallTable}>
      <PriceChanges changes={changes} />
    </div>
    {changed > changes.length ? <p className="soft">And {count(changed - changes.length)} more.</p> : null}
  </>
)
