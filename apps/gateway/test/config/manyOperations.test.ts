import { manyOperations } from "@tollgate/testing/operation/manyOperations"
import * as Effect from "effect/Effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { type Config, decode } from "../../src/config/Config.ts"
import { read, readUnlessKnown } from "../../src/config/read.ts"
import { folder, removeFolders } from "../program.ts"

afterAll(removeFolders)

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

  it("is decoded once: again only if it, or a file that it names, says something else", async () => {
    const at = folder()
    const path = join(at, "tollgate.jsonc")
    const again = (known: Config) => Effect.runPromise(readUnlessKnown(path, known))
    writeFileSync(path, JSON.stringify({ upstreams, operations: [{ file: "operations.json" }] }))
    writeFileSync(join(at, "operations.json"), JSON.stringify({ schemas, operations }))
    const known = await Effect.runPromise(read(path))
    expect(await again(known)).toBe(known)
    writeFileSync(join(at, "operations.json"), JSON.stringify({ schemas, operations: operations.slice(1) }))
    const fewer = await again(known)
    expect(fewer.operations).toHaveLength(499)
    writeFileSync(path, JSON.stringify({ upstreams, operations: [{ file: "operations.json" }], signupCredit: "4" }))
    expect((await again(fewer)).signupCredit).toBe(4_000_000n)
    writeFileSync(path, "{")
    expect(await Effect.runPromise(Effect.flip(readUnlessKnown(path, fewer)))).toMatchObject({ _tag: "ConfigError" })
  })
})
