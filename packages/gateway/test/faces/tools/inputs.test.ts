import * as Utf8 from "@tollgate/contract/Utf8"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { inputReader, longestName } from "../../../src/faces/tools/inputs.ts"
import { messagesIn } from "../../../src/faces/tools/messages.ts"
import { tools } from "../../../src/faces/tools/tools.ts"

const readUse = inputReader(tools.use.input, tools.use.inputSchema)

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

  it("may be JSON text within the bounds of a body", () => {
    const text = (count: number) => JSON.stringify({ texts: Array.from({ length: count }, () => "") })
    const use = (text: string) => readUse({ operation_id: "rerank", arguments: text })
    expect(use(text(90_000))).toMatchObject({ success: { arguments: { texts: expect.any(Array) } } })
    expect(use(text(110_000))).toMatchObject({ failure: { param: "arguments" } })
  })

  it("is bounded over all texts together, also behind one that is not JSON", () => {
    const text = `{"texts":[${"{},".repeat(20_000)}{}]}`
    const read = inputReader(tools.batchUse.input, tools.batchUse.inputSchema)
    const batch = (...texts: ReadonlyArray<string>) =>
      read({ calls: texts.map((text) => ({ operation_id: "rerank", arguments: text })) })
    expect(Result.isSuccess(batch(text, text))).toBe(true)
    expect(Result.isSuccess(batch(text, text, text, text, text, text))).toBe(false)
    expect(Result.isSuccess(batch('"', text))).toBe(false)
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
