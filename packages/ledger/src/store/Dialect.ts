/** What differs between the databases. */
export interface Dialect {
  /** Whether several gateways may use one store. If so, it has no journal, and usage is added up from deltas. */
  readonly isShared: boolean
  /** The parameter of a statement at a position, from 1. */
  readonly mark: (index: number) => string
  /** Ends a SELECT: locks its rows until the transaction ends. Foreign keys may still refer to them. */
  readonly lockRows: string
  /** Ends a SELECT: locks its rows, without those that others have locked. */
  readonly lockFreeRows: string
  /** A statement with the lock's name, which is held until the transaction ends. Undefined if nobody else writes meanwhile. */
  readonly lockName: string | undefined
  /** Begins a transaction that reads one snapshot. Undefined if every transaction does. */
  readonly beginSnapshot: string | undefined
  /** The rows of a table joined with the tags that they are counted under, as `tag` and `value_of_tag`: see `RecordedTags`. */
  readonly byCountedTag: (table: "calls" | "usage_deltas") => string
  /** The value of a tag that a call was sent with, or NULL. The name has no quotes: `isTagName`. */
  readonly sentTag: (name: string) => string
  /** Lists `table` and `column` of the store, and whether an INSERT has to fill the column: `required`, 0 or 1. */
  readonly columns: string
  /** Lists `name` and `body` of the store's functions. Undefined if it has none. */
  readonly functions: string | undefined
  /** A statement of the schema, which is written for SQLite. */
  readonly schema: (statement: string) => string
}
