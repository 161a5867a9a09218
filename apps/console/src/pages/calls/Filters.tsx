import { usageSeries } from "@tollgate/client/account"
import type { UsageGroup, UsageSeries } from "@tollgate/contract/account/UsageSeries"
import { costWords, stateWords } from "@tollgate/contract/callWords"
import { useLoad } from "@tollgate/react"
import * as Effect from "effect/Effect"
import { useEffect, useEffectEvent, useState } from "react"
import type { Options } from "../../ui/form.tsx"
import { Button } from "../../ui/kit.tsx"
import classes from "./calls.module.css"
import { type ChoiceName, type Filter, type FilterName, filterNames, rangeNote } from "./Filter.ts"

const month = 30 * 86_400

/** What was called in the last 30 days can be chosen. */
const loadGroups = Effect.suspend(() => {
  const now = Math.ceil(Date.now() / 1000)
  return usageSeries({ start_time: now - month, end_time: now, width: "1d" })
})

const optionsOf = (groups: ReadonlyArray<UsageGroup> | undefined): Options =>
  (groups ?? []).flatMap(({ id, label }) => (id === "" ? [] : [[id, label === "" ? id : label] as const]))

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
  readonly options: Options
}

/** A tag is chosen on the page of a call, or among the usage by tag. */
const choicesOf = (series: UsageSeries | undefined): ReadonlyArray<Choice> => [
  { name: "key", label: "Key", all: "All keys", options: optionsOf(series?.by_key) },
  { name: "operation", label: "Operation", all: "All operations", options: optionsOf(series?.by_operation) },
  { name: "model", label: "Model", all: "All models", options: optionsOf(series?.by_model) },
  { name: "status", label: "Status", all: "Any status", options: statuses },
  { name: "state", label: "State", all: "Any state", options: wordsOf(stateWords) },
  { name: "cost_state", label: "Charge", all: "Any charge", options: wordsOf(costWords) },
  { name: "tag", label: "Tag", all: "All tags", options: [] }
]

interface FiltersProps {
  readonly filter: Filter
  readonly onChange: (filter: Filter) => void
}

const changed = (filter: Filter, name: FilterName, value: string): Filter => {
  const { [name]: _, ...rest } = filter
  return value === "" ? rest : { ...rest, [name]: value }
}

const typingMillis = 400

/** The text to search for. It is searched when the reader stops typing. */
const Search = ({ filter, onChange }: FiltersProps) => {
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
    <input
      type="search"
      aria-label="Search"
      placeholder="Request id, operation, model, key or error"
      maxLength={200}
      spellCheck={false}
      autoCapitalize="none"
      value={text}
      onChange={({ target }) => setText(target.value)}
    />
  )
}

const days = [
  ["from", "From"],
  ["to", "To"]
] as const

export const Filters = ({ filter, onChange }: FiltersProps) => {
  const { value } = useLoad(loadGroups)
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
              value={filter[name] ?? ""}
              onChange={({ target }) => onChange(changed(filter, name, target.value))}
            />
          </label>
        ))}
        {choicesOf(value).map(({ all, label, name, options }) => {
          const current = filter[name] ?? ""
          // An address may name what the list does not have.
          const known = current === "" || options.some(([id]) => id === current)
          return name === "tag" && current === "" ? null : (
            <select
              key={name}
              aria-label={label}
              data-chosen={current !== ""}
              value={current}
              onChange={({ target }) => onChange(changed(filter, name, target.value))}
            >
              <option value="">{all}</option>
              {known ? null : <option value={current}>{current}</option>}
              {options.map(([id, text]) => (
                <option key={id} value={id}>
                  {text}
                </option>
              ))}
            </select>
          )
        })}
        {chosen === 0 ? null : (
          <Button kind="quiet" onClick={() => onChange({})}>
            Clear {chosen === 1 ? "the filter" : `${chosen} filters`}
          </Button>
        )}
      </div>
      {note === undefined ? null : (
        <p className={`soft small ${classes["note"] ?? ""}`} role="status">
          {note}
        </p>
      )}
    </div>
  )
}
