import type * as Rows from "../store/rows.ts"

// `RecordedTags` in SQL.

/** The rows of a table joined with the tags that they are counted under, as `tag` and `value_of_tag`. */
export const byCountedTag = ({ isPostgres }: Pick<Rows.Rows, "isPostgres">, table: "calls" | "usage_deltas"): string =>
  isPostgres
    ? `(SELECT c.*, t.key AS tag, CASE jsonb_typeof(t.value) WHEN 'array' THEN '' ELSE t.value #>> '{}' END AS value_of_tag
        FROM ${table} c CROSS JOIN LATERAL jsonb_each(c.tags::jsonb) AS t(key, value)
        WHERE c.tags IS NOT NULL AND CASE jsonb_typeof(t.value) WHEN 'array' THEN jsonb_array_length(t.value) ELSE 1 END = 1
      ) AS tagged`
    : `(SELECT c.*, t.key AS tag, CASE t.type WHEN 'array' THEN '' ELSE t.value END AS value_of_tag
        FROM ${table} c, json_each(c.tags) t
        WHERE c.tags IS NOT NULL AND CASE t.type WHEN 'array' THEN json_array_length(t.value) ELSE 1 END = 1
      ) AS tagged`

/** The value of a tag that a call was sent with, or NULL. The name has no quotes: `isTagName`. */
export const sentValue = ({ isPostgres }: Pick<Rows.Rows, "isPostgres">, name: string): string =>
  isPostgres
    ? `COALESCE(tags::jsonb -> '${name}' ->> 0, tags::jsonb ->> '${name}')`
    : `COALESCE(json_extract(tags, '$."${name}"[0]'), json_extract(tags, '$."${name}"'))`
