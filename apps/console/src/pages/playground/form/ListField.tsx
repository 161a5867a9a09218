import { useId } from "react"
import { Button } from "../../../ui/Button.tsx"
import { keyOf, type Path } from "../state/setIn.ts"
import type { Form } from "./Form.ts"
import styles from "./form.module.css"
import { Label } from "./Label.tsx"
import { parseNumber } from "./parse.ts"

export interface ListFieldProps {
  readonly form: Form
  readonly path: Path
  readonly required: boolean
  readonly hint: string | undefined
  readonly item: "text" | "number" | "whole"
  readonly values: ReadonlyArray<unknown>
}

/** More rows than these are edited as JSON. */
const mostRows = 50

/** A list of texts or numbers, a row for each. */
export const ListField = ({ form, hint, item, path, required, values }: ListFieldProps) => {
  const id = useId()
  const name = path.at(-1) ?? ""
  const set = (next: ReadonlyArray<unknown>) => form.change(path, next.length === 0 && !required ? undefined : next)
  const valueOf = (text: string): unknown => {
    const parsed = item === "text" ? { value: text } : parseNumber(text, item === "whole")
    return "value" in parsed ? parsed.value : text
  }
  return (
    <div className="field" role="group" aria-labelledby={id}>
      <span className={styles["list-label"]} id={id}>
        <Label name={name} required={required} />
      </span>
      {values.slice(0, mostRows).map((value, at) => (
        <div className={styles["row"]} key={`${keyOf(path)}${at}`}>
          <textarea
            aria-label={`${name} ${at + 1}`}
            rows={1}
            value={typeof value === "string" ? value : JSON.stringify(value)}
            onChange={({ target }) => set(values.with(at, valueOf(target.value)))}
          />
          <Button kind="quiet" aria-label={`Remove ${name} ${at + 1}`} onClick={() => set(values.toSpliced(at, 1))}>
            ×
          </Button>
        </div>
      ))}
      {values.length > mostRows ? (
        <p className="hint">{values.length - mostRows} more are in the JSON.</p>
      ) : (
        <Button kind="quiet" onClick={() => set([...values, item === "text" ? "" : 0])}>
          + Add
        </Button>
      )}
      {hint === undefined ? null : <p className="hint">{hint}</p>}
    </div>
  )
}
