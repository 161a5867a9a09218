import * as Utf8 from "@tollgate/contract/Utf8"
import { describe, expect, it } from "vitest"
import { type CarriedCall, readMessage } from "../../../src/upstream/mcp/messages.ts"

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
  const slices = readMessage(call, Utf8.encode(text))
  let slice = slices.next()
  while (slice.done !== true) slice = slices.next()
  return { left: Utf8.decode(slice.value), result: call.result }
}

describe("of a large message of an MCP server, Effect's client parses little", () => {
  it.each([
    ["what is long in a result", `{"id":1,"result":{"content":${wide},"more":"${long}"}}`, { content: [] }],
    ["a result that failed", `{"result":{"isError":true,"content":${wide}},"id":1}`, { isError: true, content: [] }],
    ["a result that is a list", `{"id":1,"result":${wide}}`, {}],
    ["long fields that no message has", `{"id":1,"result":{},"more":${wide}}`, {}]
  ])("%s", (_, text, short) => {
    const { left, result } = read(text)
    expect(JSON.parse(left)).toEqual({ jsonrpc: "2.0", id: 1, result: short })
    expect(JSON.parse(Utf8.decode(result!))).toEqual((JSON.parse(text) as { result: unknown }).result)
  })

  it.each([
    ["an error", `{"id":1,"error":{"message":"${long}","code":-7}}`],
    ["a request of the server", `{"id":1,"method":"sampling/createMessage","params":${wide},"result":${wide}}`],
    ["a list", wide],
    ["half a list", wide.slice(0, -1)],
    ["a page", `<html>${long}</html>`]
  ])("and nothing of %s", (_, text) => {
    const { left, result } = read(text)
    expect([left, result]).toEqual(["0", undefined])
  })
})
