import { useId } from "react"
import { Field } from "../../../ui/Field.tsx"
import type { Path } from "../state/setIn.ts"
import type { Form } from "./Form.ts"
import { Label } from "./Label.tsx"

export interface TextFieldProps {
  readonly form: Form
  readonly path: Path
  readonly required: boolean
  readonly hint: string | undefined
  readonly value: string
}

/** A text. It grows with what is typed; a model is chosen from those that there are, or typed. */
export const TextField = ({ form, hint, path, required, value }: TextFieldProps) => {
  const models = useId()
  const name = path.at(-1) ?? ""
  const isModel = name === "model" && form.models.length > 0
  const change = (text: string) => form.change(path, text === "" ? undefined : text)
  return (
    <Field
      label={<Label name={name} required={required} />}
      hint={hint}
      error={required && value === "" ? "It is required" : undefined}
    >
      {(control) =>
        isModel ? (
          <>
            <input
              {...control}
              list={models}
              autoComplete="off"
              spellCheck={false}
              value={value}
              onChange={({ target }) => change(target.value)}
            />
            <datalist id={models}>
              {form.models.map((model) => (
                <option key={model} value={model} />
              ))}
            </datalist>
          </>
        ) : (
          <textarea {...control} rows={1} value={value} onChange={({ target }) => change(target.value)} />
        )
      }
    </Field>
  )
}
