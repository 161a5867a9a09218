import { useId } from "react"
import { Button } from "../../../ui/kit.tsx"
import { Field, TextField } from "../../../ui/form.tsx"
import { type Parsed, type Path, base64, isObject, keyOf, parseNumber } from "../json.ts"
import type { Typed } from "../state/Draft.ts"
import styles from "./form.module.css"
import { size } from "../../../ui/amounts.ts"

/** What a field of the form needs to show and change its argument. */
export interface Form {
  readonly id: string
  readonly models: ReadonlyArray<string>
  readonly valueAt: (path: Path) => unknown
  /** What was typed, if the value alone would print differently. */
  readonly textAt: (path: Path) => Typed | undefined
  readonly change: (path: Path, value: unknown, typed?: Typed) => void
}

/** The name of an argument, and whether it must be there. */
export const Label = ({ name, required }: { readonly name: string; readonly required: boolean }) => (
  <>
    <code className={styles["name"]}>{name}</code>
    {required ? <span className={styles["required"]}>required</span> : null}
  </>
)

interface TextArgumentProps {
  readonly form: Form
  readonly path: Path
  readonly required: boolean
  readonly hint: string | undefined
  readonly value: string
}

/** A text. It grows with what is typed; a model is chosen from those that there are, or typed. */
export const TextArgument = ({ form, hint, path, required, value }: TextArgumentProps) => {
  const name = path.at(-1) ?? ""
  return (
    <TextField
      label={<Label name={name} required={required} />}
      hint={hint}
      error={required && value === "" ? "Required" : undefined}
      {...(name === "model" && form.models.length > 0 ? { suggestions: form.models, spellCheck: false } : { rows: 1 })}
      value={value}
      onChange={(text) => form.change(path, text === "" ? undefined : text)}
    />
  )
}

interface ParsedFieldProps {
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
    <TextField
      label={<Label name={path.at(-1) ?? ""} required={required} />}
      hint={hint}
      error={kept?.problem}
      className={code ? "mono" : undefined}
      rows={rows}
      {...(rows === undefined ? { inputMode: "decimal" } : { spellCheck: false })}
      value={text}
      onChange={change}
    />
  )
}

interface ListFieldProps {
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
