import { messages } from "@tollgate/contract/operations/messages"
import type { Unpriced } from "@tollgate/contract/price/PriceContract"
import * as Utf8 from "@tollgate/contract/Utf8"
import { describe, expect, it } from "vitest"
import { withoutFields } from "../../../src/call/steps/06-price.ts"
import { exchangeOf } from "../../upstream/protocols/exchange.ts"

const removed = (body: string, ...fields: ReadonlyArray<string>) => {
  const missing = fields.map((field): Unpriced => ({ at: field.split("."), add: "x" }))
  const exchange = withoutFields(
    {
      ...exchangeOf(messages, "/v1/messages", body.replace("\uFEFF", "")),
      bytes: Utf8.encode(body)
    },
    missing
  )
  return exchange && [Utf8.decode(exchange.bytes), exchange.input.body]
}

describe("a request without what has no price", () => {
  it.each<[string, string, ReadonlyArray<string>, string]>([
    ["a field", '{"speed":"fast","n":1e400,"x":1}', ["speed"], '{"n":1e400,"x":1}'],
    ["two fields", '{"a":1,"speed":"fast","service_tier":"flex"}', ["speed", "service_tier"], '{"a":1}'],
    ["a tool", '{"tools":[{"name":"f"},{"type":"web_search"}],"a":1}', ["tools.1"], '{"tools":[{"name":"f"}],"a":1}'],
    ["all tools", '{"tools":[{"type":"a"},{"type":"b"}],"a":1}', ["tools.0", "tools.1"], '{"a":1}'],
    ["a field after a byte order mark", '\uFEFF{"speed":"fast","x":1}', ["speed"], '{"x":1}'],
    ["a tool's field", '{"tools":[{"googleSearch":{},"f":1}]}', ["tools.0.googleSearch"], '{"tools":[{"f":1}]}']
  ])("keeps the rest: %s", (_, body, fields, expected) => {
    const [sent, read] = removed(body, ...fields) ?? []
    expect(sent).toBe(expected)
    expect(JSON.stringify(read)).toBe(JSON.stringify(JSON.parse(expected)))
  })

  it("reads each tool once, however many of its fields have no price", () => {
    let reads = 0
    const names = Array.from({ length: 50 }, (_, i) => `t${i}`)
    const fields = Object.fromEntries([...names, "kept"].map((name) => [name, {}]))
    const tool = new Proxy(fields, { ownKeys: (target) => (reads++, Reflect.ownKeys(target)) })
    const exchange = exchangeOf(messages, "/v1/messages", JSON.stringify({ tools: [fields] }))
    const left = withoutFields(
      {
        ...exchange,
        bytes: Utf8.encode(JSON.stringify({ tools: [fields] })),
        input: { ...exchange.input, body: { tools: [tool] } }
      },
      names.map((name): Unpriced => ({ at: ["tools", "0", name], add: "x" }))
    )
    expect(left?.input.body).toEqual({ tools: [{ kept: {} }] })
    expect(reads).toBe(1)
  })

  it.each([
    ["inside another field", '{"a":{"b":1}}', "a.b"],
    ["in a list that is none", '{"tools":"x"}', "tools.0"],
    ["beside a tool that is too deep", `{"tools":[{"type":"a"},${"[".repeat(20_000)}${"]".repeat(20_000)}]}`, "tools.0"]
  ])("is not made of one that has it %s", (_, body, field) => {
    expect(removed(body, field)).toBe(undefined)
  })
})
