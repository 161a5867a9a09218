import { manyOperations } from "@tollgate/testing/operation/manyOperations"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { decode } from "../../src/config/Config.ts"

const { operations, schemas } = manyOperations(500)
const names = new Set(operations.map(({ upstream }) => upstream.name))
const upstreams = Object.fromEntries(
  [...names].map((name) => [name, { protocol: "json", baseUrl: "http://127.0.0.1:9", private: true }])
)

describe("a configuration with many operations", () => {
  it("is decoded in turns with what else the thread does", async () => {
    let turns = 0
    const count = () => {
      turns++
      timer = setImmediate(count)
    }
    let timer = setImmediate(count)
    const config = await Effect.runPromise(decode(JSON.stringify({ upstreams, schemas, operations })))
    clearImmediate(timer)
    expect(config.operations).toHaveLength(500)
    expect(turns).toBeGreaterThanOrEqual(49)
  })
})
