import * as CostTotals from "../../ledger/CostTotals.ts"
import { counters } from "../../ledger/UsageTotals.ts"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import type { Scope } from "effect/Scope"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as Rows from "../../store/rows.ts"
import { addOnConflict } from "../../store/statements.ts"
import * as WriteFailure from "../WriteFailure.ts"

// The function that moves deltas of usage into the totals: each once, because that is one transaction.

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
      ${addOnConflict(table, id, counters)}
    )`
}

const costsAdded = `
    costs_added AS (
      INSERT INTO ${CostTotals.table} (${[...CostTotals.bucket, ...CostTotals.counters].join(", ")})
      SELECT at / ${CostTotals.day} * ${CostTotals.day}, account, operation, model, upstream, COUNT(*), SUM(charged), SUM(cost_nano)
      FROM moved WHERE cost_nano IS NOT NULL GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
      ${CostTotals.conflict}
    )`

const hourAndDay = "3600000,86400000"
const all = `60000,${hourAndDay}`

/** Any number: it names the lock among those of the database. */
const lockId = "7405318264191"

// Who reads the totals waits for another that is moving deltas; who only tidies up does not.
export const foldUsageFunction = `CREATE FUNCTION fold_usage (most INT, waits BOOLEAN) RETURNS INT LANGUAGE plpgsql SET jit = off AS $$
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
  ${addTo("tag_sums", ["account", "key", "span", "start", "tag", "value_of_tag"], hourAndDay, "by_tag")},
  ${costsAdded}
  SELECT COUNT(*) INTO moved_rows FROM moved;
  RETURN moved_rows;
END $$`

/** How many deltas one transaction moves at most. */
const batch = 20_000

const intervalMillis = 1_000

const moveAll = (rows: Rows.Rows, waits: boolean): Effect.Effect<void, SqlError> =>
  Effect.flatMap(rows.run(`SELECT fold_usage(${batch}, ${waits}) AS moved`, []), ([row]) =>
    row !== undefined && Rows.number(row, "moved") === batch ? moveAll(rows, waits) : Effect.void
  )

/** Moves all committed deltas into the usage totals. To be run before totals are read, outside of a transaction. */
export const foldUsage = (rows: Rows.Rows): Effect.Effect<void, SqlError> =>
  rows.dialect.isShared ? moveAll(rows, true) : Effect.void

/** Folds in the background, a second after the first commit that may have added deltas. Call the result after each. */
export const schedule = Effect.fnUntraced(function* (sql: SqlClient): Effect.fn.Return<() => void, never, Scope> {
  const rows = Rows.make(sql)
  const isDue = yield* Latch.make(false)
  yield* isDue.await.pipe(
    Effect.andThen(Effect.sleep(intervalMillis)),
    Effect.andThen(isDue.close),
    Effect.andThen(Effect.retry(Effect.tapError(moveAll(rows, false), WriteFailure.log), WriteFailure.retry)),
    Effect.forever,
    Effect.forkScoped
  )
  return () => void isDue.openUnsafe()
})
