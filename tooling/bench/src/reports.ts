import { findPostgres, startPostgres } from "@tollgate-tooling/programs/postgres.ts"
import { load, post } from "./load.ts"
import { program } from "./program.ts"
import { path, question } from "./question.ts"

// What a caller notices of 16 others who ask for a year's usage again and again, over a store with a million calls.
const millis = Number(process.env.BENCH_MILLIS ?? 6_000)
const calls = process.env.BENCH_CALLS ?? "1000000"
const callers = "16"

const upstream = await program("upstream")
const at = `http://127.0.0.1:${upstream.port}`
const binaries = findPostgres()
const server = binaries === undefined ? undefined : await startPostgres(binaries, { fsync: true })
if (server === undefined) console.log("PostgreSQL is not installed.")

process.env.BENCH_FILL = calls
const request = post(path, question)
const rows: Array<Record<string, unknown>> = []
for (const [store, ...address] of [
  ["SQLite"],
  ...(server === undefined ? [] : [["PostgreSQL", `${server.url}/postgres`]])
]) {
  const gateway = await program("tollgate", at, "billing", at, ...address)
  await load(gateway.port, 4, 2_000, request)
  const alone = await load(gateway.port, 4, millis, request, 20)
  const reporters = await program("reporters", `http://127.0.0.1:${gateway.port}`, callers)
  const beside = await load(gateway.port, 4, millis, request, 20)
  reporters.stop()
  rows.push({
    store,
    "alone, p50 ms": alone.p50.toFixed(2),
    "beside, p50 ms": beside.p50.toFixed(2),
    ratio: (beside.p50 / alone.p50).toFixed(2),
    "alone, p99 ms": alone.p99.toFixed(1),
    "beside, p99 ms": beside.p99.toFixed(1),
    failed: alone.failed + beside.failed
  })
  gateway.stop()
}
console.log(`a call alone, and beside ${callers} callers of a year's usage over ${calls} calls`)
console.table(rows)
upstream.stop()
await server?.stop()
