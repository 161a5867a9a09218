import type { Dialect } from "../Dialect.ts"

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
