import { afterEach, beforeEach, expect, it, vi } from "@effect/vitest"
import { batchMillis, makeCell, type Work, type Writer } from "../src/Cell.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

interface Run {
  readonly writer: Writer<string>
  readonly signal: AbortSignal
  readonly done: (value: string) => Promise<void>
  readonly fail: (reason: unknown) => Promise<void>
}

/** A cell whose work the test ends, and what its listener saw. */
const setUp = () => {
  const runs: Array<Run> = []
  const seen: Array<string> = []
  const cell = makeCell("idle", (state) => `${state} stopped`)
  const work: Work<string, string, Error> = {
    begin: "begun",
    run: (writer, signal) =>
      new Promise((resolve, reject) => {
        const told = (end: () => void) => {
          end()
          return new Promise<void>((resolve) => queueMicrotask(() => queueMicrotask(resolve)))
        }
        runs.push({
          writer,
          signal,
          done: (value) => told(() => resolve(value)),
          fail: (why) => told(() => reject(why))
        })
      }),
    done: (value, state) => `${state} ${value}`,
    failed: (error, state) => `${state} ${"_tag" in error ? error._tag : error.message}`
  }
  cell.subscribe(() => seen.push(cell.read()))
  const start = async (): Promise<Run> => {
    cell.start(work)
    await Promise.resolve()
    const run = runs.at(-1)
    if (run === undefined) throw new Error("Nothing runs")
    return run
  }
  return { cell, runs, seen, start, work }
}

it("shows a thousand writes within a batch as one", async () => {
  const { seen, start } = setUp()
  const { writer } = await start()
  let made = 0
  for (let i = 1; i <= 1_000; i++) writer.writeSoon(() => (made++, `${i}`))
  expect(seen).toEqual(["begun"])
  vi.advanceTimersByTime(batchMillis)
  expect(seen).toEqual(["begun", "1000"])
  expect(made).toBe(1)
})

it("shows what waits for a batch when the work ends or is stopped", async () => {
  const { cell, seen, start } = setUp()
  const first = await start()
  first.writer.writeSoon(() => "text")
  await first.done("done")
  expect(cell.read()).toBe("text done")
  const second = await start()
  second.writer.writeSoon(() => "more")
  cell.stop()
  expect(cell.read()).toBe("more stopped")
  expect(second.signal.aborted).toBe(true)
  const count = seen.length
  vi.runAllTimers()
  expect(seen).toHaveLength(count)
})

it("ignores what work that was stopped or replaced still writes", async () => {
  const { cell, start } = setUp()
  const first = await start()
  const second = await start()
  expect([first.signal.aborted, second.signal.aborted]).toEqual([true, false])
  first.writer.write("late")
  first.writer.writeSoon(() => "late")
  await first.fail(new Error("late"))
  vi.runAllTimers()
  expect(cell.read()).toBe("begun")
  cell.stop()
  second.writer.write("late")
  await second.done("late")
  expect(cell.read()).toBe("begun stopped")
})

it("runs nothing that is stopped in the tick in which it was started", async () => {
  const { cell, runs, work } = setUp()
  cell.start(work)
  cell.stop()
  await Promise.resolve()
  expect(runs).toEqual([])
  expect(cell.read()).toBe("begun stopped")
})

it("has errors and defects as values, and is stopped if the client is closed", async () => {
  const { cell, start } = setUp()
  const endings = [
    [Object.assign(new Error("no"), { _tag: "RateLimited" }), "begun RateLimited"],
    [new Error("a bug"), "begun Defect"],
    ["a text", "begun Defect"],
    [Object.assign(new Error("closed"), { name: "AbortError" }), "begun stopped"]
  ] as const
  for (const [reason, expected] of endings) {
    const run = await start()
    await run.fail(reason)
    expect(cell.read()).toBe(expected)
  }
})
