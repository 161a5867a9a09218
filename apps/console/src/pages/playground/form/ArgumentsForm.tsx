import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import * as Base64 from "effect/encoding/Base64"
import { useMemo, useState } from "react"
import { size } from "../../../ui/amounts.ts"
import { ChoiceField, Field, TextField } from "../../../ui/form.tsx"
import { Button } from "../../../ui/kit.tsx"
import {
  isLarge,
  isObject,
  keyOf,
  largeLength,
  parseArguments,
  parseJson,
  parseNumber,
  pretty,
  problemIn,
  setIn
} from "../json.ts"
import type { Draft } from "../state/Draft.ts"
import styles from "./form.module.css"

type JsonSchema = Readonly<Record<string, unknown>>

const schemaOf = (value: unknown): JsonSchema => (isObject(value) ? value : {})

/** A schema for an argument that the operation does not name, from its value. */
const schemaOfValue = (value: unknown): JsonSchema => {
  const type = typeof value
  return type === "string" || type === "number" || type === "boolean" ? { type } : {}
}

const isCombined = (schema: JsonSchema): boolean =>
  ["anyOf", "oneOf", "allOf", "$ref", "const"].some((keyword) => keyword in schema)

/** What can be chosen, if the schema of JSON Schema 2020-12 lists it. */
const choicesOf = ({ enum: values, type }: JsonSchema): ReadonlyArray<string | number | boolean> | undefined => {
  if (type === "boolean") return [true, false]
  const isChoice = (value: unknown) => typeof value === "string" || typeof value === "number"
  return Array.isArray(values) && values.every(isChoice) ? values : undefined
}

interface ArgumentProps {
  readonly name: string
  readonly schema: JsonSchema
  readonly required: boolean
  readonly models: ReadonlyArray<string>
  readonly draft: Draft
  readonly edit: (change: Partial<Draft>) => void
}

const fileWords = (value: unknown): string | undefined => {
  if (!isObject(value) || typeof value["base64"] !== "string") return undefined
  const name = typeof value["filename"] === "string" ? value["filename"] : "A file"
  return `${name}, ${size(Math.floor((value["base64"].length * 3) / 4))}`
}

/** The bytes of a file in base64, as the arguments have it. */
const readFile = async (file: File) => ({
  base64: Base64.encode(new Uint8Array(await file.arrayBuffer())),
  filename: file.name,
  ...(file.type === "" ? {} : { content_type: file.type })
})

/** The control for one argument. What no control fits is edited as JSON. */
const Argument = ({ draft, edit, models, name, required, schema }: ArgumentProps) => {
  const value = draft.arguments[name]
  const key = keyOf([name])
  const change = (value: unknown, typed?: Draft["texts"][string]) => {
    const { [key]: _, ...texts } = draft.texts
    edit({
      arguments: setIn(draft.arguments, [name], value),
      text: undefined,
      texts: typed === undefined ? texts : { ...texts, [key]: typed }
    })
  }
  const { description, format, type } = schema
  const field = {
    label: (
      <>
        <code className={styles["name"]}>{name}</code>
        {required ? <span className={styles["required"]}>required</span> : null}
      </>
    ),
    hint: typeof description === "string" ? description : undefined
  }
  const choices = isCombined(schema) ? undefined : choicesOf(schema)
  if (type === "object" && format === "binary") {
    return (
      <Field {...field} hint={fileWords(value) ?? field.hint}>
        {(control) => (
          <input
            {...control}
            type="file"
            onChange={({ target: { files } }) =>
              files?.[0] === undefined ? change(undefined) : void readFile(files[0]).then((file) => change(file))
            }
          />
        )}
      </Field>
    )
  }
  if (isLarge(value)) {
    return (
      <div className="field">
        {field.label}
        <p className="hint">Too large for the form. It is sent unchanged. Edit it as JSON.</p>
      </div>
    )
  }
  if (choices !== undefined) {
    return (
      <ChoiceField
        {...field}
        options={[["", "not set"], ...choices.map((choice) => [JSON.stringify(choice), String(choice)] as const)]}
        value={value === undefined ? "" : JSON.stringify(value)}
        onChange={(chosen) => change(chosen === "" ? undefined : (JSON.parse(chosen) as unknown))}
      />
    )
  }
  // It grows with what is typed.
  if (type === "string" && !isCombined(schema) && (value === undefined || typeof value === "string")) {
    return (
      <TextField
        {...field}
        error={required && (value ?? "") === "" ? "Required" : undefined}
        {...(name === "model" && models.length > 0 ? { suggestions: models, spellCheck: false } : { rows: 1 })}
        value={value ?? ""}
        onChange={(text) => change(text === "" ? undefined : text)}
      />
    )
  }
  // A text that is no value stays in the field, with what is wrong with it.
  const kept = draft.texts[key]
  const isNumber = (type === "number" || type === "integer") && !isCombined(schema)
  const text = kept?.text ?? (value === undefined ? "" : pretty(value))
  return (
    <TextField
      {...field}
      hint={field.hint ?? (isNumber ? undefined : "As JSON")}
      error={kept?.problem}
      {...(isNumber
        ? { inputMode: "decimal" }
        : { className: "mono", rows: Math.min(14, Math.max(3, text.split("\n").length)), spellCheck: false })}
      value={text}
      onChange={(typed) => {
        if (typed.trim() === "") return change(undefined)
        const parsed = isNumber ? parseNumber(typed, type === "integer") : parseJson(typed)
        if ("problem" in parsed) change(value, { text: typed, problem: parsed.problem })
        else change(parsed.value, { text: typed, problem: undefined })
      }}
    />
  )
}

export interface ArgumentsFormProps {
  readonly operation: OfferedOperation
  readonly draft: Draft
  readonly edit: (change: Partial<Draft>) => void
}

/** A form from the schema of an operation: what it names first, then what else is set. */
export const ArgumentsForm = ({ draft, edit, operation }: ArgumentsFormProps) => {
  const { input_schema: schema, models } = operation
  const named = useMemo(() => Object.entries(schemaOf(schema["properties"])), [schema])
  const required = Array.isArray(schema["required"]) ? schema["required"] : []
  const isOpen = schema["additionalProperties"] !== false
  const names = new Set(named.map(([name]) => name))
  const others = Object.entries(draft.arguments).filter(([name]) => !names.has(name))
  const common = { draft, edit, models }
  return (
    <>
      {named.map(([name, schema]) => (
        <Argument key={name} {...common} name={name} schema={schemaOf(schema)} required={required.includes(name)} />
      ))}
      {others.map(([name, value]) => (
        <Argument key={name} {...common} name={name} schema={schemaOfValue(value)} required={false} />
      ))}
      {isOpen ? <p className="hint">Add other fields as JSON. Empty ones are not sent.</p> : null}
      {named.length + others.length === 0 && !isOpen ? (
        <p className="soft">This operation takes no arguments.</p>
      ) : null}
    </>
  )
}

/** All arguments as one text. What is not valid stays as it is typed, and the arguments stay as they were. */
export const JsonText = ({ draft, edit }: Pick<ArgumentsFormProps, "draft" | "edit">) => {
  const [showsLarge, setShowsLarge] = useState(false)
  const text = draft.text ?? pretty(draft.arguments)
  const problem = problemIn(text)
  const change = (typed: string): void => {
    const parsed = parseArguments(typed)
    edit("value" in parsed ? { text: typed, arguments: parsed.value, texts: {} } : { text: typed })
  }
  // A browser takes seconds to lay out one line of a megabyte.
  if (text.length > largeLength && !showsLarge) {
    return (
      <div className="field">
        <p>
          The arguments are {size(text.length)} of JSON, too large to show at once. They are kept, and sent as they are.
        </p>
        {problem === undefined ? null : <p className="wrong">{problem.slice(0, 500)}</p>}
        <Button onClick={() => setShowsLarge(true)}>Show them</Button>{" "}
        <Button onClick={() => change("{}")}>Empty them</Button>
      </div>
    )
  }
  return (
    <TextField
      label="Arguments as JSON"
      error={problem?.slice(0, 500)}
      className="mono"
      rows={Math.min(24, Math.max(8, text.split("\n", 30).length + 1))}
      spellCheck={false}
      value={text}
      onChange={change}
    />
  )
}
