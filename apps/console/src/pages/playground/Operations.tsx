import { Link, useNavigate } from "@tanstack/react-router"
import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import { type KeyboardEvent, type MouseEvent, useEffect, useMemo, useRef, useState } from "react"
import { OperationId } from "../../ui/kit.tsx"
import styles from "./playground.module.css"

const matches = (operation: OfferedOperation, words: ReadonlyArray<string>): boolean => {
  const { category, id, path, price, summary } = operation
  const text = `${id} ${category} ${summary} ${path} ${price}`.toLowerCase()
  return words.every((word) => text.includes(word))
}

/** With more operations than these, categories open one by one, and a filter shows as many at most. */
const most = 100

/** What most people come for is first. An operator's own categories follow. */
const order = ["models", "rerank", "video", "social", "finance", "web traffic"]
const last = ["account", "contracts"]
const placeOf = (category: string): number => {
  if (last.includes(category)) return order.length + 1 + last.indexOf(category)
  return order.includes(category) ? order.indexOf(category) : order.length
}

/** A click without a pointer: Enter on a link. */
const noticeKeyboard = ({ detail }: MouseEvent): void => {
  if (detail === 0) focusNextForm()
}

interface CategoryProps {
  readonly name: string
  readonly members: ReadonlyArray<OfferedOperation>
  /** Whether it shows its operations without being asked. */
  readonly opens: boolean
}

/** A category. Its operations are made when it is opened. */
const Category = ({ members, name, opens }: CategoryProps) => {
  const [isOpen, setOpen] = useState(opens)
  useEffect(() => setOpen(opens), [opens])
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {name} <small>{members.length}</small>
      </summary>
      {isOpen ? (
        <ul>
          {members.map((each) => (
            <li key={each.id}>
              <Link
                to="/playground/$operation"
                params={{ operation: each.id }}
                title={each.summary}
                onClick={noticeKeyboard}
              >
                <code>
                  <OperationId id={each.id} />
                </code>
                <small>{shortPrice(each)}</small>
              </Link>
            </li>
          ))}
        </ul>
      ) : null}
    </details>
  )
}

export interface OperationsProps {
  readonly operations: ReadonlyArray<OfferedOperation>
  readonly chosen: string | undefined
}

export const Operations = ({ chosen, operations }: OperationsProps) => {
  const list = useRef<HTMLDivElement>(null)
  const search = useRef<HTMLInputElement>(null)
  const [filter, setFilter] = useState("")
  const navigate = useNavigate()
  const isFiltered = filter.trim() !== ""
  const { categories, left } = useMemo(() => {
    const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
    const found = operations
      .filter((each) => matches(each, words))
      .toSorted((one, other) => placeOf(one.category) - placeOf(other.category))
    const shown = words.length === 0 ? found : found.slice(0, most)
    return {
      categories: [...Map.groupBy(shown, ({ category }) => category)],
      left: found.length - shown.length
    }
  }, [operations, filter])
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const links = [...(list.current?.querySelectorAll("a") ?? [])]
    const at = links.findIndex((link) => link === document.activeElement)
    const isFilter = event.target === search.current
    if (event.key === "Enter" && isFilter) {
      const first = categories[0]?.[1][0]
      if (first === undefined || filter.trim() === "") return
      focusNextForm()
      void navigate({ to: "/playground/$operation", params: { operation: first.id } })
    } else if (event.key === "ArrowDown") links[isFilter ? 0 : Math.min(at + 1, links.length - 1)]?.focus()
    else if (event.key === "ArrowUp" && !isFilter) (links[at - 1] ?? search.current)?.focus()
    else return
    event.preventDefault()
  }
  useEffect(() => {
    list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" })
  }, [chosen])
  return (
    <nav className={styles["operations"]} aria-label="Operations" onKeyDown={onKeyDown}>
      <input
        ref={search}
        type="search"
        aria-label="Filter operations"
        placeholder="Filter operations"
        value={filter}
        onChange={({ target }) => setFilter(target.value)}
      />
      <div className={styles["categories"]} ref={list}>
        {categories.length === 0 ? <p className="soft small">No operation has these words.</p> : null}
        {categories.map(([category, members]) => (
          <Category
            key={category}
            name={category}
            members={members}
            opens={operations.length <= most || isFiltered || members.some(({ id }) => id === chosen)}
          />
        ))}
        {left === 0 ? null : (
          <p className="soft small">{left} more have these words. Type another to narrow it down.</p>
        )}
      </div>
    </nav>
  )
}

/** The price without what it is estimated and read by, for a narrow list. */
export const shortPrice = ({ is_free, price }: OfferedOperation): string =>
  is_free ? "free" : (price.split(/; |, (?!\$)| in [a-z_]+\./)[0] ?? price)

/** Set by a choice that was made with the keyboard, until the form of the chosen operation is there. */
let isAsked = false

/** The form that comes next gets the focus. */
export const focusNextForm = (): void => {
  isAsked = true
}

/** The first control of the form. A conversation begins with its message. */
const focusForm = (): void => {
  const all = [...document.querySelectorAll<HTMLElement>("#call :is(textarea, input, select)")]
  const first = all.find((control) => control.getAttribute("aria-label") === "Message") ?? all[0]
  first?.focus()
}

/** Past the list of operations, which is long. */
export const SkipToForm = () => (
  <a
    className="skip"
    href="#call"
    onClick={(event) => {
      event.preventDefault()
      focusForm()
    }}
  >
    Go to the call
  </a>
)

/** Takes the focus to the form if the keyboard chose it. */
export const useFocusedForm = (): void =>
  useEffect(() => {
    if (isAsked) focusForm()
    isAsked = false
  }, [])
