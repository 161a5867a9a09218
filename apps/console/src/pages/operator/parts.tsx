import type { Client } from "@tollgate/client/Client"
import { Note } from "@tollgate/contract/admin/Terms"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react"
import { count } from "../../ui/amounts.ts"
import { useChange } from "../../ui/ChangeDialog.tsx"
import { Field } from "../../ui/form.tsx"
import { Button, Copy, ErrorNotice, Notice, Tag } from "../../ui/kit.tsx"
import { useSay } from "../../ui/Say.tsx"
import type { Column } from "../../ui/Table.tsx"
import { fullTime } from "../../ui/times.ts"
import styles from "./operator.module.css"

/** `1 price`, `2 prices`. */
export const counted = (number: number, noun: string): string => `${count(number)} ${noun}${number === 1 ? "" : "s"}`

const isNote = Schema.is(Note)

interface NoteFormProps<A> {
  readonly submit: string
  readonly disabled: boolean
  readonly run: (note: string) => Effect.Effect<A, { readonly message: string }, Client>
  readonly done: (made: A) => string
  readonly onRefused: () => void
  /** After a refusal. */
  readonly onAgain?: () => void
  /** What happens. */
  readonly children: ReactNode
}

/** Changes the configuration file, with a note for the record. */
export const NoteForm = <A,>(props: NoteFormProps<A>) => {
  const { children, disabled, done, onAgain, onRefused, run, submit } = props
  const [note, setNote] = useState("")
  const isRight = isNote(note.trim())
  const { busy, error, run: change } = useChange()
  const say = useSay()
  const refused = useRef(onRefused)
  refused.current = onRefused
  // After a refusal the file may be another one.
  useEffect(() => {
    if (error !== undefined) refused.current()
  }, [error])
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (isRight && !disabled) change(run(note.trim()), (made) => say(done(made)))
  }
  return (
    <form onSubmit={send} noValidate>
      {children}
      <Field
        label="Note"
        hint="Who you are, or why. It is recorded."
        error={isRight ? undefined : "Enter one line of up to 500 characters."}
      >
        {(control) => (
          <span className={styles.inline}>
            <input {...control} value={note} onChange={({ target }) => setNote(target.value)} />
            <Button
              kind="main"
              type="submit"
              busy={busy}
              disabled={busy || disabled || (onAgain !== undefined && error !== undefined)}
            >
              {submit}
            </Button>
          </span>
        )}
      </Field>
      {error === undefined ? null : (
        <ErrorNotice error={error}>
          {onAgain === undefined ? null : (
            <p>
              <Button onClick={onAgain}>Preview again</Button>
            </p>
          )}
        </ErrorNotice>
      )}
    </form>
  )
}

interface RecordedChange {
  readonly at: string
  readonly state: "applied" | "refused" | "begun"
  readonly address: string | null
  readonly note: string
}

const states = {
  applied: <Tag kind="good">Applied</Tag>,
  refused: <Tag>Refused</Tag>,
  begun: <Tag kind="warn">Cut off</Tag>
}

/** What is recorded of every change of the configuration file, around what is of this one. */
export const recordColumns = <Row extends RecordedChange>(
  ...own: ReadonlyArray<Column<Row>>
): ReadonlyArray<Column<Row>> => [
  { head: "Time", kind: "name", cell: ({ at }) => fullTime(at) },
  { head: "State", cell: ({ state }) => states[state] },
  ...own,
  { head: "Sent from", className: "mono", cell: ({ address }) => address },
  { head: "Note", cell: ({ note }) => note }
]

interface SecretNoticeProps {
  readonly title: string
  readonly secrets: ReadonlyArray<readonly [text: string, label: string]>
  readonly children: ReactNode
  readonly onDone: () => void
}

/** The only place where a secret is ever shown. */
export const SecretNotice = ({ children, onDone, secrets, title }: SecretNoticeProps) => (
  <Notice kind="warn" title={title}>
    {secrets.map(([text, label]) => (
      <p key={label} className={styles.secret}>
        <code>{text}</code>
        <Copy text={text} label={label} />
      </p>
    ))}
    <p>{children} It is shown only once: the gateway keeps no readable copy.</p>
    <p>
      <Button onClick={onDone}>I have stored it</Button>
    </p>
  </Notice>
)
