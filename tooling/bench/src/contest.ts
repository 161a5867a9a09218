import { mkdirSync, writeFileSync } from "node:fs"
import { load, type Measured } from "./load.ts"
import type { Program } from "./program.ts"

export interface Contestant {
  readonly name: string
  readonly at: Program
  readonly request: Buffer
}

export interface Scale {
  readonly rounds: number
  readonly seconds: number
  /** Requests, and the most seconds for them. */
  readonly warmUp: number
  readonly warmUpSeconds: number
  /** Whether the slowest calls at half of the load are measured too. */
  readonly halfLoad: boolean
}

const usual: Scale = {
  rounds: Number(process.env.BENCH_ROUNDS ?? 7),
  seconds: Number(process.env.BENCH_SECONDS ?? 3),
  warmUp: Number(process.env.BENCH_WARM_UP ?? 60_000),
  warmUpSeconds: 60,
  halfLoad: true
}
const connections = 32

export const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

interface Run extends Measured {
  readonly cpuMicros: number
}

export interface Row {
  readonly name: string
  /** Throughput and processor time per call, against the first contestant. */
  readonly ratio: number
  readonly cpuRatio: number
}

const measure = async ({ at, request }: Contestant, seconds: number): Promise<Run> => {
  const before = await at.cpuMicros()
  const measured = await load(at.port, connections, seconds * 1000, request)
  return { ...measured, cpuMicros: ((await at.cpuMicros()) - before) / measured.answered }
}

/**
 * Measures contestants in interleaved rounds, because the machine is noisy, and compares each with the first one of its
 * round. All are warmed up first: more code takes longer to be optimized.
 */
export const contest = async (
  title: string,
  file: string,
  contestants: ReadonlyArray<Contestant>,
  { halfLoad: isHalfLoad, rounds, seconds, warmUp, warmUpSeconds }: Scale = usual
): Promise<ReadonlyArray<Row>> => {
  const taken = new Map<Contestant, Array<Run>>(contestants.map((contestant) => [contestant, []]))
  for (const { at, request } of contestants) {
    const latest = performance.now() + warmUpSeconds * 1_000
    for (let sent = 0; sent < warmUp && performance.now() < latest;) {
      sent += (await load(at.port, connections, Math.min(5_000, warmUpSeconds * 500), request)).answered
    }
  }
  for (let round = 0; round < rounds; round++) {
    for (const contestant of round % 2 === 0 ? contestants : contestants.toReversed()) {
      taken.get(contestant)?.push(await measure(contestant, seconds))
    }
  }
  const first = taken.get(contestants[0]!) ?? []
  // Half of the first one's throughput, the same for all.
  const everyMillis = (connections * 1000) / (median(first.map((run) => run.perSecond)) / 2)
  const halfLoad = new Map<Contestant, Array<number>>(contestants.map((contestant) => [contestant, []]))
  for (let round = 0; isHalfLoad && round < rounds; round++) {
    for (const contestant of contestants) {
      const { at, request } = contestant
      halfLoad.get(contestant)?.push((await load(at.port, connections, seconds * 1000, request, everyMillis)).p99)
    }
  }
  const rows = contestants.map((contestant) => {
    const runs = taken.get(contestant) ?? []
    return {
      name: contestant.name,
      perSecond: Math.round(median(runs.map((run) => run.perSecond))),
      ratio: Number(median(runs.map((run, i) => run.perSecond / (first[i]?.perSecond ?? Number.NaN))).toFixed(3)),
      cpuRatio: Number(median(runs.map((run, i) => run.cpuMicros / (first[i]?.cpuMicros ?? Number.NaN))).toFixed(3)),
      cpuMicros: Math.round(median(runs.map((run) => run.cpuMicros))),
      p50Millis: Number(median(runs.map((run) => run.p50)).toFixed(2)),
      p99Millis: Number(median(runs.map((run) => run.p99)).toFixed(2)),
      ...(isHalfLoad ? { p99HalfLoad: Number(median(halfLoad.get(contestant) ?? []).toFixed(2)) } : {}),
      failed: runs.reduce((sum, run) => sum + run.failed, 0)
    }
  })
  console.log(
    `${title}, ${connections} connections, medians of ${rounds} rounds of ${seconds} s, zero-latency upstream`
  )
  console.table(rows)
  const out = new URL("../out/", import.meta.url)
  mkdirSync(out, { recursive: true })
  writeFileSync(new URL(file, out), `${JSON.stringify({ connections, rounds, seconds, rows }, null, 2)}\n`)
  for (const { at } of contestants) at.stop()
  if (rows.some(({ failed }) => failed > 0)) process.exitCode = 1
  return rows
}
