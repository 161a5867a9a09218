import { useId } from "react"
import classes from "./Choice.module.css"

export interface ChoiceProps<T extends string> {
  /** For screen readers. */
  readonly label: string
  readonly options: ReadonlyArray<{ readonly value: T; readonly label: string }>
  readonly value: T
  readonly onChoose: (value: T) => void
}

/** One of a few, all in view: radio buttons that look like tabs. */
export const Choice = <T extends string>({ label, onChoose, options, value }: ChoiceProps<T>) => {
  const name = useId()
  return (
    <div className={classes["choice"]} role="radiogroup" aria-label={label}>
      {options.map((option) => (
        <label key={option.value}>
          <input type="radio" name={name} checked={option.value === value} onChange={() => onChoose(option.value)} />
          {option.label}
        </label>
      ))}
    </div>
  )
}
