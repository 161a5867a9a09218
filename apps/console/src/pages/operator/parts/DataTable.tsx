import type { ReactNode } from "react"
import styles from "../operator.module.css"

export interface DataTableProps {
  readonly label: string
  /** A heading with `number` is aligned right. The column of buttons is called `Actions`, which only screen readers get. */
  readonly columns: ReadonlyArray<string | { readonly number: string }>
  /** The rows. */
  readonly children: ReactNode
}

const Heading = ({ of }: { readonly of: DataTableProps["columns"][number] }) => {
  if (of === "Actions") {
    return (
      <th scope="col">
        <span className="quiet">{of}</span>
      </th>
    )
  }
  return typeof of === "string" ? (
    <th scope="col">{of}</th>
  ) : (
    <th scope="col" className="number">
      {of.number}
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
            <Heading key={typeof column === "string" ? column : column.number} of={column} />
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
)
