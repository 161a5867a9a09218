import { mkdirSync, writeFileSync } from "node:fs"
import { load, type Measured } from "./load.ts"
import { type Program, program } from "./program.ts"

const rounds = Number(process.env.BENCH_ROUNDS ?? 7)
const seconds = Number(process.env.BENCH_SECONDS ?? 3)
const warmUp = Number(process.env.BENCH_WARM_UP ?? 60_000)
const connections = 32

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

// The machine is noisy: contestants take turns in every round, and each is compared with the bare proxy of its round.
const upstream = await program("upstream")
const address = `http://127.0.0.1:${upstream.port}`
const contestants = [
  { name: "bare node:http + undici", at: await program("bare", address) },
  { name: "tollgate, billing off", at: await program("tollgate", address) },
  { name: "tollgate, billing on", at: await program("tollgate", address, "billing") },
  { name: "tollgate, billing on, ledger in a worker", at: await program("tollgate", address, "billing", "worker") }
]

interface Run extends Measured {
  readonly cpuMicros: number
}

const measure = async (at: Program): Promise<Run> => {
  const before = await at.cpuMicros()
  const measured = await load(at.port, connections, seconds * 1000)
  return { ...measured, cpuMicros: ((await at.cpuMicros()) - before) / measured.answered }
}

const taken = new Map<string, Array<Run>>(contestants.map(({ name }) => [name, []]))
// Until the compiler has settled: more code takes longer to become fast, and a server runs for more than a minute.
for (const { at } of contestants)
  for (let sent = 0; sent < warmUp;) sent += (await load(at.port, connections, 5_000)).answered
for (let round = 0; round < rounds; round++) {
  for (const { at, name } of round % 2 === 0 ? contestants : contestants.toReversed()) {
    taken.get(name)?.push(await measure(at))
  }
}

const bare = taken.get("bare node:http + undici") ?? []
const rows = contestants.map(({ name }) => {
  const runs = taken.get(name) ?? []
  return {
    name,
    perSecond: Math.round(median(runs.map((run) => run.perSecond))),
    ratio: Number(median(runs.map((run, i) => run.perSecond / (bare[i]?.perSecond ?? Number.NaN))).toFixed(3)),
    cpuMicros: Math.round(median(runs.map((run) => run.cpuMicros))),
    p50Millis: Number(median(runs.map((run) => run.p50)).toFixed(2)),
    p99Millis: Number(median(runs.map((run) => run.p99)).toFixed(2)),
    failed: runs.reduce((sum, run) => sum + run.failed, 0)
  }
})

console.log(`rerank, ${connections} connections, medians of ${rounds} rounds of ${seconds} s, zero-latency upstream`)
console.table(rows)
const out = new URL("../out/", import.meta.url)
mkdirSync(out, { recursive: true })
writeFileSync(new URL("rerank.json", out), `${JSON.stringify({ connections, rounds, seconds, rows }, null, 2)}\n`)
for (const { at } of contestants) at.stop()
upstream.stop()
if (rows.some(({ failed }) => failed > 0)) process.exitCode = 1
