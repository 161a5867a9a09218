import type { Client } from "@tollgate/client/Client"
import { useCall } from "@tollgate/react"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { type FormEvent, type ReactNode, useEffect, useMemo, useRef, useState } from "react"
import { ChoiceField, Dialog, type Options, TextField } from "./form.tsx"
import { Button, ErrorNotice } from "./kit.tsx"
import { parseUsd } from "./parseUsd.ts"
import { type Problems, decode, inUsd } from "./problems.ts"
import { useSay } from "./Say.tsx"

/** What is wrong with a text. */
export class Wrong {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

interface CustomControl {
  readonly text: string
  readonly onChange: (text: string) => void
  readonly error: string | undefined
}

/** What a field asks for, and how its text becomes a value. */
export interface FormField {
  readonly label: string
  readonly hint?: ReactNode
  /** `usd`: an amount, whose value is micro-USD. Default: a text. */
  readonly kind?: "usd" | "count" | "lines" | "check" | "date"
  /** One of these texts. */
  readonly options?: Options
  readonly render?: (control: CustomControl) => ReactNode
  readonly initial?: string
  readonly required?: boolean
  /** The value of an empty text. Default: the field is left out. */
  readonly empty?: unknown
  readonly read?: (text: string) => unknown
  /** Two of them stand side by side. */
  readonly half?: boolean
}

const days = [1, 7, 30, 90, 365]

/** When something ends: in some days, or as it is. */
export const endField = (unchanged: string): FormField => ({
  label: "Ends",
  options: [["", unchanged], ...days.map((n) => [`${n}`, n === 1 ? "in 1 day" : `in ${n} days`] as const)],
  read: (text) => new Date(Date.now() + Number(text) * 86_400_000).toISOString()
})

type Texts = Readonly<Record<string, string>>
type Values = Readonly<Record<string, unknown>>

const valueOf = ({ empty, kind, read, required }: FormField, text: string): unknown => {
  if (kind === "check") return text !== ""
  if (text === "") return required === true ? new Wrong("This is required.") : empty
  if (read !== undefined) return read(text)
  if (kind === "count") return /^\d{1,15}$/.test(text) ? Number(text) : new Wrong("Enter a whole number.")
  if (kind !== "usd") return text
  const parsed = parseUsd(text)
  return parsed.problem === undefined ? Number(parsed.micros) : new Wrong(parsed.problem)
}

interface Description<A> {
  readonly fields: Readonly<Record<string, FormField | undefined>>
  /** What the API takes. It says what is wrong with a field. */
  readonly schema?: Schema.ConstraintDecoder<A>
  /** The value that the schema checks, if it is not the fields by their names. */
  readonly assemble?: (values: Values) => unknown
  /** What the schema cannot know. */
  readonly check?: (values: Values) => Problems
  /** Fields that were not touched are left out. */
  readonly changedOnly?: boolean
}

const fieldsOf = (fields: Description<unknown>["fields"]): ReadonlyArray<readonly [string, FormField]> =>
  Object.entries(fields).flatMap(([name, field]) => (field === undefined ? [] : [[name, field] as const]))

/** The values of the fields that are right, what is wrong with the others, and all of it if nothing is. */
const readForm = <A,>(description: Description<A>, texts: Texts) => {
  const { assemble = (values: Values): unknown => values, changedOnly = false, check, schema } = description
  const values: Record<string, unknown> = {}
  const problems: Record<string, string> = {}
  const fields = fieldsOf(description.fields)
  for (const [name, field] of fields) {
    const text = texts[name] ?? ""
    if (changedOnly && text === (field.initial ?? "")) continue
    const value = valueOf(field, text.trim())
    if (value instanceof Wrong) problems[name] = value.message
    else if (value !== undefined) values[name] = value
  }
  const made = assemble(values)
  const decoded = schema === undefined ? { value: made as A } : decode(schema, made)
  for (const [name, problem] of Object.entries({ ...check?.(values), ...decoded.problems })) {
    if (problem !== undefined) problems[name] ??= description.fields[name]?.kind === "usd" ? inUsd(problem) : problem
  }
  for (const name of Object.keys(problems)) delete values[name]
  const isRight = decoded.problems === undefined && Object.keys(problems).length === 0
  return { values, problems, value: isRight ? decoded.value : undefined }
}

interface ControlProps {
  readonly of: FormField
  readonly text: string
  readonly error: string | undefined
  readonly autoFocus: boolean
  readonly onChange: (text: string) => void
}

const Control = ({ autoFocus, error, of, onChange, text }: ControlProps) => {
  const { hint, kind, label, options, render } = of
  const common = { label, hint, error, onChange, value: text }
  if (render !== undefined) return render({ text, onChange, error })
  if (options !== undefined) return <ChoiceField {...common} options={options} />
  if (kind === "check") {
    return (
      <label className="check">
        <input type="checkbox" checked={text !== ""} onChange={({ target }) => onChange(target.checked ? "yes" : "")} />
        {label}
      </label>
    )
  }
  if (kind === "lines") return <TextField {...common} className="mono" rows={12} spellCheck={false} />
  if (kind === "date") return <TextField {...common} type="date" />
  return (
    <TextField
      {...common}
      autoFocus={autoFocus}
      {...(kind === "usd" ? { inputMode: "decimal" } : kind === "count" ? { inputMode: "numeric" } : {})}
    />
  )
}

type OfValues<A> = A | ((values: Values) => A)

const given = <A extends string | boolean>(of: OfValues<A>, values: Values): A =>
  typeof of === "function" ? of(values) : of

export interface FormProps<A> extends Description<A> {
  readonly submit: OfValues<string>
  readonly danger?: OfValues<boolean>
  /** The field that gets the focus first. */
  readonly focus?: string
  /** A change that the form began. */
  readonly change?: Pick<Change, "busy" | "error">
  /** What to know after a failure. */
  readonly afterFailure?: ReactNode
  readonly onSubmit: (value: A) => void
  readonly onClose: () => void
  readonly children?: ReactNode
}

/** Fields by their description. What is wrong is told once it was sent. */
export const Form = <A,>(props: FormProps<A>) => {
  const { afterFailure, change, children, danger = false, focus, onClose, onSubmit, submit } = props
  const fields = fieldsOf(props.fields)
  const form = useRef<HTMLFormElement>(null)
  const [texts, setTexts] = useState<Texts>(() =>
    Object.fromEntries(fields.map(([name, { initial = "" }]) => [name, initial]))
  )
  const [sends, setSends] = useState(0)
  const { problems, value, values } = readForm(props, texts)
  const send = (event: FormEvent) => {
    event.preventDefault()
    setSends(sends + 1)
    if (value !== undefined) onSubmit(value)
  }
  // The first wrong value gets the focus, so that a screen reader tells what is wrong with it.
  useEffect(() => {
    if (sends > 0) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus()
  }, [sends])
  return (
    <form ref={form} onSubmit={send} noValidate>
      {children}
      <div className="fields">
        {fields.map(([name, field]) => (
          <div key={name} className={field.half === true ? "half" : undefined}>
            <Control
              of={field}
              text={texts[name] ?? ""}
              error={sends === 0 ? undefined : problems[name]}
              autoFocus={name === focus}
              onChange={(text) => setTexts({ ...texts, [name]: text })}
            />
          </div>
        ))}
      </div>
      {change?.error === undefined ? null : (
        <ErrorNotice error={change.error}>
          {afterFailure === undefined ? null : <p className="small">{afterFailure}</p>}
        </ErrorNotice>
      )}
      <div className="row">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          kind={given(danger, values) ? "danger" : "main"}
          type="submit"
          busy={change?.busy === true}
          disabled={change?.busy}
        >
          {given(submit, values)}
        </Button>
      </div>
    </form>
  )
}

interface Change {
  readonly busy: boolean
  readonly error: { readonly message: string } | undefined
  /** Forgets the error, once it was seen. */
  readonly dismiss: () => void
  /** Does nothing while a change is under way, so a double click does it once. */
  readonly run: <A, E extends { readonly message: string }>(
    effect: Effect.Effect<A, E, Client>,
    done: (value: A) => void
  ) => void
}

const perform = (effect: Effect.Effect<void, { readonly message: string }, Client>) => effect

/** One change at a time. It goes on if the dialog that began it is closed. */
export const useChange = (): Change => {
  const { call, error, state } = useCall(perform)
  const [seen, setSeen] = useState<unknown>()
  return useMemo(
    () => ({
      busy: state === "pending",
      error: error === seen ? undefined : error,
      dismiss: () => setSeen(error),
      run: (effect, done) => call(Effect.map(effect, done))
    }),
    [call, error, seen, state]
  )
}

export interface ChangeDialogProps<A, B, E> extends Omit<FormProps<A>, "change" | "onSubmit"> {
  readonly title: string
  readonly open: boolean
  readonly run: (value: A) => Effect.Effect<B, E, Client>
  /** Takes what came of it, and returns what to say about it. */
  readonly done: (made: B, value: A) => string | undefined | void
}

/** A dialog that changes something. If it is closed while the change is under way, a failure is shown in its place. */
export const ChangeDialog = <A, B, E extends { readonly message: string }>(props: ChangeDialogProps<A, B, E>) => {
  const { done, onClose, open, run, title, ...form } = props
  const change = useChange()
  const say = useSay()
  const close = () => {
    if (!change.busy) change.dismiss()
    onClose()
  }
  const submit = (value: A) =>
    change.run(run(value), (made) => {
      onClose()
      const words = done(made, value)
      if (typeof words === "string") say(words)
    })
  return (
    <>
      {open || change.error === undefined ? null : (
        <ErrorNotice error={change.error}>
          <p>
            {title}. <Button onClick={change.dismiss}>Close</Button>
          </p>
        </ErrorNotice>
      )}
      <Dialog title={title} open={open} onClose={close}>
        <Form {...form} change={change} onSubmit={submit} onClose={close} />
      </Dialog>
    </>
  )
}
