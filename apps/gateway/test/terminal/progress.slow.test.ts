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

  it.effect("is one line that is removed at the end", () =>
    Effect.gen(function* () {
      const { provided, written } = terminal()
      expect(yield* provided(withProgress("Copying calls", Effect.succeed("done")))).toBe("done")
      expect(written).toEqual([shown("Copying calls …"), removed])
    })
  )

  it.effect("is removed after a failure and an interruption too", () =>
    Effect.gen(function* () {
      const failed = terminal()
      const error = yield* Effect.flip(failed.provided(withProgress("Checking", Effect.fail("no"))))
      expect([error, failed.written.at(-1)]).toEqual(["no", removed])
      const stopped = terminal()
      const fiber = yield* Effect.forkChild(stopped.provided(withProgress("Checking", Effect.never)))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(fiber)
      expect(stopped.written.at(-1)).toBe(removed)
    })
  )

  it.effect("never fills the last column, and shows names without what commands a terminal", () =>
    Effect.gen(function* () {
      const { provided, written } = terminal(20)
      yield* provided(withProgress("Reading \u001b[2Jdocument.json of somebody", Effect.void))
      expect(written[0]).toBe(shown("Reading  [2Jdocumen"))
    })
  )

  it.runIf(hasTerminal)("is written to a terminal, and not to a pipe", async () => {
    const environment = { TOLLGATE_DATA: idle.data }
    expect(await inTerminal(environment, "audit")).toContain(shown("Recalculating the ledger …"))
    expect(await inPipe(environment, "audit")).not.toContain("Recalculating")
  })
})
