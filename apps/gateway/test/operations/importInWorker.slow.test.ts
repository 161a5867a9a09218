import { describe, expect, it } from "@effect/vitest"
import { defaults } from "@tollgate/contract/Names"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { planInWorker } from "../../src/operations/import/inWorker.ts"
import { type ImportJob, planImport } from "../../src/operations/import/job.ts"
import { get, openapi } from "./documents.ts"

const job = (document: string): ImportJob => ({
  document,
  options: { upstream: "pets", prefix: "pets", price: "free", only: [] },
  upstream: { baseUrl: "https://pets.example.com" },
  before: { text: "{}", others: new Map(), around: { names: defaults, bindings: {} } },
  old: undefined
})

const small = JSON.stringify(openapi({ "/pets": get({ operationId: "list" }) }))

describe("an import in a thread of its own", () => {
  it.live("leaves this thread to the calls", () =>
    Effect.gen(function* () {
      let served = false
      const planned = yield* Effect.forkChild(planInWorker(job(small)))
      setImmediate(() => (served = true))
      expect(yield* Fiber.join(planned)).toMatchObject({ kind: "new", count: 1, problems: [] })
      expect(served).toBe(true)
    })
  )

  it.effect("ends after a minute, whatever the document does", () =>
    Effect.gen(function* () {
      const planned = yield* Effect.forkChild(Effect.flip(planInWorker(job(small))))
      yield* TestClock.adjust("60 seconds")
      expect((yield* Fiber.join(planned)).refusal.message).toContain("takes longer than 60 seconds")
    })
  )

  it.live("is refused if it needs too much memory, and this process goes on", () =>
    Effect.gen(function* () {
      const large = `openapi: 3.1.0\npaths: {}\nx-list:\n${"  - [a, b, c, d]\n".repeat(200_000)}`
      const refused = yield* Effect.flip(planInWorker(job(large), { maxOldGenerationSizeMb: 96 }))
      expect(refused.refusal.message).toContain("needs too much memory")
    })
  )
})

describe("an import", () => {
  it("is refused if another upstream has a file of the same name", () => {
    const { file } = Result.getOrThrow(planImport(job(small)))
    const again = { ...job(small), old: file.text }
    expect(Result.getOrThrow(planImport(again))).toMatchObject({ kind: "same", problems: [] })
    const other = { ...again, options: { ...again.options, upstream: "Pets" } }
    expect(planImport(other)).toEqual(
      Result.fail(
        'pets.operations.json has the operations of the upstream "pets". Choose another name for this upstream.'
      )
    )
  })
})
