import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { table as data } from "../src/data/table.ts"
import { table as video } from "../src/video/serve.ts"
import { call } from "./dataAsk.ts"
import { garbage, hostile } from "./dataWire.ts"

const routes = Object.entries({ ...data, ...video })

describe("malformed input", () => {
  it.effect("never causes an unexpected status or a defect", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...routes),
          garbage,
          garbage,
          fc.string({ maxLength: 40 }),
          async ([route, handler], query, body, word) => {
            const parameters = { id: word, task_id: word, file: word }
            const headers = { authorization: word.replace(/[^ -~]/g, ""), range: "bytes=9-", host: "a b" }
            const method = route.startsWith("GET") ? "GET" : "POST"
            const asked = { query, parameters, headers, ...(method === "POST" ? { body } : {}) }
            const { status } = await Effect.runPromise(call(handler, method, asked))
            expect([200, 302, 400, 401, 403, 404, 416, 500]).toContain(status)
            if (status === 500) expect(route).toBe("GET /apis/v1/services/aigc/tasks")
          }
        ),
        { numRuns: 400 }
      )
    )
  )

  it.effect("a malformed query is a 400", () =>
    Effect.gen(function* () {
      for (const [route, handler] of Object.entries(data)) {
        if (route.startsWith("POST") || route.endsWith("/cache/{id}")) continue
        for (const query of hostile.slice(0, 9)) {
          expect(yield* call(handler, "GET", { query }), route).toMatchObject({ status: 400, billed: {} })
        }
      }
    })
  )
})
