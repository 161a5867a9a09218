import { type FormEvent, useEffect, useRef, useState } from "react"
import { ChoiceField, Field, Segments, TextField } from "../../../ui/form.tsx"
import { Button, Card } from "../../../ui/kit.tsx"
import styles from "../operator.module.css"
import { type Draft, type Problems, problemsIn } from "./draft.ts"

interface PartProps {
  readonly draft: Draft
  readonly problems: Problems
  readonly change: (part: Partial<Draft>) => void
}

type TextName = "upstream" | "address" | "header" | "price" | "prefix" | "text" | "only"

interface DraftFieldProps extends PartProps {
  readonly name: TextName
  readonly label: string
  readonly hint?: string
  readonly rows?: number
}

const DraftField = ({ change, draft, name, problems, rows, ...words }: DraftFieldProps) => (
  <TextField
    {...words}
    rows={rows}
    className={rows === undefined ? undefined : "mono"}
    spellCheck={false}
    error={problems[name]}
    value={draft[name]}
    onChange={(text) => change({ [name]: text })}
  />
)

const versions = "OpenAPI 3.0 to 3.2, as JSON or YAML."

const DocumentFields = (part: PartProps) => {
  const { change, draft, problems } = part
  const [unreadable, setUnreadable] = useState<string>()
  const choose = async (chosen: File | undefined) => {
    setUnreadable(undefined)
    try {
      change({ file: chosen && { name: chosen.name, text: await chosen.text() } })
    } catch {
      setUnreadable("The file cannot be read.")
    }
  }
  return (
    <>
      <div className={styles.source}>
        <Segments
          label="The document comes from"
          options={[
            ["file", "A file"],
            ["text", "Pasted text"]
          ]}
          value={draft.source}
          onChange={(source) => change({ source })}
        />
      </div>
      {draft.source === "file" ? (
        <Field label="OpenAPI document" hint={`${versions} 19 MB at most.`} error={unreadable ?? problems.file}>
          {(control) => (
            <input
              {...control}
              type="file"
              accept=".json,.yaml,.yml"
              onChange={({ target }) => void choose(target.files?.[0])}
            />
          )}
        </Field>
      ) : (
        <DraftField {...part} name="text" label="OpenAPI document" hint={versions} rows={10} />
      )}
    </>
  )
}

const credentials = [
  ["none", "None"],
  ["bearer", "A bearer token"],
  ["header", "A key in a header"]
] as const

interface ImportFormProps {
  readonly draft: Draft
  readonly busy: boolean
  readonly onChange: (draft: Draft) => void
  readonly onPreview: () => void
}

/** The document and what the operator wants of it. */
export const ImportForm = ({ busy, draft, onChange, onPreview }: ImportFormProps) => {
  const form = useRef<HTMLFormElement>(null)
  const [sends, setSends] = useState(0)
  const all = problemsIn(draft)
  const part: PartProps = {
    draft,
    problems: sends === 0 ? {} : all,
    change: (change) => onChange({ ...draft, ...change })
  }
  const send = (event: FormEvent) => {
    event.preventDefault()
    setSends(sends + 1)
    if (Object.values(all).every((problem) => problem === undefined)) onPreview()
  }
  // The first wrong value gets the focus, so that a screen reader tells what is wrong with it.
  useEffect(() => {
    if (sends > 0) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus()
  }, [sends])
  return (
    <Card title="The API">
      <form ref={form} onSubmit={send} noValidate>
        <DocumentFields {...part} />
        <div className={styles.draft}>
          <DraftField
            {...part}
            name="upstream"
            label="Name of the upstream"
            hint="Ids and paths of the operations begin with it."
          />
          <DraftField {...part} name="address" label="Address" hint="Empty: the server that the document names." />
          <DraftField
            {...part}
            name="price"
            label="Price of a call in USD"
            hint="Such as 0.002, or free. Empty: calls are refused until there is a price."
          />
          <ChoiceField
            label="Credential"
            hint="What the upstream asks the gateway for."
            options={credentials}
            value={draft.credential}
            onChange={(credential) => part.change({ credential })}
          />
          {draft.credential === "header" ? <DraftField {...part} name="header" label="Header" /> : null}
        </div>
        <p>
          <label className="check">
            <input
              type="checkbox"
              checked={draft.isPrivate}
              onChange={({ target }) => part.change({ isPrivate: target.checked })}
            />
            Allow an address of this machine or of a private network
          </label>
        </p>
        <details className={styles.serves}>
          <summary>Choose operations, or another prefix</summary>
          <div className={`${styles.draft} ${styles.options}`}>
            <DraftField
              {...part}
              name="only"
              label="Only these operations"
              hint="One on each line: an id, a path, GET /path or a tag. * stands for any text."
              rows={3}
            />
            <DraftField
              {...part}
              name="prefix"
              label="Prefix"
              hint="The first part of ids and paths. Empty: the name of the upstream."
            />
          </div>
        </details>
        <div className="row">
          <Button kind="main" type="submit" busy={busy} disabled={busy}>
            Preview
          </Button>
        </div>
      </form>
    </Card>
  )
}
