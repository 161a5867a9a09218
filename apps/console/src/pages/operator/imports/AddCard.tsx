import { applyImport } from "@tollgate/client/admin"
import type { ImportPreview, ImportRequest } from "@tollgate/contract/admin/Import"
import { useState } from "react"
import { count } from "../../../ui/amounts.ts"
import { Button } from "../../../ui/Button.tsx"
import { Card } from "../../../ui/Card.tsx"
import { Code } from "../../../ui/Code.tsx"
import { Field } from "../../../ui/Field.tsx"
import { Notice } from "../../../ui/Notice.tsx"
import { saveFile } from "../../../ui/saveFile.ts"
import styles from "../operator.module.css"
import { Form, FormDialog } from "../parts/FormDialog.tsx"
import { noteProblem } from "../parts/noteProblem.ts"
import { useSay } from "../parts/Say.tsx"
import { useChange } from "../parts/useChange.ts"

const operationsInWords = (number: number): string => `${count(number)} ${number === 1 ? "operation" : "operations"}`

interface AddCardProps {
  readonly preview: ImportPreview
  /** What the preview was made from. */
  readonly request: ImportRequest
  /** Whether the form is another one by now. */
  readonly isStale: boolean
  readonly onAdded: () => void
  readonly onRefused: () => void
}

/** Adds what a preview shows to the files, or gives it to the operator. */
export const AddCard = ({ isStale, onAdded, onRefused, preview, request }: AddCardProps) => {
  const { change: kind, config, count: all, file, fingerprint, problems, refusal } = preview
  const [confirms, setConfirms] = useState(false)
  const [note, setNote] = useState("")
  const wrong = noteProblem(note)
  const change = useChange()
  const say = useSay()
  const isEmpty = Object.keys(config as object).length === 0
  const close = () => {
    setConfirms(false)
    // After a refusal the files may be others.
    if (change.error !== undefined) onRefused()
  }
  const add = () => {
    if (wrong !== undefined) return
    change.run(applyImport({ ...request, fingerprint: fingerprint ?? "", note: note.trim() }), (added) => {
      say(`${operationsInWords(added.count)} in ${added.file}. Callers can use them now.`)
      setConfirms(false)
      onAdded()
    })
  }
  const text = isEmpty ? null : <Code title="Configuration file" code={JSON.stringify(config, null, 2)} />
  if (kind === "nothing") return null
  return (
    <>
      <FormDialog title="Add to the configuration" open={confirms} change={change} onClose={close}>
        <Form change={change} onClose={close} onSubmit={add} submit="Add to the configuration">
          <p>
            The gateway writes <code>{file}</code> with {operationsInWords(all)}
            {isEmpty ? "" : " and adds it to its configuration file"}. Then it reloads the configuration.
          </p>
          {text}
          <Field label="Note" hint="Who you are, or why. It is recorded." error={wrong}>
            {(control) => <input {...control} value={note} onChange={({ target }) => setNote(target.value)} />}
          </Field>
        </Form>
      </FormDialog>
      <Card title="Add to the configuration">
        {kind === "same" && isEmpty ? (
          <p>The file is up to date. There is nothing to add.</p>
        ) : refusal === null ? (
          <>
            <p>
              {kind === "changed"
                ? "The file exists. Prices, limits and other changes by hand stay."
                : "Nothing is written yet."}
            </p>
            <p>
              <Button kind="main" disabled={isStale || problems.length > 0} onClick={() => setConfirms(true)}>
                Add to the configuration
              </Button>
            </p>
          </>
        ) : (
          <>
            <Notice title="Change the files yourself">
              <p>{refusal}</p>
              <p>
                Save <code>{file}</code> beside the configuration file
                {isEmpty ? "" : ", and put the text below into the configuration file"}. Then reload it.
              </p>
            </Notice>
            <p>
              <Button onClick={() => saveFile(file, new Blob([preview.file_text], { type: "application/json" }))}>
                Save {file}
              </Button>
            </p>
            <div className={styles.tall}>{text}</div>
          </>
        )}
      </Card>
    </>
  )
}
