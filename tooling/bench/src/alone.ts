import { load, type Measured } from "./load.ts"
import { median } from "./middle.ts"
import type { Program } from "./program.ts"

export interface Scale {
  /** How many processes of each are measured: a process keeps the speed that its optimizer happened to give it. */
  readonly processes: number
  /** Measurements of one process, and how long each takes. */
  readonly rounds: number
  readonly seconds: number
  /** Requests, and the most seconds for them. */
  readonly warmUp: number
  readonly warmUpSeconds: number
}

export interface Run extends Measured {
  /** Processor time of a call. */
  readonly cpuMicros: number
  /** The same in the quickest round: what disturbs a machine only makes rounds slower. */
  readonly quickest: number
}

/**
 * Starts a program, warms it up, measures it and ends it, so that no other one runs or idles beside it. The figures are the
 * medians of its rounds, except for the quickest one.
 */
export const alone = async (
  start: () => Promise<Program>,
  request: Buffer,
  connections: number,
  { rounds, seconds, warmUp, warmUpSeconds }: Omit<Scale, "processes">
): Promise<Run> => {
  const at = await start()
  const latest = performance.now() + warmUpSeconds * 1_000
  for (let sent = 0; sent < warmUp && performance.now() < latest;) {
    sent += (await load(at.port, connections, Math.min(2_000, warmUpSeconds * 500), request)).answered
  }
  const runs: Array<Run> = []
  for (let round = 0; round < rounds; round++) {
    const before = await at.cpuMicros()
    const measured = await load(at.port, connections, seconds * 1_000, request)
    const cpuMicros = ((await at.cpuMicros()) - before) / measured.answered
    runs.push({ ...measured, cpuMicros, quickest: cpuMicros })
  }
  at.stop()
  const of = (read: (run: Run) => number): number => median(runs.map(read))
  return {
    answered: of(({ answered }) => answered),
    perSecond: of(({ perSecond }) => perSecond),
    p50: of(({ p50 }) => p50),
    p99: of(({ p99 }) => p99),
    failed: runs.reduce((sum, { failed }) => sum + failed, 0),
    cpuMicros: of(({ cpuMicros }) => cpuMicros),
    quickest: Math.min(...runs.map(({ quickest }) => quickest))
  }
}
