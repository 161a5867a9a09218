import { counters, spans } from "../ledger/sums.ts"
import { text } from "../store/rows.ts"
import { compare, due } from "./Difference.ts"

const zeros = (names: ReadonlyArray<string>): string => names.map((name) => `0 AS ${name}`).join(", ")

const reckoned = [
  "COUNT(*)",
  "SUM(CASE WHEN state = 'settled' THEN 0 ELSE 1 END)",
  ...counters.slice(2).map((name) => `SUM(${name})`)
]

const both = [...counters, ...counters.map(due)]

/** In both directions: a sum without calls is as wrong as calls without a sum. */
const sumsOf = (table: string, owner: string) => {
  const kept = `SELECT ${owner}, span, start, ${counters.join(", ")}, ${zeros(counters.map(due))} FROM ${table}`
  const ended = (span: number): string =>
    `SELECT ${owner}, ${span} AS span, ended_at / ${span} * ${span} AS start, ${zeros(counters)}, ` +
    `${counters.map((name, i) => `${reckoned[i]} AS ${due(name)}`).join(", ")}` +
    ` FROM calls WHERE ended_at IS NOT NULL GROUP BY ${owner}, ended_at / ${span}`
  return compare(
    table,
    counters,
    `SELECT ${owner}, span, start, ${both.map((name) => `SUM(${name}) AS ${name}`).join(", ")}` +
      ` FROM (${[kept, ...spans.map(ended)].join(" UNION ALL ")}) AS sums GROUP BY ${owner}, span, start`,
    (row) => [...owner.split(", "), "span", "start"].map((name) => text(row, name)).join(" ")
  )
}

export const usageSums = sumsOf("usage_sums", "account, key")
export const accountSums = sumsOf("account_sums", "account")
