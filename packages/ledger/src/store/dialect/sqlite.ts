import type { Dialect } from "../Dialect.ts"

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
