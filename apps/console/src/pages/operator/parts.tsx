import type { Client } from "@tollgate/client/Client"
import { Note } from "@tollgate/contract/admin/Terms"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ReactNode } from "react"
import { count } from "../../ui/amounts.ts"
import { Form, useChange } from "../../ui/ChangeButton.tsx"
import { Button, Tag } from "../../ui/kit.tsx"
import { useSay } from "../../ui/Say.tsx"
import type { Column } from "../../ui/Table.tsx"
import { fullTime } from "../../ui/times.ts"

/** `1 price`, `2 prices`. */
export const counted = (number: number, noun: string): string => `${count(number)} ${noun}${number === 1 ? "" : "s"}`

const Noted = Schema.Struct({ note: Note })

interface NoteFormProps<A> {
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
  const { children, disabled, done, onAgain, onRefused, run, submit } = props
  const change = useChange()
  const say = useSay()
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
