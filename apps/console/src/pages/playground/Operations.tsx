import { Link, useNavigate } from "@tanstack/react-router"
import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import { type KeyboardEvent, type MouseEvent, useEffect, useMemo, useRef, useState } from "react"
import { shortPrice } from "./price.ts"
import { focusNextForm } from "./state/useFocusedForm.ts"
import styles from "./playground.module.css"

const matches = (operation: OfferedOperation, words: ReadonlyArray<string>): boolean => {
  const text = `${operation.id} ${operation.category} ${operation.summary} ${operation.price}`.toLowerCase()
  return words.every((word) => text.includes(word))
}

/** What most people come for is first. An operator's own categories follow. */
const order = ["models", "rerank", "video", "social", "finance", "web traffic"]
const last = ["account", "contracts"]
const placeOf = (category: string): number => {
  if (last.includes(category)) return order.length + 1 + last.indexOf(category)
  return order.includes(category) ? order.indexOf(category) : order.length
}

/** It outlives the page, which is made anew for the first operation that is chosen. */
let keptFilter = ""

/** A click without a pointer: Enter on a link. */
const noticeKeyboard = ({ detail }: MouseEvent): void => {
  if (detail === 0) focusNextForm()
}

export interface OperationsProps {
  readonly operations: ReadonlyArray<OfferedOperation>
  readonly chosen: string | undefined
}

/** The operations by category, with their prices. */
export const Operations = ({ chosen, operations }: OperationsProps) => {
  const list = useRef<HTMLDivElement>(null)
  const search = useRef<HTMLInputElement>(null)
  const [filter, setFilterNow] = useState(keptFilter)
  const setFilter = (text: string): void => {
    keptFilter = text
    setFilterNow(text)
  }
  const navigate = useNavigate()
  const categories = useMemo(() => {
    const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
    const found = Map.groupBy(
      operations.filter((each) => matches(each, words)),
      ({ category }) => category
    )
    return [...found].toSorted(([one], [other]) => placeOf(one) - placeOf(other))
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
          <div key={category}>
            <h2>{category}</h2>
            <ul>
              {members.map((each) => (
                <li key={each.id}>
                  <Link
                    to="/playground/$operation"
                    params={{ operation: each.id }}
                    title={each.summary}
                    onClick={noticeKeyboard}
                  >
                    <code>{each.id}</code>
                    <small>{shortPrice(each)}</small>
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </nav>
  )
}
