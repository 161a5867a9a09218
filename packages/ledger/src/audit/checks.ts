import type { Period } from "../ledger/Balance.ts"
import * as Effect from "effect/Effect"
import { type Row, text } from "../store/rows.ts"
import { all, type Check, compare, unexpected, due } from "../ledger/Difference.ts"
import * as CostTotals from "../ledger/CostTotals.ts"
import { counters, operationSpans, spans } from "../ledger/UsageTotals.ts"

/**
 * Whether a call counts among the failed requests: it ended unknown, or was answered with 4xx or 5xx. A refused one counts nowhere.
 * A settled or released call may also have failed by what its answer says, which only its own row tells.
 */
const failed =
  "CASE WHEN state = 'refused' THEN 0 WHEN state = 'unknown' OR status >= 400 THEN 1" +
  " WHEN state IN ('settled', 'released') AND failed <> 0 THEN 1 ELSE 0 END"

const id = (row: Row): string => text(row, "id")

const most = "(charged_nano + loss_nano + 500) / 1000"
// The metered nano-USD may themselves be rounded up to half a micro-USD, while the charge was rounded down.
const least = "(charged_nano + loss_nano + 499) / 1000"

const upToCap = (price: string): string => `CASE WHEN cap < ${price} THEN cap ELSE ${price} END`
const beyondCap = (price: string): string => `CASE WHEN cap < ${price} THEN ${price} - cap ELSE 0 END`

const within = (column: string, part: (price: string) => string): string =>
  `CASE WHEN ${column} > ${part(most)} THEN ${part(most)} WHEN ${column} < ${part(least)} THEN ${part(least)}` +
  ` ELSE ${column} END`

const charges = compare(
  "calls",
  ["charged", "loss", "loss_nano"],
  `SELECT id, charged, loss, loss_nano, ${within("charged", upToCap)} AS due_charged, ${within("loss", beyondCap)} AS due_loss,
    CASE WHEN loss = 0 OR cap IS NULL THEN 0 ELSE charged_nano + loss_nano - cap * 1000 END AS due_loss_nano
  FROM calls WHERE state = 'settled'`,
  id
)

const freeOfCharge = compare(
  "calls",
  ["charged", "charged_nano", "value", "loss", "loss_nano"],
  `SELECT id, charged, charged_nano, value, loss, loss_nano,
    0 AS due_charged, 0 AS due_charged_nano, 0 AS due_value, 0 AS due_loss, 0 AS due_loss_nano
  FROM calls WHERE state <> 'settled'`,
  id
)

const failures = compare("calls", ["failed"], `SELECT id, failed, ${failed} AS due_failed FROM calls`, id)

const unended = ["open", "running"]
const ended = ["unknown", "settled", "released", "refused", "replayed"]

const wrong = (column: string, where: string, expected: string | null): Check =>
  unexpected("calls", column, expected, `SELECT id, ${column} AS stored FROM calls WHERE ${where}`)

/** Each call by itself: only a settled call has a charge, which is the rounded price, and at most its cap. */
const calls = all([
  charges,
  freeOfCharge,
  failures,
  wrong("state", `state NOT IN (${[...unended, ...ended].map((state) => `'${state}'`).join(", ")})`, "a known state"),
  wrong("ended_at", "state IN ('open', 'running') AND ended_at IS NOT NULL", null),
  wrong("ended_at", "state NOT IN ('open', 'running') AND ended_at IS NULL", "a time"),
  wrong("account", "account NOT IN (SELECT id FROM accounts)", "an account"),
  wrong("cost_nano", "cost_nano < 0", "zero or more"),
  wrong("cost_nano", "cost_nano IS NOT NULL AND state <> 'settled'", null),
  // An OAuth token has an empty key.
  wrong(
    "key",
    "key <> '' AND NOT EXISTS (SELECT 1 FROM keys WHERE keys.id = calls.key AND keys.account = calls.account)",
    "a key of the account"
  )
])

/** Balance: entries less charges. Reserved: the reservations of calls that have not ended. Topped up: payments less reversals. */
const accounts = compare(
  "accounts",
  ["balance", "reserved", "topped_up"],
  `SELECT a.id, a.balance, a.reserved, a.topped_up,
    COALESCE(e.amount, 0) - COALESCE(c.charged, 0) AS due_balance,
    COALESCE(c.reserved, 0) AS due_reserved,
    COALESCE(e.topped_up, 0) AS due_topped_up
  FROM accounts a
  LEFT JOIN (
    SELECT account, SUM(amount) AS amount, SUM(CASE WHEN kind IN ('topup', 'reversal') THEN amount ELSE 0 END) AS topped_up
    FROM entries GROUP BY account
  ) e ON e.account = a.id
  LEFT JOIN (
    SELECT account,
      SUM(CASE WHEN state = 'settled' THEN charged ELSE 0 END) AS charged,
      SUM(CASE WHEN state IN ('open', 'running') THEN reserved ELSE 0 END) AS reserved
    FROM calls GROUP BY account
  ) c ON c.account = a.id`,
  (row) => text(row, "id")
)

const spentSince = (period: Period): string =>
  `SUM(CASE WHEN COALESCE(calls.quota_at, calls.ended_at) >= p.${period}_from THEN calls.charged ELSE 0 END) AS ${period}_spent`

/**
 * Spend in total, spend in the current day and month and reserved amounts, of each key with its rotations. A charge counts in
 * the periods that were in force when it was recorded.
 */
const keys = compare(
  "keys",
  ["spent", "reserved", "day_spent", "month_spent"],
  `SELECT k.id, k.spent, k.reserved, k.day_spent, k.month_spent,
    COALESCE(c.charged, 0) AS due_spent,
    COALESCE(c.reserved, 0) AS due_reserved,
    COALESCE(c.day_spent, 0) AS due_day_spent,
    COALESCE(c.month_spent, 0) AS due_month_spent
  FROM keys k
  LEFT JOIN (
    SELECT p.id AS root_key,
      SUM(calls.charged) AS charged,
      SUM(CASE WHEN calls.state IN ('open', 'running') THEN calls.reserved ELSE 0 END) AS reserved,
      ${spentSince("day")}, ${spentSince("month")}
    FROM calls
    JOIN keys own ON own.id = calls.key
    JOIN keys p ON p.id = COALESCE(own.root_key, own.id)
    GROUP BY p.id
  ) c ON c.root_key = k.id`,
  (row) => text(row, "id")
)

/** A refund names a call of its account, and is no more than what that was charged. The store has no two for one call. */
const refunds = unexpected(
  "entries",
  "amount",
  "at most the charge of a call of the account",
  `SELECT e.id, e.amount AS stored FROM entries e LEFT JOIN calls c ON c.id = e.call AND c.account = e.account
  WHERE (e.kind = 'refund' OR e.call IS NOT NULL)
    AND (c.id IS NULL OR e.kind <> 'refund' OR e.amount <= 0 OR e.amount > c.charged)`
)

/** Each claim names a call, and no two claims name the same one. */
const idempotency = unexpected(
  "idempotency",
  "call",
  "a call of its own",
  `SELECT i.id, i.call AS stored FROM idempotency i LEFT JOIN calls c ON c.id = i.call
  WHERE c.id IS NULL OR EXISTS (SELECT 1 FROM idempotency o WHERE o.call = i.call AND o.id < i.id)`
)

/** A call is `running` exactly as long as its task is. */
const tasks = all([
  unexpected(
    "calls",
    "state",
    "a task that has not ended",
    "SELECT id, state AS stored FROM calls c WHERE state = 'running'" +
      " AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.call = c.id AND t.ended_at IS NULL)"
  ),
  unexpected(
    "tasks",
    "call",
    "a call that has not ended",
    "SELECT t.id, t.call AS stored FROM tasks t LEFT JOIN calls c ON c.id = t.call" +
      " WHERE t.ended_at IS NULL AND (c.id IS NULL OR c.ended_at IS NOT NULL)"
  )
])

const zeros = (names: ReadonlyArray<string>): string => names.map((name) => `0 AS ${name}`).join(", ")

const ifSettled = (name: string): string => `SUM(CASE WHEN state = 'settled' THEN ${name} ELSE 0 END)`
const recomputed = ["COUNT(*)", `SUM(${failed})`, ...counters.slice(2).map(ifSettled)]

/** Compares totals in both directions: one without calls is as wrong as calls without one. `parts` have what is stored and what is due. */
const compareSums = (
  table: string,
  ids: ReadonlyArray<string>,
  counters: ReadonlyArray<string>,
  parts: ReadonlyArray<string>
): Check => {
  const sums = [...counters, ...counters.map(due)].map((name) => `SUM(${name}) AS ${name}`)
  return compare(
    table,
    counters,
    `SELECT ${[...ids, ...sums].join(", ")} FROM (${parts.join(" UNION ALL ")}) AS sums GROUP BY ${ids.join(", ")}`,
    (row) => ids.map((name) => text(row, name)).join(" ")
  )
}

const totalsIn = (
  table: string,
  owner: string,
  spans: ReadonlyArray<number>,
  /** The columns of `owner` as they follow from a call. */
  fromCalls = owner.split(", "),
  /** Where the calls are, and in a shared store the deltas that are not in the totals yet. */
  { calls = "calls", deltas = "usage_deltas" } = {}
): Check => {
  const ofCalls = owner.split(", ").map((name, i) => `${fromCalls[i]} AS ${name}`)
  const stored = `SELECT ${owner}, span, start, ${counters.join(", ")}, ${zeros(counters.map(due))} FROM ${table}`
  const ended = (span: number): string =>
    `SELECT ${ofCalls.join(", ")}, ${span} AS span, ended_at / ${span} * ${span} AS start, ${zeros(counters)}, ` +
    `${counters.map((name, i) => `${recomputed[i]} AS ${due(name)}`).join(", ")}` +
    ` FROM ${calls} WHERE ended_at IS NOT NULL AND state <> 'refused' GROUP BY ${fromCalls.join(", ")}, ended_at / ${span}`
  const added = (span: number): string =>
    `SELECT ${owner}, ${span} AS span, at / ${span} * ${span} AS start, ${counters.join(", ")}, ` +
    `${zeros(counters.map(due))} FROM ${deltas}`
  return (rows) => {
    const parts = [stored, ...(rows.dialect.isShared ? spans.map(added) : []), ...spans.map(ended)]
    return compareSums(table, [...owner.split(", "), "span", "start"], counters, parts)(rows)
  }
}

const keyTotals = totalsIn("usage_sums", "account, key", spans)
const accountTotals = totalsIn("account_sums", "account", spans)
const operationTotals = totalsIn("operation_sums", "account, key, operation, model", operationSpans, [
  "account",
  "key",
  "operation",
  "COALESCE(model, '')"
])
const tagTotals: Check = (rows) =>
  totalsIn("tag_sums", "account, key, tag, value_of_tag", operationSpans, undefined, {
    calls: rows.dialect.byCountedTag("calls"),
    deltas: rows.dialect.byCountedTag("usage_deltas")
  })(rows)

const costTotals: Check = (rows) => {
  const { bucket, counters, day, table } = CostTotals
  const ids = bucket.join(", ")
  const start = (at: string) => `${at} / ${day} * ${day} AS start`
  const stored = `SELECT ${ids}, ${counters.join(", ")}, ${zeros(counters.map(due))} FROM ${table}`
  const added =
    `SELECT ${start("at")}, account, operation, model, upstream, 1 AS requests, charged, cost_nano,` +
    ` ${zeros(counters.map(due))} FROM usage_deltas WHERE cost_nano IS NOT NULL`
  const ofCalls =
    `SELECT ${start("ended_at")}, account, operation, COALESCE(model, '') AS model, COALESCE(upstream, '') AS upstream,` +
    ` ${zeros(counters)}, 1 AS ${due("requests")}, charged AS ${due("charged")}, cost_nano AS ${due("cost_nano")}` +
    " FROM calls WHERE cost_nano IS NOT NULL"
  return compareSums(table, bucket, counters, [stored, ...(rows.dialect.isShared ? [added] : []), ofCalls])(rows)
}

/** SQLite also keeps a text or a fraction where whole numbers belong. */
const numbers: Check = Effect.fnUntraced(function* ({ dialect, query, run }) {
  if (dialect.isShared) return []
  const tables = yield* query`SELECT m.name, GROUP_CONCAT(c.name) FILTER (WHERE c.type = 'BIGINT') AS numbers,
    COALESCE(GROUP_CONCAT(c.name, ' || '' '' || ') FILTER (WHERE c.pk > 0), 'rowid') AS id
    FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' GROUP BY m.name HAVING numbers IS NOT NULL`
  const found = yield* Effect.forEach(tables, (of) => {
    const [table, numbers] = [text(of, "name"), text(of, "numbers").split(",")]
    const isOther = numbers.map((column) => `typeof(${column}) NOT IN ('integer', 'null')`).join(" OR ")
    return Effect.map(run(`SELECT *, ${text(of, "id")} AS "row id" FROM ${table} WHERE ${isOther}`, []), (rows) =>
      rows.flatMap((row) => {
        const others = numbers.filter((column) => row[column] !== null && typeof row[column] !== "bigint")
        const expected = "a whole number"
        return others.map((column) => ({ table, column, id: text(row, "row id"), stored: text(row, column), expected }))
      })
    )
  })
  return found.flat()
})

/** In the order in which they report. */
export const checks: ReadonlyArray<Check> = [
  numbers,
  accounts,
  refunds,
  keys,
  calls,
  tasks,
  keyTotals,
  accountTotals,
  operationTotals,
  tagTotals,
  costTotals,
  idempotency
]
