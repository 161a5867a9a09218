import { mkdirSync, writeFileSync } from "node:fs"
import { alone, type Run, type Scale } from "./alone.ts"
import { median, middle } from "./middle.ts"
import type { Program } from "./program.ts"

export interface Contestant {
  readonly name: string
  /** Starts it in a new process. */
  readonly start: () => Promise<Program>
  readonly request: Buffer
}

const usual: Scale = {
  processes: Number(process.env.BENCH_PROCESSES ?? 5),
  rounds: Number(process.env.BENCH_ROUNDS ?? 5),
  seconds: Number(process.env.BENCH_SECONDS ?? 1),
  warmUp: Number(process.env.BENCH_WARM_UP ?? 20_000),
  warmUpSeconds: 20
}
const connections = 32

export interface Row {
  readonly name: string
  /** Throughput and processor time per call, against the first contestant. */
  readonly ratio: number
  readonly cpuRatio: number
}

const rounded = (value: number, digits = 3): number => Number(value.toFixed(digits))

/** Measures each contestant alone, and compares it with the first one of its turn. The order alternates. */
export const contest = async (
  title: string,
  file: string,
  contestants: ReadonlyArray<Contestant>,
  scale: Scale = usual
): Promise<ReadonlyArray<Row>> => {
  const taken = new Map<Contestant, Array<Run>>(contestants.map((contestant) => [contestant, []]))
  for (let turn = 0; turn < scale.processes; turn++) {
    for (const contestant of turn % 2 === 0 ? contestants : contestants.toReversed()) {
      taken.get(contestant)?.push(await alone(contestant.start, contestant.request, connections, scale))
    }
  }
  const first = taken.get(contestants[0]!) ?? []
  const rows = contestants.map((contestant) => {
    const runs = taken.get(contestant) ?? []
    const ratio = middle(runs.map((run, i) => run.perSecond / (first[i]?.perSecond ?? Number.NaN)))
    const cpuRatio = middle(runs.map((run, i) => run.cpuMicros / (first[i]?.cpuMicros ?? Number.NaN)))
    return {
      name: contestant.name,
      perSecond: Math.round(median(runs.map((run) => run.perSecond))),
      ratio: rounded(ratio.median),
      "from to": `${rounded(ratio.least)} ${rounded(ratio.most)}`,
      cpuRatio: rounded(cpuRatio.median),
      "cpu from to": `${rounded(cpuRatio.least)} ${rounded(cpuRatio.most)}`,
      cpuMicros: Math.round(median(runs.map((run) => run.cpuMicros))),
      p50Millis: rounded(median(runs.map((run) => run.p50)), 2),
      p99Millis: rounded(median(runs.map((run) => run.p99)), 2),
      failed: runs.reduce((sum, run) => sum + run.failed, 0)
    }
  })
  const { processes, rounds, seconds } = scale
  console.log(
    `${title}, ${connections} connections, ${processes} processes each, alone, in alternating order, ${rounds} rounds of ` +
      `${seconds} s in each, zero-latency upstream; medians, and the lowest and highest ratio`
  )
  console.table(rows)
  const out = new URL("../out/", import.meta.url)
  mkdirSync(out, { recursive: true })
  writeFileSync(new URL(file, out), `${JSON.stringify({ connections, ...scale, rows }, null, 2)}\n`)
  if (rows.some(({ failed }) => failed > 0)) process.exitCode = 1
  return rows
}
