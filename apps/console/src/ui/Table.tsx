import type { Amount } from "@tollgate/contract/account/Amount"
import { type HTMLAttributes, type ReactNode, useState } from "react"
import { count, usdColumn } from "./amounts.ts"
import { Button, Card, type CardProps, Empty, Loaded, type LoadedProps, OperationId } from "./kit.tsx"

export interface Column<Row> {
  readonly head: string
  /** `name`: what the row is called. `number`: aligned right. `actions`: buttons, whose head only screen readers get. */
  readonly kind?: "name" | "number" | "actions"
  /** An amount, with the decimals of the others in the column. `null`: none. */
  readonly usd?: (row: Row) => Amount | bigint | null
  /** Gets the text of `usd`. Default: that text. */
  readonly cell?: (row: Row, usd: string) => ReactNode
  readonly title?: (row: Row) => string | undefined
  /** Only screen readers get its head, as of `actions`. */
  readonly isPlain?: boolean
  /** Left out where there is little room. */
  readonly extra?: boolean
  readonly className?: string | undefined
}

export interface TableProps<Row> {
  readonly label: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly rows: ReadonlyArray<Row>
  readonly keyOf: (row: Row) => string
  /** In place of a table without rows. A text is its title. */
  readonly empty?: ReactNode
  readonly foot?: ReactNode
  /** Default: on a phone each row is a block, and each cell has its head before it. */
  readonly className?: string | undefined
  /** At first no more rows are shown. Default: all are. */
  readonly first?: number
  readonly rowProps?: (row: Row) => HTMLAttributes<HTMLTableRowElement>
}

const classOf = <Row,>({ className, extra, kind, usd }: Column<Row>): string | undefined =>
  [kind === "number" || usd !== undefined ? "number" : "", extra === true ? "extra" : "", className]
    .filter(Boolean)
    .join(" ") || undefined

interface CellProps<Row> {
  readonly of: Column<Row>
  readonly row: Row
  readonly write: ReturnType<typeof usdColumn> | undefined
}

const Cell = <Row,>({ of, row, write }: CellProps<Row>) => {
  const { cell, head, kind, title, usd } = of
  const amount = usd?.(row)
  const text = amount === undefined || amount === null || write === undefined ? "" : write(amount)
  const content = amount === null ? <span className="soft">None</span> : cell === undefined ? text : cell(row, text)
  if (kind === "name") {
    return (
      <th scope="row" className={["row-name", classOf(of)].filter(Boolean).join(" ")}>
        {content}
      </th>
    )
  }
  return kind === "actions" ? (
    <td className={classOf(of)}>{content ? <div className="row-actions">{content}</div> : null}</td>
  ) : (
    <td data-label={head} className={classOf(of)} title={title?.(row)}>
      {content}
    </td>
  )
}

/** Rows by their columns. It scrolls by keyboard too. */
export const Table = <Row,>(props: TableProps<Row>) => {
  const { className = "stack", columns, empty, first = Infinity, foot, keyOf, label, rowProps } = props
  const [most, setMost] = useState(first)
  const rows = props.rows.slice(0, most)
  if (rows.length === 0 && empty !== undefined) return typeof empty === "string" ? <Empty title={empty} /> : empty
  const written = columns.map(({ usd }) => usd && usdColumn(rows.map(usd)))
  return (
    <>
      <div className="table" tabIndex={0} role="group" aria-label={label}>
        <table className={className}>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column.head} scope="col" className={classOf(column)}>
                  {column.kind === "actions" || column.isPlain === true ? (
                    <span className="quiet">{column.head}</span>
                  ) : (
                    column.head
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={keyOf(row)} {...rowProps?.(row)}>
                {columns.map((column, at) => (
                  <Cell key={column.head} of={column} row={row} write={written[at]} />
                ))}
              </tr>
            ))}
          </tbody>
          {foot}
        </table>
      </div>
      {props.rows.length <= first ? null : (
        <p>
          <span className="soft small" role="status">
            {count(rows.length)} of {count(props.rows.length)}
          </span>
          {props.rows.length <= most ? null : <Button onClick={() => setMost(most + first)}>Show more</Button>}
        </p>
      )}
    </>
  )
}

interface TableCardProps<Row> extends Omit<TableProps<Row>, "label">, Pick<CardProps, "action"> {
  readonly title: string
  readonly above?: ReactNode
  /** What stands below the table. */
  readonly below?: ReactNode
}

/** A card with a table of the same name. */
export const TableCard = <Row,>({ above, action, below, title, ...table }: TableCardProps<Row>) => (
  <Card title={title} flush action={action}>
    {above}
    <Table label={title} {...table} />
    {below}
  </Card>
)

interface ListProps<A, Row> extends Omit<TableCardProps<Row>, "above" | "below" | "rows"> {
  readonly of: LoadedProps<A>["of"]
  readonly rows: (value: A) => ReadonlyArray<Row>
  readonly below?: (value: A) => ReactNode
}

/** The same of what was loaded. */
export const List = <A, Row>({ action, below, of, rows, title, ...table }: ListProps<A, Row>) => (
  <Card title={title} flush action={action}>
    <Loaded of={of}>
      {(value) => (
        <>
          <Table label={title} rows={rows(value)} {...table} />
          {below?.(value)}
        </>
      )}
    </Loaded>
  </Card>
)

interface PagerProps {
  /** What the rows are: `calls`. */
  readonly of: string
  /** Where this page begins. `undefined`: at the newest. */
  readonly before: string | undefined
  readonly next: string | null
  readonly older?: string
  readonly onTurn: (before: string | undefined) => void
}

/** To older rows, and back to the newest. */
export const Pager = ({ before, next, of, older = `Older ${of}`, onTurn }: PagerProps) =>
  before === undefined && next === null ? null : (
    <p className="row">
      {before === undefined ? null : <Button onClick={() => onTurn(undefined)}>Newest {of}</Button>}
      {next === null ? null : <Button onClick={() => onTurn(next)}>{older}</Button>}
    </p>
  )

/** What a row is called, and its id below. */
export const Named = ({ children, id }: { readonly id: string; readonly children: ReactNode }) => (
  <>
    <span>{children}</span>
    <span className="mono soft">{id}</span>
  </>
)

/** What a row of an operation, or of a model of it, is called. */
export const operationColumn = {
  head: "Operation",
  kind: "name",
  cell: ({ model, operation }: { readonly operation: string; readonly model?: string | null }) => (
    <>
      <span className="wrap">
        <OperationId id={operation} />
      </span>
      {model == null ? null : <span className="mono soft">{model}</span>}
    </>
  )
} as const
