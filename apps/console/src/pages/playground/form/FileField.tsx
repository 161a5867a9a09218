import { size } from "../../../ui/amounts.ts"
import { Field } from "../../../ui/form.tsx"
import { base64 } from "../base64.ts"
import { isObject, type Path } from "../json.ts"
import { type Form, Label } from "./fields.tsx"

interface FileFieldProps {
  readonly form: Form
  readonly path: Path
  readonly required: boolean
  readonly hint: string | undefined
}

/** What is chosen, in words. */
const chosenOf = (value: unknown): string | undefined => {
  if (!isObject(value) || typeof value["base64"] !== "string") return undefined
  const name = typeof value["filename"] === "string" ? value["filename"] : "A file"
  return `${name}, ${size(Math.floor((value["base64"].length * 3) / 4))}`
}

/** A file of this computer. The arguments have its bytes in base64. */
export const FileField = ({ form, hint, path, required }: FileFieldProps) => {
  const choose = async (file: File | undefined) => {
    if (file === undefined) return form.change(path, undefined)
    const bytes = new Uint8Array(await file.arrayBuffer())
    form.change(path, {
      base64: base64(bytes),
      filename: file.name,
      ...(file.type === "" ? {} : { content_type: file.type })
    })
  }
  const chosen = chosenOf(form.valueAt(path))
  return (
    <Field label={<Label name={path.at(-1) ?? ""} required={required} />} hint={chosen ?? hint}>
      {(control) => <input {...control} type="file" onChange={({ target }) => void choose(target.files?.[0])} />}
    </Field>
  )
}
