import { afterEach, beforeEach, expect, it, vi } from "@effect/vitest"
import type { Client } from "@tollgate/client"
import * as Context from "effect/Context"
import * as Exit from "effect/Exit"
import * as Effect from "effect/Effect"
import { batchMillis, makeCell, type Work, type Writer } from "../src/Cell.ts"
import type { Runner } from "../src/TollgateProvider.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

interface Run {
  readonly writer: Writer<string>
  readonly end: (exit: Exit.Exit<string, string>) => void
  isInterrupted: boolean
}

/** A cell whose work the test ends, and what its listener saw. */
const setUp = () => {
  const runs: Array<Run> = []
  const seen: Array<string> = []
  const cell = makeCell("idle", (state) => `${state} stopped`)
  let writer: Writer<string> | undefined
  const runner: Runner = {
    run: (effect, onExit) => {
      Effect.runFork(Effect.provideContext(effect, Context.empty() as Context.Context<Client>))
      if (writer === undefined) throw new Error("The work was not asked for its effect")
      // The test ends each run with the types of `work`.
      const run: Run = { writer, end: onExit as Run["end"], isInterrupted: false }
      runs.push(run)
      return () => void (run.isInterrupted = true)
    },
    close: () => {}
  }
  const work: Work<string, string, string> = {
    begin: "begun",
    effect: (own) => {
      writer = own
      return Effect.never
    },
    done: (value, state) => `${state} ${value}`,
    failed: (error, state) => `${state} ${typeof error === "string" ? error : error._tag}`
  }
  cell.subscribe(() => seen.push(cell.read()))
  const start = async (): Promise<Run> => {
    cell.start(runner, work)
    await Promise.resolve()
    const run = runs.at(-1)
    if (run === undefined) throw new Error("Nothing runs")
    return run
  }
  return { cell, runner, runs, seen, start, work }
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
  first.end(Exit.succeed("done"))
  expect(cell.read()).toBe("text done")
  const second = await start()
  second.writer.writeSoon(() => "more")
  cell.stop()
  expect(cell.read()).toBe("more stopped")
  expect(second.isInterrupted).toBe(true)
  const count = seen.length
  vi.runAllTimers()
  expect(seen).toHaveLength(count)
})

it("ignores what work that was stopped or replaced still writes", async () => {
  const { cell, start } = setUp()
  const first = await start()
  const second = await start()
  expect([first.isInterrupted, second.isInterrupted]).toEqual([true, false])
  first.writer.write("late")
  first.writer.writeSoon(() => "late")
  first.end(Exit.fail("late"))
  vi.runAllTimers()
  expect(cell.read()).toBe("begun")
  cell.stop()
  second.writer.write("late")
  second.end(Exit.succeed("late"))
  expect(cell.read()).toBe("begun stopped")
})

it("runs nothing that is stopped in the tick in which it was started", async () => {
  const { cell, runner, runs, work } = setUp()
  cell.start(runner, work)
  cell.stop()
  await Promise.resolve()
  expect(runs).toEqual([])
  expect(cell.read()).toBe("begun stopped")
})

it("has errors and defects as values, and is stopped if the client is closed", async () => {
  const { cell, start } = setUp()
  const endings = [
    [Exit.fail("refused"), "begun refused"],
    [Exit.die(new Error("a bug")), "begun Defect"],
    [Exit.interrupt(), "begun stopped"]
  ] as const
  for (const [exit, expected] of endings) {
    const run = await start()
    run.end(exit)
    expect(cell.read()).toBe(expected)
  }
})
