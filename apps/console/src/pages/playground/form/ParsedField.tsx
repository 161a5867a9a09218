import { Field } from "../../../ui/Field.tsx"
import type { Parsed } from "../state/json.ts"
import type { Path } from "../state/setIn.ts"
import type { Form } from "./Form.ts"
import { Label } from "./Label.tsx"

export interface ParsedFieldProps {
  readonly form: Form
  readonly path: Path
  readonly required: boolean
  readonly hint: string | undefined
  readonly parse: (text: string) => Parsed<unknown>
  readonly print: (value: unknown) => string
  readonly rows?: number
  readonly code?: boolean
}

/** A value that is typed as text. A text that is no value stays in the field, with what is wrong with it. */
export const ParsedField = ({ code = false, form, hint, parse, path, print, required, rows }: ParsedFieldProps) => {
  const kept = form.textAt(path)
  const value = form.valueAt(path)
  const text = kept?.text ?? (value === undefined ? "" : print(value))
  const change = (typed: string): void => {
    if (typed.trim() === "") return form.change(path, undefined)
    const next = parse(typed)
    if ("problem" in next) form.change(path, value, { text: typed, problem: next.problem })
    else form.change(path, next.value, { text: typed, problem: undefined })
  }
  return (
    <Field label={<Label name={path.at(-1) ?? ""} required={required} />} hint={hint} error={kept?.problem}>
      {(control) =>
        rows === undefined ? (
          <input
            {...control}
            className={code ? "mono" : undefined}
            inputMode="decimal"
            autoComplete="off"
            value={text}
            onChange={({ target }) => change(target.value)}
          />
        ) : (
          <textarea
            {...control}
            className={code ? "mono" : undefined}
            rows={rows}
            spellCheck={false}
            value={text}
            onChange={({ target }) => change(target.value)}
          />
        )
      }
    </Field>
  )
}
