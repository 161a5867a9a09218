import { Link } from "@tanstack/react-router"
import type { Client } from "@tollgate/client/Client"
import type { TransactionKind } from "@tollgate/contract/account/Billing"
import type { Entry } from "@tollgate/contract/admin/Account"
import { Note } from "@tollgate/contract/admin/Terms"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ReactNode } from "react"
import { Form, useChange } from "../../ui/ChangeButton.tsx"
import { Button, dash } from "../../ui/kit.tsx"
import { useSay } from "../../ui/Say.tsx"
import { useRefusal } from "../../ui/useRefusal.tsx"
import type { Column } from "../../ui/Table.tsx"
import { fullTime } from "../../ui/times.ts"
import { kindNames } from "../billing/parts.tsx"
import styles from "./operator.module.css"

/** Not `randomUUID`, which a page over plain http does not have. */
export const newId = (): string =>
  `console-${Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")}`

const Noted = Schema.Struct({ note: Note })

interface NoteFormProps<A> {
  readonly may: string
  /** Who may. */
  readonly ask: string
  readonly submit: string
  readonly disabled: boolean
  readonly run: (note: string) => Effect.Effect<A, { readonly message: string }, Client>
  readonly done: (made: A) => string
  /** The file may be another one. */
  readonly onRefused: () => void
  /** After a refusal. */
  readonly onAgain?: () => void
  readonly children: ReactNode
}

/** Changes the configuration file, with a note for the record. */
export const NoteForm = <A,>(props: NoteFormProps<A>) => {
  const { ask, children, disabled, done, may, onAgain, onRefused, run, submit } = props
  const refusal = useRefusal(may, ask)
  const change = useChange()
  const say = useSay()
  if (refusal !== undefined) return refusal
  return (
    <Form
      schema={Noted}
      fields={{ note: { label: "Note", hint: "Who you are, or why. It is recorded.", required: false, empty: "" } }}
      submit={submit}
      change={change}
      disabled={disabled || (onAgain !== undefined && change.error !== undefined)}
      afterFailure={onAgain === undefined ? undefined : <Button onClick={onAgain}>Preview again</Button>}
      onSubmit={({ note }) =>
        change.run(
          Effect.tapError(run(note), () => Effect.sync(onRefused)),
          (made) => say(done(made))
        )
      }
    >
      {children}
    </Form>
  )
}

/** The columns of transactions, with those of the page after the time. */
export const entryColumns = <E extends Entry>(...own: ReadonlyArray<Column<E>>): ReadonlyArray<Column<E>> => [
  { head: "Time", className: "soft", cell: ({ at }) => <time dateTime={at}>{fullTime(at)}</time> },
  ...own,
  { head: "Kind", cell: ({ kind }) => kindNames[kind as TransactionKind] },
  {
    head: "Note",
    className: styles.note,
    cell: ({ call, note }) => (
      <>
        {note === "" ? dash : note}
        {call === undefined ? null : <span className="mono soft"> {call}</span>}
      </>
    )
  },
  { head: "Id", className: `mono soft ${styles.id}`, title: ({ id }) => id, cell: ({ id }) => id },
  { head: "Amount", usd: (entry) => entry.amount_micros_usd }
]

/** What is wrong with a file, as the gateway found it. */
export const Problems = ({ of }: { readonly of: ReadonlyArray<string> }) =>
  of.length === 0 ? null : (
    <ul className={styles.problems}>
      {of.map((problem) => (
        <li key={problem}>{problem}</li>
      ))}
    </ul>
  )

interface AccountNameProps {
  readonly id: string
  readonly label: string
}

export const AccountLink = ({ id, label }: AccountNameProps) => (
  <Link to="/operator/accounts/$account" params={{ account: id }}>
    {label === "" ? id : label}
  </Link>
)
