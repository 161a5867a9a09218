import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import * as TestClock from "effect/testing/TestClock"
import type { Snapshot } from "../../../src/endpoints/metrics/Family.ts"
import { render } from "../../../src/endpoints/metrics/MetricsEndpoints.ts"
import { storeFamilies } from "../../../src/endpoints/metrics/Metrics.ts"

const isUp = (snapshot: Snapshot) => render(snapshot).includes("\ntollgate_store_up 1\n")

const rows = (text: string) =>
  text.includes("FROM accounts")
    ? [{ accounts: 2n, amount: 2n ** 60n }]
    : [
        { state: "open", calls: 3n, reserved: 30n },
        { state: "running", calls: 0n, reserved: 0n }
      ]

it.effect("what the store knows is asked at most once in five seconds", () =>
  Effect.gen(function* () {
    let queries = 0
    const read = yield* storeFamilies({ run: (text) => Effect.sync(() => (queries++, rows(text))) })
    for (let i = 0; i < 10; i++) expect(isUp(yield* read)).toBe(true)
    expect(queries).toBe(2)
    yield* TestClock.adjust("5 seconds")
    const text = render(yield* read)
    expect(queries).toBe(4)
    expect(text).toContain('tollgate_calls_suspended{state="open"} 3\n')
    expect(text).toContain('tollgate_reserved_micro_usd{state="open"} 30\n')
    expect(text).toContain('tollgate_calls_suspended{state="running"} 0\n')
    expect(text).toContain("tollgate_overdrawn_accounts 2\n")
    expect(text).toContain(`tollgate_overdraft_micro_usd ${2n ** 60n}\n`)
  })
)

it.effect("a store that fails, or does not answer in two seconds, is down; its last values are not shown", () =>
  Effect.gen(function* () {
    let state: "up" | "failing" | "silent" = "up"
    const failed = new SqlError({ reason: new ConnectionError({ cause: "gone", message: "gone" }) })
    const read = yield* storeFamilies({
      run: (text) =>
        Effect.suspend(() =>
          state === "up" ? Effect.succeed(rows(text)) : state === "failing" ? Effect.fail(failed) : Effect.never
        )
    })
    expect(isUp(yield* read)).toBe(true)
    for (const next of ["failing", "silent"] as const) {
      state = next
      yield* TestClock.adjust("6 seconds")
      const reading = yield* Effect.forkChild(read)
      yield* TestClock.adjust("2 seconds")
      const text = render(yield* Fiber.join(reading))
      expect(text).toContain("tollgate_store_up 0\n")
      expect(text).not.toContain("tollgate_calls_suspended")
    }
    state = "up"
    yield* TestClock.adjust("6 seconds")
    expect(isUp(yield* read)).toBe(true)
  })
)
