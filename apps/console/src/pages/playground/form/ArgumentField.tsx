import { Field } from "../../../ui/form.tsx"
import { type Path, isLarge, parseJson, parseNumber, pretty } from "../json.ts"
import { FileField, type Form, Label, ListField, ParsedField, TextArgument } from "./fields.tsx"
import styles from "./form.module.css"
import { type JsonSchema, shapeOf } from "./shape.ts"

export interface ArgumentFieldProps {
  readonly form: Form
  readonly path: Path
  readonly schema: JsonSchema
  readonly required: boolean
}

const textIn = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** The control for one argument. */
export const ArgumentField = ({ form, path, required, schema }: ArgumentFieldProps) => {
  const name = path.at(-1) ?? ""
  const hint = textIn(schema["description"])
  const value = form.valueAt(path)
  const shape = shapeOf(schema, path.length - 1)
  if (isLarge(value) && shape.kind !== "file") {
    return (
      <div className="field">
        <Label name={name} required={required} />
        <p className="hint">Too large for the form. It is sent unchanged. Edit it as JSON.</p>
      </div>
    )
  }
  const common = { form, path, required, hint }
  switch (shape.kind) {
    case "text":
      if (value === undefined || typeof value === "string") return <TextArgument {...common} value={value ?? ""} />
      return <ParsedField {...common} code rows={3} parse={parseJson} print={pretty} />
    case "number":
      return <ParsedField {...common} parse={(text) => parseNumber(text, shape.whole)} print={String} />
    case "choice":
    case "yes-no": {
      const values = shape.kind === "choice" ? shape.values : [true, false]
      return (
        <Field label={<Label name={name} required={required} />} hint={hint}>
          {(control) => (
            <select
              {...control}
              value={value === undefined ? "" : JSON.stringify(value)}
              onChange={({ target }) =>
                form.change(path, target.value === "" ? undefined : (JSON.parse(target.value) as unknown))
              }
            >
              <option value="">not set</option>
              {values.map((choice) => (
                <option key={String(choice)} value={JSON.stringify(choice)}>
                  {String(choice)}
                </option>
              ))}
            </select>
          )}
        </Field>
      )
    }
    case "list":
      if (value === undefined || Array.isArray(value)) {
        return <ListField {...common} item={shape.item} values={(value ?? []) as ReadonlyArray<unknown>} />
      }
      return <ParsedField {...common} code rows={4} parse={parseJson} print={pretty} />
    case "group":
      return (
        <fieldset className={styles["group"]}>
          <legend>
            <Label name={name} required={required} />
          </legend>
          {shape.fields.map((field) => (
            <ArgumentField
              key={field.name}
              form={form}
              path={[...path, field.name]}
              schema={field.schema}
              required={field.required}
            />
          ))}
        </fieldset>
      )
    case "file":
      return <FileField {...common} />
    case "json":
      return (
        <ParsedField
          {...common}
          hint={hint ?? "As JSON"}
          code
          rows={Math.min(14, Math.max(3, (value === undefined ? "" : pretty(value)).split("\n").length))}
          parse={parseJson}
          print={pretty}
        />
      )
  }
}
