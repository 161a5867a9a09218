import { type InputHTMLAttributes, type ReactNode, type Ref, useEffect, useId, useRef, useState } from "react"
import { Button, type ButtonProps } from "./kit.tsx"
import classes from "./Segments.module.css"

export interface DialogProps {
  readonly title: string
  readonly open: boolean
  /** Its content stays while it is closed. */
  readonly keep?: boolean
  readonly onClose: () => void
  readonly children: () => ReactNode
}

/** The browser's own modal dialog: it keeps the focus inside, and Escape closes it. */
export const Dialog = ({ children, keep = false, onClose, open, title }: DialogProps) => {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (open && dialog.current?.open === false) dialog.current.showModal()
    if (!open) dialog.current?.close()
  }, [open])
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      {open || keep ? (
        <>
          <h2 id={id}>{title}</h2>
          {children()}
        </>
      ) : null}
    </dialog>
  )
}

export interface DialogButtonProps extends Pick<ButtonProps, "kind"> {
  readonly label: ReactNode
  /** What screen readers call the button, where others have the same label. */
  readonly name?: string
  readonly title: string
  readonly children: (close: () => void) => ReactNode
}

export const DialogButton = ({ children, kind, label, name, title }: DialogButtonProps) => {
  const [open, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <Button kind={kind} aria-label={name} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Dialog title={title} open={open} onClose={close}>
        {() => children(close)}
      </Dialog>
    </>
  )
}

/** One attempt at a time, and what was wrong with the last one. */
export const useAttempt = <A, P>(run: (given: A) => Promise<P | undefined>) => {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<P>()
  const attempt = async (given: A) => {
    setBusy(true)
    setProblem(undefined)
    const found = await run(given)
    setBusy(false)
    setProblem(found)
  }
  return { busy, problem, attempt: (given: A) => void attempt(given) }
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

type TextAttributes = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  | "autoCapitalize"
  | "autoComplete"
  | "autoFocus"
  | "className"
  | "inputMode"
  | "maxLength"
  | "placeholder"
  | "required"
  | "spellCheck"
  | "type"
>

export interface TextFieldProps extends Omit<FieldProps, "children">, TextAttributes {
  readonly value: string
  readonly onChange: (value: string) => void
  /** Several lines. */
  readonly rows?: number | undefined
  /** What can be chosen instead of typed. */
  readonly suggestions?: ReadonlyArray<string> | undefined
}

export const TextField = ({ error, hint, label, onChange, rows, suggestions, value, ...rest }: TextFieldProps) => {
  const list = useId()
  const change = ({ target }: { readonly target: { readonly value: string } }) => onChange(target.value)
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) =>
        rows === undefined ? (
          <>
            <input
              autoComplete="off"
              list={suggestions === undefined ? undefined : list}
              {...rest}
              {...control}
              value={value}
              onChange={change}
            />
            {suggestions === undefined ? null : (
              <datalist id={list}>
                {suggestions.map((each) => (
                  <option key={each} value={each} />
                ))}
              </datalist>
            )}
          </>
        ) : (
          <textarea {...rest} {...control} rows={rows} value={value} onChange={change} />
        )
      }
    </Field>
  )
}

interface SearchFieldProps extends Pick<
  InputHTMLAttributes<HTMLInputElement>,
  "className" | "maxLength" | "name" | "placeholder"
> {
  readonly label: string
  readonly value?: string
  readonly onChange?: (text: string) => void
  readonly ref?: Ref<HTMLInputElement>
}

export const SearchField = ({ label, onChange, ...rest }: SearchFieldProps) => (
  <input
    type="search"
    aria-label={label}
    maxLength={200}
    spellCheck={false}
    autoCapitalize="none"
    {...rest}
    onChange={({ target }) => onChange?.(target.value)}
  />
)

interface CheckProps {
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  readonly className?: string | undefined
  readonly children: ReactNode
}

export const Check = ({ checked, children, className, onChange }: CheckProps) => (
  <label className={className}>
    <input type="checkbox" checked={checked} onChange={({ target }) => onChange(target.checked)} />
    {children}
  </label>
)

export type Options<Id extends string = string> = ReadonlyArray<readonly [id: Id, label: string]>

interface SelectProps<Id extends string> extends Partial<Control> {
  /** For screen readers, without a label in view. */
  readonly label?: string
  readonly className?: string | undefined
  readonly isChosen?: boolean
  readonly options: Options<Id>
  readonly value: Id
  readonly onChange: (value: Id) => void
}

export const Select = <Id extends string>({ isChosen, label, onChange, options, value, ...rest }: SelectProps<Id>) => (
  <select
    {...rest}
    aria-label={label}
    data-chosen={isChosen}
    value={value}
    onChange={({ target }) => {
      const chosen = options.find(([id]) => id === target.value)
      if (chosen !== undefined) onChange(chosen[0])
    }}
  >
    {options.map(([id, text]) => (
      <option key={id} value={id}>
        {text}
      </option>
    ))}
  </select>
)

export interface ChoiceFieldProps<Id extends string> extends Omit<FieldProps, "children"> {
  readonly options: Options<Id>
  readonly value: Id
  readonly onChange: (value: Id) => void
}

export const ChoiceField = <Id extends string>({ onChange, options, value, ...field }: ChoiceFieldProps<Id>) => (
  <Field {...field}>{(control) => <Select {...control} options={options} value={value} onChange={onChange} />}</Field>
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
      <legend className="quiet">{label}</legend>
      {options.map(([id, text]) => (
        <label key={id}>
          <input type="radio" name={name} value={id} checked={id === value} onChange={() => onChange(id)} />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  )
}
