import { execFileSync } from "node:child_process"
import { expect, it } from "vitest"
import { nodeOptions } from "../../src/serve/workers/nodeOptions.ts"

const heapLimit = (options: ReadonlyArray<string>): number =>
  Number(
    execFileSync(process.execPath, [...options, "-p", "require('node:v8').getHeapStatistics().heap_size_limit"], {
      encoding: "utf8",
      env: {}
    })
  )

it("a worker has less room for new objects than V8 would give it", () => {
  // The limit counts that room too.
  const old = "--max-old-space-size=200"
  expect(heapLimit(nodeOptions([old]))).toBeLessThan(heapLimit([old, "--max-semi-space-size=64"]))
})

it("a worker keeps the options of its parent, and a size that the operator has chosen", () => {
  expect(nodeOptions(["--trace-gc"])).toEqual(["--trace-gc", "--max-semi-space-size=16"])
  expect(nodeOptions(["--max-semi-space-size=64"])).toEqual(["--max-semi-space-size=64"])
  expect(nodeOptions(["--max_semi_space_size=64"])).toEqual(["--max_semi_space_size=64"])
  expect(nodeOptions([], "--trace-gc --max-semi-space-size=64")).toEqual([])
})
