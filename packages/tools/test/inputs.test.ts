import * as Utf8 from "@tollgate/contract/Utf8"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { inputReader, longestName } from "../src/inputs.ts"
import { messagesIn } from "../src/messages.ts"
import { tools } from "../src/tools.ts"

describe("the input of a tool", () => {
  it.each([
    ["operation_id", tools.use, {}],
    ["operation_id", tools.getDetails, {}],
    ["category", tools.search, { query: "rank" }],
    ["after", tools.listCategories, {}]
  ])("has no %s that is longer than any name, whichever tool", (name, tool, input) => {
    const read = inputReader<typeof tool.input>(tool.input, tool.inputSchema)
    expect(Result.isSuccess(read({ ...input, [name]: "x".repeat(longestName) }))).toBe(true)
    expect(read({ ...input, [name]: "x".repeat(longestName + 1) })).toMatchObject({
      failure: { param: name, message: `${name}: must be a string of up to 200 characters.` }
    })
  })
})

it("only a call of use or batch_use may be long", () => {
  const body = (name: string) =>
    Utf8.encode(
      JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name, arguments: { query: "x".repeat(20_000) } }
      })
    )
  expect(
    ["use", "batch_use", "search", "get_details", "x"].map((name) => Result.isSuccess(messagesIn(body(name))))
  ).toEqual([true, true, false, false, false])
})
