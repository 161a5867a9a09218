import { costWords, stateWords } from "@tollgate/contract/callWords"
import { useEffect, useEffectEvent, useState } from "react"
import { type Options, SearchField, Select } from "../../ui/form.tsx"
import { Button } from "../../ui/kit.tsx"
import classes from "./calls.module.css"
import { type Filter, rangeNote } from "./Filter.ts"
import { type ChoiceName, type FilterName, filterNames } from "./filterNames.ts"

const wordsOf = (words: Readonly<Record<string, { readonly label: string }>>): Options =>
  Object.entries(words).map(([id, { label }]) => [id, label])

const statuses: Options = [
  ["2xx", "2xx, succeeded"],
  ["4xx", "4xx, refused"],
  ["5xx", "5xx, failed"]
]

interface Choice {
  readonly name: ChoiceName
  readonly label: string
  readonly all: string
  readonly options: Options | undefined
}

/** What can be chosen besides what every log has. */
export type Choices = Readonly<Partial<Record<ChoiceName, Options>>>

/** A choice without options is shown once an address has made it. A tag is chosen on the page of a call, or among the usage by tag. */
const choicesOf = ({ account, key, model, operation }: Choices): ReadonlyArray<Choice> => [
  { name: "account", label: "Account", all: "All accounts", options: account },
  { name: "key", label: "Key", all: "All keys", options: key },
  { name: "operation", label: "Operation", all: "All operations", options: operation },
  { name: "model", label: "Model", all: "All models", options: model },
  { name: "status", label: "Status", all: "Any status", options: statuses },
  { name: "failed", label: "Outcome", all: "Any outcome", options: [["true", "Failed"]] },
  { name: "state", label: "State", all: "Any state", options: wordsOf(stateWords) },
  { name: "cost_state", label: "Charge", all: "Any charge", options: wordsOf(costWords) },
  { name: "tag", label: "Tag", all: "All tags", options: undefined }
]

interface SearchProps {
  readonly filter: Filter
  readonly onChange: (filter: Filter) => void
}

interface FiltersProps extends SearchProps {
  readonly choices: Choices
}

const changed = (filter: Filter, name: FilterName, value: string): Filter => {
  const { [name]: _, ...rest } = filter
  return value === "" ? rest : { ...rest, [name]: value }
}

const typingMillis = 400

/** The text to search for. It is searched when the reader stops typing. */
const Search = ({ filter, onChange }: SearchProps) => {
  const asked = filter.q ?? ""
  const [text, setText] = useState(asked)
  const [from, setFrom] = useState(asked)
  // Another address, or cleared filters.
  if (from !== asked) {
    setFrom(asked)
    setText(asked)
  }
  const search = useEffectEvent(() => {
    if (text.trim() !== asked) onChange(changed(filter, "q", text.trim()))
  })
  useEffect(() => {
    const timer = setTimeout(search, typingMillis)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <SearchField
      label="Search"
      placeholder="Request id, operation, model, key or error"
      value={text}
      onChange={setText}
    />
  )
}

const days = [
  ["from", "From"],
  ["to", "To"]
] as const

export const Filters = ({ choices, filter, onChange }: FiltersProps) => {
  const note = rangeNote(filter, Date.now())
  const chosen = filterNames.filter((name) => filter[name] !== undefined).length
  return (
    <div className={classes["filters"]} role="group" aria-label="Filters">
      <Search filter={filter} onChange={onChange} />
      <div className={classes["choices"]}>
        {days.map(([name, label]) => (
          <label key={name} className={classes["day"]} data-chosen={filter[name] !== undefined}>
            {label}
            <input
              type="date"
              value={filter[name]?.slice(0, 10) ?? ""}
              onChange={({ target }) => onChange(changed(filter, name, target.value))}
            />
          </label>
        ))}
        {choicesOf(choices).map(({ all, label, name, options }) => {
          const current = filter[name] ?? ""
          // An address may name what the list does not have.
          const known = current === "" || (options ?? []).some(([id]) => id === current)
          return options === undefined && current === "" ? null : (
            <Select
              key={name}
              label={label}
              isChosen={current !== ""}
              options={[["", all], ...(known ? [] : [[current, current] as const]), ...(options ?? [])]}
              value={current}
              onChange={(chosen) => onChange(changed(filter, name, chosen))}
            />
          )
        })}
      </div>
      {chosen === 0 ? null : (
        <Button kind="quiet" onClick={() => onChange({})}>
          Clear {chosen === 1 ? "the filter" : `${chosen} filters`}
        </Button>
      )}
      {note === undefined ? null : (
        <p className={`soft small ${classes["note"] ?? ""}`} role="status">
          {note}
        </p>
      )}
    </div>
  )
}
