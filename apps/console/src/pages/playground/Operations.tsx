import { Link } from "@tanstack/react-router"
import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import { useMemo, useState } from "react"
import { shortPrice } from "./price.ts"
import styles from "./playground.module.css"

const matches = (operation: OfferedOperation, words: ReadonlyArray<string>): boolean => {
  const text = `${operation.id} ${operation.category} ${operation.summary} ${operation.price}`.toLowerCase()
  return words.every((word) => text.includes(word))
}

/** The operations by category, with their prices. */
export const Operations = ({ operations }: { readonly operations: ReadonlyArray<OfferedOperation> }) => {
  const [filter, setFilter] = useState("")
  const categories = useMemo(() => {
    const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
    return [...Map.groupBy(operations.filter((each) => matches(each, words)), ({ category }) => category)]
  }, [operations, filter])
  return (
    <nav className={styles["operations"]} aria-label="Operations">
      <input
        type="search"
        aria-label="Filter operations"
        placeholder="Filter operations"
        value={filter}
        onChange={({ target }) => setFilter(target.value)}
      />
      <div className={styles["categories"]}>
        {categories.length === 0 ? <p className="soft small">No operation has these words.</p> : null}
        {categories.map(([category, members]) => (
          <section key={category} aria-label={category}>
            <h2>{category}</h2>
            <ul>
              {members.map((each) => (
                <li key={each.id}>
                  <Link to="/playground/$operation" params={{ operation: each.id }} title={each.summary}>
                    <code>{each.id}</code>
                    <small>{shortPrice(each)}</small>
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </nav>
  )
}
