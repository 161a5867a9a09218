import { counters, spans } from "../ledger/sums.ts"
import { text } from "../store/rows.ts"
import { compare, due } from "./Difference.ts"

const zeros = (names: ReadonlyArray<string>): string => names.map((name) => `0 AS ${name}`).join(", ")

const reckoned = [
  "COUNT(*)",
  "SUM(CASE WHEN state = 'settled' THEN 0 ELSE 1 END)",
  ...counters.slice(2).map((name) => `SUM(${name})`)
]

const kept = `SELECT account, key, span, start, ${counters.join(", ")}, ${zeros(counters.map(due))} FROM usage_sums`

const ended = (span: number): string =>
  `SELECT account, key, ${span} AS span, ended_at / ${span} * ${span} AS start, ${zeros(counters)}, ` +
  `${counters.map((name, i) => `${reckoned[i]} AS ${due(name)}`).join(", ")}` +
  ` FROM calls WHERE ended_at IS NOT NULL GROUP BY account, key, ended_at / ${span}`

const both = [...counters, ...counters.map(due)]

/** In both directions: a sum without calls is as wrong as calls without a sum. */
export const usageSums = compare(
  "usage_sums",
  counters,
  `SELECT account, key, span, start, ${both.map((name) => `SUM(${name}) AS ${name}`).join(", ")}` +
    ` FROM (${[kept, ...spans.map(ended)].join(" UNION ALL ")}) AS sums GROUP BY account, key, span, start`,
  (row) => ["account", "key", "span", "start"].map((name) => text(row, name)).join(" ")
)
