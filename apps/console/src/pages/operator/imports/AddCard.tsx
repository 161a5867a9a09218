import { applyImport } from "@tollgate/client/admin"
import type { ImportPreview, ImportRequest } from "@tollgate/contract/admin/Import"
import { type FormEvent, useEffect, useRef, useState } from "react"
import { count } from "../../../ui/amounts.ts"
import { Button, Card, Code, ErrorNotice, Notice } from "../../../ui/kit.tsx"
import { Field } from "../../../ui/form.tsx"
import { saveFile } from "../../../ui/saveFile.ts"
import styles from "../operator.module.css"
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
  readonly onAgain: () => void
}

const hasEntries = ({ config }: ImportPreview): boolean => Object.keys(config as object).length > 0

/** What the configuration file gets. */
const Entries = ({ preview }: Pick<AddCardProps, "preview">) =>
  hasEntries(preview) ? (
    <div className={styles.tall}>
      <Code title="Configuration file" code={JSON.stringify(preview.config, null, 2)} />
    </div>
  ) : null

/** Writes what the preview and the text below show. */
const AddForm = ({ isStale, onAdded, onAgain, onRefused, preview, request }: AddCardProps) => {
  const { change: kind, count: all, file, fingerprint, problems } = preview
  const [note, setNote] = useState("")
  const wrong = noteProblem(note)
  const change = useChange()
  const say = useSay()
  const { error } = change
  const refused = useRef(onRefused)
  refused.current = onRefused
  useEffect(() => {
    if (error !== undefined) refused.current()
  }, [error])
  // After a refusal the files may be others, so what the page shows may not be what would be written.
  const cannot = isStale || problems.length > 0 || error !== undefined
  const add = (event: FormEvent) => {
    event.preventDefault()
    if (wrong !== undefined || cannot) return
    change.run(applyImport({ ...request, fingerprint: fingerprint ?? "", note: note.trim() }), (added) => {
      say(`${operationsInWords(added.count)} in ${added.file}. Callers can use them now.`)
      onAdded()
    })
  }
  return (
    <form onSubmit={add} noValidate>
      <p>
        The gateway writes <code>{file}</code> with {operationsInWords(all)}
        {hasEntries(preview) ? " and adds the text below to its configuration file" : ""}. Then it reloads the
        configuration.
        {kind === "changed" ? " The file exists. Prices, limits and other changes by hand stay." : ""}
      </p>
      <Field label="Note" hint="Who you are, or why. It is recorded." error={wrong}>
        {(control) => (
          <span className={styles.inline}>
            <input {...control} value={note} onChange={({ target }) => setNote(target.value)} />
            <Button kind="main" type="submit" busy={change.busy} disabled={change.busy || cannot}>
              Add to the configuration
            </Button>
          </span>
        )}
      </Field>
      {error === undefined ? null : (
        <ErrorNotice error={error}>
          <p>
            <Button onClick={onAgain}>Preview again</Button>
          </p>
        </ErrorNotice>
      )}
      <Entries preview={preview} />
    </form>
  )
}

/** Adds what a preview shows to the files, or gives it to the operator. */
export const AddCard = (props: AddCardProps) => {
  const { preview } = props
  const { change: kind, file, refusal } = preview
  if (kind === "nothing") return null
  return (
    <Card title="Add to the configuration">
      {kind === "same" && !hasEntries(preview) ? (
        <p>The file is up to date. There is nothing to add.</p>
      ) : refusal === null ? (
        <AddForm {...props} />
      ) : (
        <>
          <Notice title="Change the files yourself">
            <p>{refusal}</p>
            <p>
              Save <code>{file}</code> beside the configuration file
              {hasEntries(preview) ? ", and put the text below into the configuration file" : ""}. Then reload it.
            </p>
          </Notice>
          <p>
            <Button onClick={() => saveFile(file, new Blob([preview.file_text], { type: "application/json" }))}>
              Save {file}
            </Button>
          </p>
          <Entries preview={preview} />
        </>
      )}
    </Card>
  )
}
