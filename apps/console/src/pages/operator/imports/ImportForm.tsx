import { type FormEvent, useEffect, useRef, useState } from "react"
import { Button, Card } from "../../../ui/kit.tsx"
import { type Control, Field, Segments } from "../../../ui/form.tsx"
import styles from "../operator.module.css"
import { type Draft, type Problems, problemsIn } from "./draft.ts"

interface FormProps {
  readonly draft: Draft
  readonly busy: boolean
  readonly onChange: (draft: Draft) => void
  readonly onPreview: () => void
}

interface PartProps {
  readonly draft: Draft
  readonly problems: Problems
  readonly change: (part: Partial<Draft>) => void
}

type TextName = "upstream" | "address" | "header" | "price" | "prefix"

const DocumentFields = ({ change, draft, problems }: PartProps) => {
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
        <Field
          label="OpenAPI document"
          hint="OpenAPI 3.0 to 3.2, as JSON or YAML. 19 MB at most."
          error={unreadable ?? problems.file}
        >
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
        <Field label="OpenAPI document" hint="OpenAPI 3.0 to 3.2, as JSON or YAML." error={problems.text}>
          {(control) => (
            <textarea
              {...control}
              className="mono"
              rows={10}
              spellCheck={false}
              value={draft.text}
              onChange={({ target }) => change({ text: target.value })}
            />
          )}
        </Field>
      )}
    </>
  )
}

const credentials = [
  ["none", "None"],
  ["bearer", "A bearer token"],
  ["header", "A key in a header"]
] as const

/** The document and what the operator wants of it. */
export const ImportForm = ({ busy, draft, onChange, onPreview }: FormProps) => {
  const form = useRef<HTMLFormElement>(null)
  const [sends, setSends] = useState(0)
  const all = problemsIn(draft)
  const problems = sends === 0 ? {} : all
  const change = (part: Partial<Draft>) => onChange({ ...draft, ...part })
  const send = (event: FormEvent) => {
    event.preventDefault()
    setSends(sends + 1)
    if (Object.values(all).every((problem) => problem === undefined)) onPreview()
  }
  // The first wrong value gets the focus, so that a screen reader tells what is wrong with it.
  useEffect(() => {
    if (sends > 0) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus()
  }, [sends])
  const input = (name: TextName) => (control: Control) => (
    <input
      {...control}
      spellCheck={false}
      autoComplete="off"
      value={draft[name]}
      onChange={({ target }) => change({ [name]: target.value })}
    />
  )
  return (
    <Card title="The API">
      <form ref={form} onSubmit={send} noValidate>
        <DocumentFields draft={draft} problems={problems} change={change} />
        <div className={styles.draft}>
          <Field
            label="Name of the upstream"
            hint="Ids and paths of the operations begin with it."
            error={problems.upstream}
          >
            {input("upstream")}
          </Field>
          <Field label="Address" hint="Empty: the server that the document names." error={problems.address}>
            {input("address")}
          </Field>
          <Field
            label="Price of a call in USD"
            hint="Such as 0.002, or free. Empty: calls are refused until there is a price."
            error={problems.price}
          >
            {input("price")}
          </Field>
          <Field label="Credential" hint="What the upstream asks the gateway for.">
            {(control) => (
              <select
                {...control}
                value={draft.credential}
                onChange={({ target }) => change({ credential: target.value as Draft["credential"] })}
              >
                {credentials.map(([id, label]) => (
                  <option key={id} value={id}>
                    {label}
                  </option>
                ))}
              </select>
            )}
          </Field>
          {draft.credential === "header" ? (
            <Field label="Header" error={problems.header}>
              {input("header")}
            </Field>
          ) : null}
        </div>
        <p>
          <label className={styles.check}>
            <input
              type="checkbox"
              checked={draft.isPrivate}
              onChange={({ target }) => change({ isPrivate: target.checked })}
            />
            Allow an address of this machine or of a private network
          </label>
        </p>
        <details className={styles.serves}>
          <summary>Choose operations, or another prefix</summary>
          <div className={`${styles.draft} ${styles.options}`}>
            <Field
              label="Only these operations"
              hint="One on each line: an id, a path, GET /path or a tag. * stands for any text."
            >
              {(control) => (
                <textarea
                  {...control}
                  className="mono"
                  rows={3}
                  spellCheck={false}
                  value={draft.only}
                  onChange={({ target }) => change({ only: target.value })}
                />
              )}
            </Field>
            <Field
              label="Prefix"
              hint="The first part of ids and paths. Empty: the name of the upstream."
              error={problems.prefix}
            >
              {input("prefix")}
            </Field>
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
