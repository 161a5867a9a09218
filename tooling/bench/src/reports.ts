import { findPostgres, startPostgres } from "@tollgate-tooling/programs/postgres.ts"
import { load, post } from "./load.ts"
import { program } from "./program.ts"
import { path, question } from "./question.ts"

// What a caller notices of callers and of operators who ask for reports of a year again and again, over a store with a million
// calls.
const millis = Number(process.env.BENCH_MILLIS ?? 6_000)
const calls = process.env.BENCH_CALLS ?? "1000000"
const beside = [
  ["callers", "16"],
  ["operators", "8"]
] as const

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
  for (const [who, count] of beside) {
    const alone = await load(gateway.port, 4, millis, request, 20)
    const reporters = await program("reporters", `http://127.0.0.1:${gateway.port}`, who, count)
    const others = await load(gateway.port, 4, millis, request, 20)
    reporters.stop()
    rows.push({
      store,
      beside: `${count} ${who}`,
      "alone, p50 ms": alone.p50.toFixed(2),
      "beside, p50 ms": others.p50.toFixed(2),
      ratio: (others.p50 / alone.p50).toFixed(2),
      "alone, p99 ms": alone.p99.toFixed(1),
      "beside, p99 ms": others.p99.toFixed(1),
      failed: alone.failed + others.failed
    })
  }
  gateway.stop()
}
console.log(`a call alone, and beside others who ask for reports over ${calls} calls`)
console.table(rows)
upstream.stop()
await server?.stop()
