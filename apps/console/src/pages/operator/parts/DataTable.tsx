import type { ReactNode } from "react"
import styles from "../operator.module.css"

/** Numbers are aligned right. What is extra is left out where there is little room, as its cells with `styles.extra` are. */
type Column = string | { readonly number: string; readonly isExtra?: true } | { readonly extra: string }

export interface DataTableProps {
  readonly label: string
  /** The column of buttons is called `Actions`, which only screen readers get. */
  readonly columns: ReadonlyArray<Column>
  /** The rows. */
  readonly children: ReactNode
}

const nameOf = (column: Column): string =>
  typeof column === "string" ? column : "extra" in column ? column.extra : column.number

const Heading = ({ of }: { readonly of: Column }) => {
  if (of === "Actions") {
    return (
      <th scope="col">
        <span className="quiet">{of}</span>
      </th>
    )
  }
  const isNumber = typeof of !== "string" && "number" in of
  const isExtra = typeof of !== "string" && ("extra" in of || of.isExtra === true)
  return (
    <th scope="col" className={`${isNumber ? "number" : ""} ${isExtra ? styles.extra : ""}`}>
      {nameOf(of)}
    </th>
  )
}

/** A table that scrolls by keyboard too. On a phone each row is a block, and a cell shows its `data-label`. */
export const DataTable = ({ children, columns, label }: DataTableProps) => (
  <div className="table" tabIndex={0} role="group" aria-label={label}>
    <table className={styles.stack}>
      <thead>
        <tr>
          {columns.map((column) => (
            <Heading key={nameOf(column)} of={column} />
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
)
