import { useId } from "react"
import classes from "./Segments.module.css"

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
