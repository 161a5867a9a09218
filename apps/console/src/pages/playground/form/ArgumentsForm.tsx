import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import { type KeyboardEvent, useMemo, useState } from "react"
import { Button } from "../../../ui/kit.tsx"
import {
  type Arguments,
  getIn,
  keyOf,
  largeLength,
  parseArguments,
  parseJson,
  pretty,
  problemIn,
  setIn
} from "../json.ts"
import type { Draft } from "../state/Draft.ts"
import { ArgumentField } from "./ArgumentField.tsx"
import type { Form } from "./fields.tsx"
import styles from "./form.module.css"
import { fieldsOf, schemaOfValue } from "./shape.ts"
import { TextField } from "../../../ui/form.tsx"
import { size } from "../../../ui/amounts.ts"

interface AddArgumentProps {
  readonly taken: Arguments
  readonly onAdd: (name: string, value: unknown) => void
}

/** A value that is not JSON is a text. */
const valueOf = (text: string): unknown => {
  const parsed = parseJson(text)
  return "value" in parsed ? parsed.value : text
}

/** Adds an argument that the interface leaves open. */
const AddArgument = ({ onAdd, taken }: AddArgumentProps) => {
  const [name, setName] = useState("")
  const [value, setValue] = useState("")
  const isTaken = Object.hasOwn(taken, name)
  const add = () => {
    if (name === "" || isTaken) return
    onAdd(name, valueOf(value))
    setName("")
    setValue("")
  }
  // The whole form around it is submitted by Enter otherwise, which makes the call.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter") return
    event.preventDefault()
    add()
  }
  return (
    <details className={styles["add"]}>
      <summary>Add a field</summary>
      <div className={styles["add-row"]} onKeyDown={onKeyDown}>
        <input
          aria-label="Name of the field"
          placeholder="name"
          className="mono"
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <input
          aria-label="Value of the field, text or JSON"
          placeholder="value or JSON"
          className="mono"
          value={value}
          onChange={({ target }) => setValue(target.value)}
        />
        <Button onClick={add} disabled={name === "" || isTaken}>
          Add
        </Button>
      </div>
      {isTaken ? <p className="wrong">A field with this name exists</p> : null}
    </details>
  )
}

export interface ArgumentsFormProps {
  readonly operation: OfferedOperation
  readonly draft: Draft
  readonly edit: (change: Partial<Draft>) => void
}

/** A form from the schema of an operation: what it names first, then what else is set. */
export const ArgumentsForm = ({ draft, edit, operation }: ArgumentsFormProps) => {
  const named = useMemo(() => fieldsOf(operation.input_schema), [operation])
  const isOpen = operation.input_schema["additionalProperties"] !== false
  const form: Form = {
    id: operation.id,
    models: operation.models,
    valueAt: (path) => getIn(draft.arguments, path),
    textAt: (path) => draft.texts[keyOf(path)],
    change: (path, value, typed) => {
      const { [keyOf(path)]: _, ...texts } = draft.texts
      edit({
        arguments: setIn(draft.arguments, path, value),
        text: undefined,
        texts: typed === undefined ? texts : { ...texts, [keyOf(path)]: typed }
      })
    }
  }
  const names = new Set(named.map(({ name }) => name))
  const others = Object.entries(draft.arguments).filter(([name]) => !names.has(name))
  return (
    <>
      {named.map(({ name, required, schema }) => (
        <ArgumentField key={name} form={form} path={[name]} schema={schema} required={required} />
      ))}
      {others.map(([name, value]) => (
        <div key={name} className={styles["other"]}>
          <ArgumentField form={form} path={[name]} schema={schemaOfValue(value)} required={false} />
          <button
            type="button"
            className={styles["remove"]}
            aria-label={`Remove ${name}`}
            onClick={() => form.change([name], undefined)}
          >
            ×
          </button>
        </div>
      ))}
      {named.length === 0 && others.length === 0 && !isOpen ? (
        <p className="soft">This operation takes no arguments.</p>
      ) : null}
      {isOpen ? <AddArgument taken={draft.arguments} onAdd={(name, value) => form.change([name], value)} /> : null}
    </>
  )
}

export interface JsonTextProps {
  readonly draft: Draft
  readonly edit: (change: Partial<Draft>) => void
}

/** All arguments as one text. What is not valid stays as it is typed, and the arguments stay as they were. */
export const JsonText = ({ draft, edit }: JsonTextProps) => {
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
