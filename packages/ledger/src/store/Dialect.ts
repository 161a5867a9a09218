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

export const sqlite: Dialect = {
  isShared: false,
  mark: () => "?",
  lockRows: "",
  lockFreeRows: "",
  lockName: undefined,
  beginSnapshot: undefined,
  byCountedTag: (table) =>
    `(SELECT c.*, t.key AS tag, CASE t.type WHEN 'array' THEN '' ELSE t.value END AS value_of_tag
      FROM ${table} c, json_each(c.tags) t
      WHERE c.tags IS NOT NULL AND CASE t.type WHEN 'array' THEN json_array_length(t.value) ELSE 1 END = 1
    ) AS tagged`,
  sentTag: (name) => `COALESCE(json_extract(tags, '$."${name}"[0]'), json_extract(tags, '$."${name}"'))`,
  columns:
    'SELECT t.name AS "table", c.name AS "column", c."notnull" AND c.dflt_value IS NULL AND NOT c.pk AS required' +
    " FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'",
  functions: undefined,
  schema: (statement) => statement
}

export const postgres: Dialect = {
  isShared: true,
  mark: (index) => `$${index}`,
  lockRows: " FOR NO KEY UPDATE",
  lockFreeRows: " FOR UPDATE SKIP LOCKED",
  lockName: "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))",
  beginSnapshot: "BEGIN ISOLATION LEVEL REPEATABLE READ",
  byCountedTag: (table) =>
    `(SELECT c.*, t.key AS tag, CASE jsonb_typeof(t.value) WHEN 'array' THEN '' ELSE t.value #>> '{}' END AS value_of_tag
      FROM ${table} c CROSS JOIN LATERAL jsonb_each(c.tags::jsonb) AS t(key, value)
      WHERE c.tags IS NOT NULL AND CASE jsonb_typeof(t.value) WHEN 'array' THEN jsonb_array_length(t.value) ELSE 1 END = 1
    ) AS tagged`,
  sentTag: (name) => `COALESCE(tags::jsonb -> '${name}' ->> 0, tags::jsonb ->> '${name}')`,
  columns: `SELECT c.relname AS "table", a.attname AS "column",
      CASE WHEN a.attnotnull AND NOT a.atthasdef AND a.attidentity = '' THEN 1 ELSE 0 END AS required
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relkind IN ('r', 'p') AND pg_table_is_visible(c.oid)`,
  functions: "SELECT proname AS name, prosrc AS body FROM pg_proc WHERE pg_function_is_visible(oid)",
  // Texts are compared byte by byte, as in SQLite: a collation of the operating system took a fifth of the server's time.
  schema: (statement) =>
    statement
      .replaceAll(/\bTEXT\b/g, `TEXT COLLATE "C"`)
      .replaceAll(/\bBLOB\b/g, "BYTEA")
      .replace(/ WITHOUT ROWID$/, "")
}
