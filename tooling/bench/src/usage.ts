import { migrate, Usage, UsageSql } from "@tollgate/gateway"
import { NodeSqliteClient } from "@tollgate/server"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { day, fill } from "./fill.ts"

// Time of a usage report over few and over many calls.
const { values } = parseArgs({
  options: { few: { type: "string" }, many: { type: "string" }, rounds: { type: "string" } }
})
const sizes = [Number(values.few ?? 10_000), Number(values.many ?? 5_000_000)] as const
const rounds = Number(values.rounds ?? 101)

const days = 90
const now = Math.floor(Date.now() / day) * day + 13 * 3_600_000 + 17 * 60_000
const from = now - days * day

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
      const layer = UsageSql.layer.pipe(
        Layer.provide(
          Layer.effectDiscard(Effect.andThen(migrate, fill({ account: "acct", key: "key3", count: size, from, days })))
        )
      )
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
