import { type ReactNode, useId } from "react"

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
