import { type ReactNode, useEffect, useId, useRef } from "react"
import classes from "./Segments.module.css"

export interface DialogProps {
  readonly title: string
  readonly open: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}

/** The browser's own modal dialog: it keeps the focus inside, and Escape closes it. */
export const Dialog = ({ children, onClose, open, title }: DialogProps) => {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (open && dialog.current?.open === false) dialog.current.showModal()
    if (!open) dialog.current?.close()
  }, [open])
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      {open ? (
        <>
          <h2 id={id}>{title}</h2>
          {children}
        </>
      ) : null}
    </dialog>
  )
}

export interface Control {
  readonly id: string
  readonly "aria-describedby": string | undefined
  readonly "aria-invalid": boolean | undefined
}

export interface FieldProps {
  readonly label: ReactNode
  readonly hint?: ReactNode
  readonly error?: string | undefined
  /** Gets what ties the control to its label, hint and error. */
  readonly children: (control: Control) => ReactNode
}

/** A control with its label, a hint, and what is wrong with its value. */
export const Field = ({ children, error, hint, label }: FieldProps) => {
  const id = useId()
  const described = [hint === undefined ? "" : `${id}-hint`, error === undefined ? "" : `${id}-error`].join(" ").trim()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        "aria-describedby": described === "" ? undefined : described,
        "aria-invalid": error === undefined ? undefined : true
      })}
      {hint === undefined ? null : (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error === undefined ? null : (
        <p className="wrong" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  )
}

interface AmountFieldProps {
  readonly label: string
  readonly hint: string
  readonly error: string | undefined
  readonly value: string
  readonly onChange: (value: string) => void
}

/** An amount of USD, as it is typed. */
export const AmountField = ({ error, hint, label, onChange, value }: AmountFieldProps) => (
  <Field label={label} hint={hint} error={error}>
    {(control) => (
      <input
        {...control}
        inputMode="decimal"
        autoComplete="off"
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    )}
  </Field>
)

export interface SegmentsProps<Id extends string> {
  readonly label: string
  readonly options: ReadonlyArray<readonly [id: Id, label: string]>
  readonly value: Id | undefined
  readonly onChange: (id: Id) => void
}

/** One of a few choices, all of them in view. */
export const Segments = <Id extends string>({ label, onChange, options, value }: SegmentsProps<Id>) => {
  const name = useId()
  return (
    <fieldset className={classes["segments"]}>
      <legend>{label}</legend>
      {options.map(([id, text]) => (
        <label key={id}>
          <input type="radio" name={name} value={id} checked={id === value} onChange={() => onChange(id)} />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  )
}
