import { useState } from "react"
import { isObject } from "../json.ts"
import styles from "./result.module.css"

const mostChildren = 100
const mostCharacters = 2_000

const isWeb = (text: string): boolean => /^https?:\/\//i.test(text) && text.length <= mostCharacters

const Leaf = ({ value }: { readonly value: unknown }) => {
  if (typeof value !== "string") return <span className={styles["atom"]}>{JSON.stringify(value)}</span>
  const quoted = JSON.stringify(value.slice(0, mostCharacters))
  return (
    <span className={styles["string"]}>
      {isWeb(value) ? (
        <a href={value} target="_blank" rel="noreferrer noopener">
          {quoted}
        </a>
      ) : (
        quoted
      )}
      {value.length > mostCharacters ? <em className="soft"> … {value.length} characters</em> : null}
    </span>
  )
}

const entriesOf = (value: object): ReadonlyArray<readonly [string, unknown]> => Object.entries(value)

const Branch = ({
  depth,
  levels,
  name,
  value
}: {
  readonly name: string
  readonly value: object
  readonly depth: number
  readonly levels: number
}) => {
  const [open, setOpen] = useState(depth < levels)
  const entries = entriesOf(value)
  const summary = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`
  return (
    <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {name === "" ? null : <b>{name}: </b>}
        <span className="soft">{summary}</span>
      </summary>
      {open ? <Children entries={entries} depth={depth + 1} levels={levels} /> : null}
    </details>
  )
}

const Children = ({
  depth,
  entries,
  levels
}: {
  readonly entries: ReadonlyArray<readonly [string, unknown]>
  readonly depth: number
  readonly levels: number
}) => (
  <ul>
    {entries.slice(0, mostChildren).map(([name, value]) => (
      <li key={name}>
        <JsonTree name={name} value={value} depth={depth} levels={levels} />
      </li>
    ))}
    {entries.length > mostChildren ? <li className="soft">… {entries.length - mostChildren} more</li> : null}
  </ul>
)

export interface JsonTreeProps {
  readonly value: unknown
  readonly name?: string
  readonly depth?: number
  /** How many levels are open at first. */
  readonly levels?: number
}

/** A value of JSON. What is long or deep is cut or closed, so that a huge answer stays cheap to show. */
export const JsonTree = ({ depth = 0, levels = 2, name = "", value }: JsonTreeProps) =>
  Array.isArray(value) || isObject(value) ? (
    <Branch name={name} value={value} depth={depth} levels={levels} />
  ) : (
    <>
      {name === "" ? null : <b>{name}: </b>}
      <Leaf value={value} />
    </>
  )
