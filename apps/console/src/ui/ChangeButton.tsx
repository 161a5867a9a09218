import type { Client } from "@tollgate/client/Client"
import { useCall } from "@tollgate/react/effect"
import * as Effect from "effect/Effect"
import { type FormEvent, type ReactNode, useEffect, useMemo, useRef, useState } from "react"
import { Check, ChoiceField, Dialog, Field, TextField } from "./form.tsx"
import { Button, type ButtonProps, ErrorNotice } from "./kit.tsx"
import { type Description, fieldsOf, type FormField, readForm, shownIn, type Texts, type Values } from "./readForm.ts"
import { Wrong } from "./parseUsd.ts"
import { useSay } from "./Say.tsx"
import { useRefusal } from "./useRefusal.tsx"

/** For those who describe a form. */
export { type FormField, Wrong }

const days = [1, 7, 30, 90, 365]

/** When something ends: in some days, or as it is. */
export const endField = (unchanged: string): FormField => ({
  label: "Ends",
  options: [["", unchanged], ...days.map((n) => [`${n}`, n === 1 ? "in 1 day" : `in ${n} days`] as const)],
  read: (text) => new Date(Date.now() + Number(text) * 86_400_000).toISOString()
})

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
      <Check className="check" checked={text !== ""} onChange={(checked) => onChange(checked ? "yes" : "")}>
        {label}
      </Check>
    )
  }
  if (kind === "lines") return <TextField {...common} className="mono" rows={6} spellCheck={false} />
  if (kind === "file") {
    const choose = async (file: File | undefined) => onChange((await file?.text().catch(() => "")) ?? "")
    return (
      <Field label={label} hint={hint} error={error}>
        {(control) => <input {...control} type="file" onChange={({ target }) => void choose(target.files?.[0])} />}
      </Field>
    )
  }
  if (kind === "date" || kind === "password") return <TextField {...common} type={kind} />
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
  /** Above the folded fields. */
  readonly more?: string
  readonly danger?: OfValues<boolean>
  /** The field that gets the focus first. */
  readonly focus?: string
  /** A change that the form began. */
  readonly change?: Pick<Change, "busy" | "error">
  readonly disabled?: boolean
  /** What to know after a failure. */
  readonly afterFailure?: ReactNode
  readonly onSubmit: (value: A) => void
  /** Default: there is nothing to cancel. */
  readonly onClose?: () => void
  readonly onChange?: () => void
  readonly children?: ReactNode
}

/** Fields by their description. What is wrong is told once it was sent. */
export const Form = <A,>(props: FormProps<A>) => {
  const {
    afterFailure,
    change,
    children,
    danger = false,
    disabled = false,
    focus,
    more = "More limits",
    onChange,
    onClose,
    onSubmit,
    submit
  } = props
  const fields = fieldsOf(props)
  const form = useRef<HTMLFormElement>(null)
  const [texts, setTexts] = useState<Texts>(() =>
    Object.fromEntries(fields.map(([name, { initial = "" }]) => [name, initial]))
  )
  const [sends, setSends] = useState(0)
  const [isUnfolded, setUnfolded] = useState(false)
  const { problems, value, values } = readForm(props, texts)
  const send = (event: FormEvent) => {
    event.preventDefault()
    setSends(sends + 1)
    // What is wrong may be below.
    if (fields.some(([name, { folded }]) => folded === true && name in problems)) setUnfolded(true)
    if (value !== undefined) onSubmit(value)
  }
  // The first wrong value gets the focus, so that a screen reader tells what is wrong with it.
  useEffect(() => {
    if (sends > 0) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus()
  }, [sends])
  const shown = shownIn(fields, texts)
  const isFolded = ([, { folded }]: (typeof shown)[number]) => folded === true
  const controls = (of: typeof shown) => (
    <div className="fields">
      {of.map(([name, field]) => (
        <div key={name} className={field.half === true ? "half" : undefined}>
          <Control
            of={field}
            text={texts[name] ?? ""}
            error={sends === 0 ? undefined : problems[name]}
            autoFocus={name === focus}
            onChange={(text) => {
              setTexts((texts) => ({ ...texts, [name]: text }))
              onChange?.()
            }}
          />
        </div>
      ))}
    </div>
  )
  return (
    <form ref={form} onSubmit={send} noValidate>
      {children}
      {controls(shown.filter((each) => !isFolded(each)))}
      {shown.some(isFolded) ? (
        <details open={isUnfolded}>
          <summary>{more}</summary>
          {controls(shown.filter(isFolded))}
        </details>
      ) : null}
      {change?.error === undefined ? null : (
        <ErrorNotice error={change.error}>
          {afterFailure === undefined ? null : <p className="small">{afterFailure}</p>}
        </ErrorNotice>
      )}
      <div className="row">
        {onClose === undefined ? null : <Button onClick={onClose}>Cancel</Button>}
        <Button
          kind={given(danger, values) ? "danger" : "main"}
          type="submit"
          busy={change?.busy === true}
          disabled={change?.busy === true || disabled}
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

export interface ChangeButtonProps<A, B, E> extends Omit<FormProps<A>, "change" | "onSubmit"> {
  readonly label: string
  readonly kind?: ButtonProps["kind"]
  /** What screen readers call the button, where others have the same label. */
  readonly name?: string
  /** The route that it needs. Who may not use it sees whom to `ask`, or nothing. */
  readonly may?: string
  readonly ask?: string
  /** Of the dialog. Default: the label. */
  readonly title?: string
  readonly run: (value: A) => Effect.Effect<B, E, Client>
  /** Takes what came of it. */
  readonly onDone?: (made: B) => void
  /** What to say about it. */
  readonly done?: (made: B, value: A) => string
}

/** A button with a dialog that changes something. If it is closed meanwhile, the change goes on, and a failure opens it again. */
export const ChangeButton = <A, B, E extends { readonly message: string }>(props: ChangeButtonProps<A, B, E>) => {
  const { danger = false, done, kind = danger === true ? "danger" : undefined, label } = props
  const { ask, may, name, onDone, run, title = label, ...form } = props
  const refusal = useRefusal(may, ask)
  const [open, setOpen] = useState(false)
  const change = useChange()
  const say = useSay()
  useEffect(() => {
    if (change.error !== undefined) setOpen(true)
  }, [change.error])
  const close = () => {
    if (!change.busy) change.dismiss()
    setOpen(false)
  }
  const submit = (value: A) =>
    change.run(run(value), (made) => {
      close()
      onDone?.(made)
      if (done !== undefined) say(done(made, value))
    })
  if (refusal !== undefined) return refusal
  return (
    <>
      <Button kind={kind} aria-label={name} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Dialog title={title} open={open} keep={change.busy} onClose={close}>
        {() => <Form {...form} change={change} onSubmit={submit} onClose={close} />}
      </Dialog>
    </>
  )
}
