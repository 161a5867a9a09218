import * as Effect from "effect/Effect"
import { SqlClient } from "effect/sql/SqlClient"

const counters = [
  "requests",
  "failed_requests",
  "input_tokens",
  "output_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "value",
  "charged"
]

const table = `CREATE TABLE usage_deltas (
  account TEXT NOT NULL,
  key TEXT NOT NULL,
  at BIGINT NOT NULL,
  operation TEXT NOT NULL,
  model TEXT NOT NULL,
  tags TEXT,
  ${counters.map((name) => `${name} BIGINT NOT NULL`).join(", ")}
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_cost_delay = 0)`

/** Adds the counts of `rows` to their buckets, in the order of the primary key. */
const addTo = (table: string, id: ReadonlyArray<string>, spans: string, rows: string): string => {
  const bucketOf: Readonly<Record<string, string>> = { span: "s.span", start: "d.start / s.span * s.span" }
  const buckets = id.map((column) => bucketOf[column] ?? `d.${column}`)
  return `
    ${table}_added AS (
      INSERT INTO ${table} (${[...id, ...counters].join(", ")})
      SELECT ${buckets.join(", ")}, ${counters.map((name) => `SUM(d.${name})`).join(", ")}
      FROM ${rows} d CROSS JOIN unnest('{${spans}}'::BIGINT[]) AS s (span)
      GROUP BY ${id.map((_, i) => i + 1).join(", ")} ORDER BY ${id.map((_, i) => i + 1).join(", ")}
      ON CONFLICT (${id.join(", ")}) DO UPDATE SET ${counters
        .map((name) => `${name} = ${table}.${name} + excluded.${name}`)
        .join(", ")}
    )`
}

const hourAndDay = "3600000,86400000"
const all = `60000,${hourAndDay}`

/** Any number: it names the lock among those of the database. */
const lockId = "7405318264191"

// Who reads the totals waits for another that is moving deltas; who only tidies up does not.
const fold = `CREATE FUNCTION fold_usage (most INT, waits BOOLEAN) RETURNS INT LANGUAGE plpgsql SET jit = off AS $$
DECLARE
  moved_rows INT := 0;
BEGIN
  IF NOT EXISTS (SELECT FROM usage_deltas) THEN
    RETURN 0;
  END IF;
  IF waits THEN
    PERFORM pg_advisory_xact_lock(${lockId});
  ELSIF NOT pg_try_advisory_xact_lock(${lockId}) THEN
    RETURN 0;
  END IF;
  WITH moved AS (
    DELETE FROM usage_deltas WHERE ctid = ANY (ARRAY(SELECT ctid FROM usage_deltas LIMIT most)) RETURNING *
  ), by_minute AS MATERIALIZED (
    SELECT account, key, at / 60000 * 60000 AS start, operation, model, tags,
      ${counters.map((name) => `SUM(${name})::BIGINT AS ${name}`).join(", ")}
    FROM moved GROUP BY 1, 2, 3, 4, 5, 6
  ), by_tag AS (
    SELECT d.*, t.key AS tag, CASE jsonb_typeof(t.value) WHEN 'array' THEN '' ELSE t.value #>> '{}' END AS value_of_tag
    FROM by_minute d CROSS JOIN LATERAL jsonb_each(d.tags::jsonb) AS t (key, value)
    WHERE d.tags IS NOT NULL AND CASE jsonb_typeof(t.value) WHEN 'array' THEN jsonb_array_length(t.value) ELSE 1 END = 1
  ),
  ${addTo("usage_sums", ["account", "span", "start", "key"], all, "by_minute")},
  ${addTo("account_sums", ["account", "span", "start"], all, "by_minute")},
  ${addTo("operation_sums", ["account", "key", "span", "start", "operation", "model"], hourAndDay, "by_minute")},
  ${addTo("tag_sums", ["account", "key", "span", "start", "tag", "value_of_tag"], hourAndDay, "by_tag")}
  SELECT COUNT(*) INTO moved_rows FROM moved;
  RETURN moved_rows;
END $$`

/** Texts are compared byte by byte, as in SQLite: a collation of the operating system took a fifth of the server's time. */
const compareBytes = `DO $$
DECLARE
  c RECORD;
BEGIN
  FOR c IN
    SELECT a.attrelid::regclass AS name, a.attname FROM pg_attribute a JOIN pg_class t ON t.oid = a.attrelid
    WHERE t.relnamespace = current_schema()::regnamespace AND t.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
      AND a.atttypid = 'text'::regtype AND a.attcollation = 'default'::regcollation
      -- The migrator is using it.
      AND t.relname <> 'tollgate_migrations'
  LOOP
    EXECUTE format('ALTER TABLE %s ALTER COLUMN %I TYPE TEXT COLLATE "C"', c.name, c.attname);
  END LOOP;
END $$`

/** Room on each page for new versions of its rows. */
const leaveRoom = "ALTER TABLE accounts SET (fillfactor = 50); ALTER TABLE keys SET (fillfactor = 50)"

// What ended calls add to the totals. A commit appends here, so that gateways do not wait for each other's totals, and
// `fold_usage` moves the rows into the totals: each once, because that is one transaction.
export const usageDeltas = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql.onDialectOrElse({
    pg: () => Effect.forEach([table, fold, compareBytes, leaveRoom], (text) => sql.unsafe(text), { discard: true }),
    orElse: () => Effect.void
  })
})
