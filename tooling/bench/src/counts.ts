import { NodeRuntime } from "@tollgate/server"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { Session } from "node:inspector/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { withBilledCall } from "./billedCall.ts"

// What a billed chat call does, counted by V8: the same on every machine, but for the bytes, which depend on what was optimized
// by then. `--check` fails if a count is over the limits in `counts.json` by more than 3 %, `--write` makes the present ones the
// limits, and `--list` lists what is called in each file.

interface Counts {
  /** Calls of our functions, the functions that are called, and the files they are in. */
  readonly calls: number
  readonly functions: number
  readonly files: number
  /** Calls of Effect's functions. */
  readonly effectCalls: number
  readonly bytes: number
}

/** How often the functions of each file are called: by name, or by line. */
type Listed = Record<string, Record<string, number>>

const root = join(import.meta.dirname, "../../..")
const warmUp = 400
const measured = 5

/** The line of a file in which a function without a name begins. */
const line = (file: string, offset: number): number => readFileSync(file, "utf8").slice(0, offset).split("\n").length

/** What was called since the last time that this was asked. */
const visits = async (session: Session): Promise<Omit<Counts, "bytes"> & { readonly listed: Listed }> => {
  const { result } = await session.post("Profiler.takePreciseCoverage")
  const listed: Listed = {}
  const counts = { calls: 0, functions: 0, files: 0, effectCalls: 0 }
  for (const { functions, url } of result) {
    if (!url.startsWith("file:")) continue
    const file = fileURLToPath(url)
    // What begins with the file is the file itself, which is not always listed.
    const called = functions.filter(({ ranges: [range] }) => range && range.startOffset > 0 && range.count > 0)
    const calls = called.reduce((sum, { ranges: [range] }) => sum + (range?.count ?? 0), 0)
    if (/\/node_modules\/effect\//.test(file)) counts.effectCalls += calls
    else if (called.length > 0 && /^(?:packages|apps)\//.test(file.slice(root.length + 1))) {
      counts.calls += calls
      counts.functions += called.length
      counts.files++
    } else continue
    for (const { functionName, ranges } of called) {
      const [range] = ranges
      if (!range) continue
      const ours = (listed[file.slice(root.length + 1)] ??= {})
      const name = functionName || `(${line(file, range.startOffset)})`
      ours[name] = (ours[name] ?? 0) + range.count
    }
  }
  return { ...counts, listed }
}

/** The least of several calls: some have a checkpoint or a timer in them. */
const least = (all: ReadonlyArray<Counts>): Counts => {
  const of = (name: keyof Counts) => Math.min(...all.map((counts) => counts[name]))
  return {
    calls: of("calls"),
    functions: of("functions"),
    files: of("files"),
    effectCalls: of("effectCalls"),
    bytes: of("bytes")
  }
}

const count = withBilledCall((call) =>
  Effect.gen(function* () {
    const repeat = (times: number) => Effect.repeat(call, { times: times - 1 })
    yield* repeat(warmUp)
    const heap = () => process.memoryUsage().heapUsed
    const grown: Array<number> = []
    for (let i = 0; i < measured; i++) {
      globalThis.gc?.()
      const before = heap()
      yield* repeat(100)
      grown.push(Math.round((heap() - before) / 100))
    }
    const session = new Session()
    session.connect()
    yield* Effect.promise(async () => {
      await session.post("Profiler.enable")
      await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
    })
    const all: Array<Counts> = []
    let listed: Listed = {}
    for (let i = 0; i < measured + 2; i++) {
      yield* Effect.promise(() => visits(session))
      yield* call
      const { listed: now, ...visited } = yield* Effect.promise(() => visits(session))
      if (all.every(({ calls }) => visited.calls < calls)) listed = now
      if (i >= 2) all.push({ ...visited, bytes: Math.min(...grown) })
    }
    session.disconnect()
    console.log(JSON.stringify({ ...least(all), listed }))
  })
)

const file = join(import.meta.dirname, "../counts.json")

const list = (listed: Listed): void => {
  for (const [path, functions] of Object.entries(listed).sort()) {
    const counts = Object.entries(functions)
    console.log(`${counts.reduce((sum, [, count]) => sum + count, 0)} ${path}`)
    for (const [name, count] of counts) console.log(`     ${count} ${name}`)
  }
}

const compare = (): void => {
  // A new space large enough that no garbage is collected while bytes are counted.
  const flags = ["--expose-gc", "--max-semi-space-size=128", "--min-semi-space-size=128"]
  const text = execFileSync(process.execPath, [...flags, import.meta.filename, "--count"], { encoding: "utf8" })
  const { listed, ...now } = JSON.parse(text) as Counts & { readonly listed: Listed }
  if (process.argv.includes("--list")) return list(listed)
  if (process.argv.includes("--write")) writeFileSync(file, `${JSON.stringify(now, null, 2)}\n`)
  const limits = JSON.parse(readFileSync(file, "utf8")) as Counts
  const rows = (Object.keys(limits) as ReadonlyArray<keyof Counts>).map((name) => ({
    count: name,
    limit: limits[name],
    now: now[name],
    ratio: Number((now[name] / limits[name]).toFixed(3))
  }))
  if (!process.argv.includes("--check")) return console.table(rows)
  for (const { count, limit, now: counted, ratio } of rows) {
    if (count === "bytes" || ratio <= 1.03) continue
    console.error(
      `A billed chat call has ${counted} ${count}, more than 3 % over ${limit} (tooling/bench/counts.json).`
    )
    process.exitCode = 1
  }
}

if (process.argv.includes("--count")) NodeRuntime.runMain(count)
else compare()
