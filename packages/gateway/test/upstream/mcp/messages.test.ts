import * as Utf8 from "@tollgate/contract/Utf8"
import { describe, expect, it } from "vitest"
import { type CarriedCall, readLargeMessage } from "../../../src/upstream/mcp/messages.ts"

const wide = `[${"[],".repeat(200_000)}[]]`
const long = "x".repeat(600_000)

/** What is left for Effect's client to parse at once, and what the call got of it. */
const read = (text: string) => {
  const call: CarriedCall = {
    headers: {},
    arguments: undefined,
    onProgress: undefined,
    isSent: true,
    status: 200,
    notCarried: undefined,
    result: undefined
  }
  const slices = readLargeMessage(call, Utf8.encode(text))
  let slice = slices.next()
  while (slice.done !== true) slice = slices.next()
  return { left: Utf8.decode(slice.value), result: call.result }
}

describe("a large message of an MCP server is parsed without what is long in it", () => {
  it.each([
    ["the data of an error", `{"id":1,"error":{"code":-7,"message":"bad","data":${wide}}}`, -7, "bad"],
    ["the message of an error", `{"id":1,"error":{"message":"${long}","code":-7}}`, -7, "its message is too long"],
    ["an error that is a list", `{"id":1,"error":${wide}}`, undefined, "its message is too long"]
  ])("%s", (_, text, code, message) => {
    expect(JSON.parse(read(text).left)).toEqual({ id: 1, error: { ...(code === undefined ? {} : { code }), message } })
  })

  it("what a notification or a request of the server says", () => {
    const { left, result } = read(`{"id":1,"method":"sampling/createMessage","params":${wide},"result":${wide}}`)
    expect(JSON.parse(left)).toEqual({ id: 1, method: "sampling/createMessage", params: {}, result: {} })
    expect(result).toBeUndefined()
  })

  it("a result that is a list", () => {
    const { left, result } = read(`{"id":1,"result":${wide}}`)
    expect(JSON.parse(left)).toEqual({ id: 1, result: {} })
    expect(result).toHaveLength(wide.length)
  })

  it.each([
    ["long fields that no message has", `{"id":1,"result":{},"more":${wide}}`],
    ["long names", `{"id":1,"result":{},"${long}":1}`],
    ["a field again and again", `{"id":1,${'"result":{},'.repeat(100_000)}"id":1}`],
    ["a name with escapes", `{"id":1,"\\u0070arams":${wide}}`],
    ["no fields, but a list", wide]
  ])("and is no message with %s", (_, text) => {
    expect(JSON.parse(read(text).left)).toBe(0)
  })

  it.each([
    ["half a list", wide.slice(0, -1)],
    ["a page", `<html>${long}</html>`]
  ])("and is no JSON if it is %s", (_, text) => {
    const { left } = read(text)
    expect(() => JSON.parse(left)).toThrow()
    expect(left).toHaveLength(1)
  })
})
