import { assert, it } from "@effect/vitest"
import { billing, isFinal, polling, TaskStatus } from "../src/Task.ts"

const states = {
  PENDING: { final: false, billing: "not yet" },
  RUNNING: { final: false, billing: "not yet" },
  SUCCEEDED: { final: true, billing: "full" },
  FAILED: { final: true, billing: "none" },
  CANCELED: { final: true, billing: "evidence" },
  UNKNOWN: { final: false, billing: "none" }
} as const

it("a task has the six states of the specification", () => {
  assert.deepStrictEqual([...TaskStatus.literals].sort(), Object.keys(states).sort())
})

it.each(Object.entries(states))("%s", (status, expected) => {
  const known = TaskStatus.literals.find((literal) => literal === status)
  assert.isDefined(known)
  assert.strictEqual(isFinal(known!), expected.final, "whether polling stops")
  assert.strictEqual(billing[known!], expected.billing, "what is charged")
})

it("a task is polled at most twice a second, for at most five minutes", () => {
  assert.deepStrictEqual(polling, { floorMillis: 500, recommendedMillis: [3_000, 5_000], deadlineMillis: 300_000 })
})
