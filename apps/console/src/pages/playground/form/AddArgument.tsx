import { type KeyboardEvent, useState } from "react"
import { Button } from "../../../ui/Button.tsx"
import type { Arguments } from "../client/inputOf.ts"
import { parseJson } from "../state/json.ts"
import styles from "./form.module.css"

export interface AddArgumentProps {
  readonly taken: Arguments
  readonly onAdd: (name: string, value: unknown) => void
}

/** A value that is not JSON is a text. */
const valueOf = (text: string): unknown => {
  const parsed = parseJson(text)
  return "value" in parsed ? parsed.value : text
}

/** Adds an argument that the interface leaves open. */
export const AddArgument = ({ onAdd, taken }: AddArgumentProps) => {
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
      {isTaken ? <p className="wrong">There is a field of this name</p> : null}
    </details>
  )
}
