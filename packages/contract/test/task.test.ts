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

it("has the six states of the interface", () => {
  assert.deepStrictEqual([...TaskStatus.literals].sort(), Object.keys(states).sort())
})

it.each(Object.entries(states))("%s", (status, expected) => {
  const known = TaskStatus.literals.find((literal) => literal === status)
  assert.isDefined(known)
  assert.strictEqual(isFinal(known!), expected.final, "whether a poller stops")
  assert.strictEqual(billing[known!], expected.billing, "what is charged")
})

it("is polled no faster than twice a second, and for five minutes", () => {
  assert.deepStrictEqual(polling, { floorMillis: 500, recommendedMillis: [3_000, 5_000], deadlineMillis: 300_000 })
})
