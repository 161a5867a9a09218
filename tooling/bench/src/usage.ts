import { migrate, Usage, UsageSql } from "@tollgate/gateway"
import { NodeSqliteClient } from "@tollgate/server"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"

// Time of a usage report over few and over many calls.
const { values } = parseArgs({
  options: { few: { type: "string" }, many: { type: "string" }, rounds: { type: "string" } }
})
const sizes = [Number(values.few ?? 10_000), Number(values.many ?? 5_000_000)] as const
const rounds = Number(values.rounds ?? 101)

const day = 86_400_000
const days = 90
const now = Math.floor(Date.now() / day) * day + 13 * 3_600_000 + 17 * 60_000
const from = now - days * day
const keys = 20

/** Inserts calls of one account, spread evenly over days and keys, and the totals that the ledger keeps of them. */
const fill = Effect.fnUntraced(function* (count: number) {
  const sql = yield* SqlClient
  yield* sql.unsafe(
    `INSERT INTO calls (id, account, key, operation, state, reserved, created_at, owner, ended_at, status, value, charged,
       charged_nano, cost_state, evidence, input_tokens)
     WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ${count})
     SELECT printf('req_%012d', i), 'acct', 'key' || (i % ${keys}), 'rerank', 'settled', 20, at, 'o', at, 200, 13, 13, 12500,
       'settled', '{"kind":"tokens","total":250}', 250
     FROM (SELECT i, ${from} + CAST(i * ${(days * day) / count} AS INTEGER) AS at FROM n)`
  )
  for (const span of [60_000, 3_600_000, day]) {
    yield* sql.unsafe(
      `INSERT INTO usage_sums SELECT account, key, ${span}, ended_at / ${span} * ${span}, COUNT(*), 0, SUM(input_tokens), 0, 0, 0,
         SUM(value), SUM(charged) FROM calls GROUP BY account, key, ended_at / ${span}`
    )
    yield* sql.unsafe(
      `INSERT INTO account_sums SELECT account, ${span}, ended_at / ${span} * ${span}, COUNT(*), 0, SUM(input_tokens), 0, 0, 0,
         SUM(value), SUM(charged) FROM calls GROUP BY account, ended_at / ${span}`
    )
  }
})

const reports = [
  { name: "account, 90 days", owner: { account: "acct" }, start: from },
  { name: "key, 90 days", owner: { account: "acct", key: "key3" }, start: from },
  { name: "account, 90 days cut anywhere", owner: { account: "acct" }, start: from + 12_345_000 }
]

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

const once = Effect.fnUntraced(function* (usage: Usage["Service"], { owner, start }: (typeof reports)[number]) {
  const begun = performance.now()
  const report = yield* usage.report(owner, { start_time: start / 1000, end_time: now / 1000 })
  return { millis: performance.now() - begun, requests: report.totals.requests }
})

const folder = mkdtempSync(join(tmpdir(), "tollgate-bench-"))

const main = Effect.gen(function* () {
  const stores = yield* Effect.forEach(sizes, (size) =>
    Effect.gen(function* () {
      const store = NodeSqliteClient.layer({ filename: join(folder, `${size}.db`) })
      const layer = UsageSql.layer.pipe(Layer.provide(Layer.effectDiscard(Effect.andThen(migrate, fill(size)))))
      const context = yield* Layer.build(Layer.provide(layer, store))
      return yield* Effect.provideContext(Usage, context)
    })
  )
  const rows = yield* Effect.forEach(reports, (report) =>
    Effect.gen(function* () {
      const taken: [Array<number>, Array<number>] = [[], []]
      const counted = [0, 0]
      for (let round = 0; round < rounds; round++) {
        for (const i of [0, 1] as const) {
          const { millis, requests } = yield* once(stores[i]!, report)
          taken[i].push(millis)
          counted[i] = requests
        }
      }
      const [few, many] = taken.map(median) as [number, number]
      return {
        report: report.name,
        [`ms at ${sizes[0]}`]: Number(few.toFixed(2)),
        [`ms at ${sizes[1]}`]: Number(many.toFixed(2)),
        ratio: Number((many / few).toFixed(2)),
        counted: counted.join(" / ")
      }
    })
  )
  console.log(`usage report, medians of ${rounds} rounds`)
  console.table(rows)
})

await Effect.runPromise(Effect.scoped(main)).finally(() => rmSync(folder, { recursive: true }))
