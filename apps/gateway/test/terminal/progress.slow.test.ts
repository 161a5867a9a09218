import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { ProgressTerminal, withProgress } from "../../src/terminal/progress.ts"
import { idleStore } from "../commands/setup.ts"
import { hasTerminal, inPipe, inTerminal } from "./inTerminal.ts"

const removed = "\r\u001b[K"
const shown = (text: string) => `\r${text}\u001b[K`

/** A terminal of some columns, and what was written to it. */
const terminal = (columns = 80) => {
  const written: Array<string> = []
  const provided = Effect.provideService(ProgressTerminal, {
    columns: () => columns,
    write: (text) => void written.push(text)
  })
  return { provided, written }
}

describe("progress", () => {
  const idle = idleStore()

  it.effect("is one line that changes with the work, counts seconds, and is removed at the end", () =>
    Effect.gen(function* () {
      const { provided, written } = terminal()
      const work = withProgress("Copying calls", (say) =>
        Effect.sleep("1 second").pipe(
          Effect.andThen(Effect.sync(() => say("Copying calls, 1,000 of 2,000 rows"))),
          Effect.andThen(Effect.sleep("2 seconds")),
          Effect.as("done")
        )
      )
      const fiber = yield* Effect.forkChild(provided(work))
      yield* TestClock.adjust("10 millis")
      expect(written).toEqual([shown("Copying calls …")])
      yield* TestClock.adjust("2490 millis")
      expect(written.at(-1)).toBe(shown("Copying calls, 1,000 of 2,000 rows … 2 s"))
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(fiber)).toBe("done")
      expect(written.at(-1)).toBe(removed)
      const count = written.length
      yield* TestClock.adjust("5 seconds")
      expect(written.length).toBe(count)
    })
  )

  it.effect("is removed after a failure and an interruption too", () =>
    Effect.gen(function* () {
      const failed = terminal()
      const error = yield* Effect.flip(failed.provided(withProgress("Checking", () => Effect.fail("no"))))
      expect([error, failed.written.at(-1)]).toEqual(["no", removed])
      const stopped = terminal()
      const fiber = yield* Effect.forkChild(stopped.provided(withProgress("Checking", () => Effect.never)))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(fiber)
      expect(stopped.written.at(-1)).toBe(removed)
    })
  )

  it.effect("never fills the last column, and shows names without what commands a terminal", () =>
    Effect.gen(function* () {
      const { provided, written } = terminal(20)
      yield* provided(withProgress("Reading \u001b[2Jdocument.json of somebody", () => Effect.void))
      expect(written[0]).toBe(shown("Reading  [2Jdocumen"))
    })
  )

  it.runIf(hasTerminal)("is written to a terminal, and not to a pipe", async () => {
    const environment = { TOLLGATE_DATA: idle.data }
    expect(await inTerminal(environment, "audit")).toContain(shown("Recalculating the ledger …"))
    expect(await inPipe(environment, "audit")).not.toContain("Recalculating")
  })
})
