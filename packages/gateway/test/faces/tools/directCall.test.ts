import { describe, expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { directCall } from "../../../src/faces/tools/directCall.ts"
import { messagesIn } from "../../../src/faces/tools/messages.ts"

const about = (name: string) => `io.modelcontextprotocol/${name}`
const metadata = { [about("protocolVersion")]: "2026-07-28", [about("clientCapabilities")]: {} }

const headers = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": "tools/call",
  "mcp-name": "use"
}

const call = (more: object = {}) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "use", arguments: { operation_id: "rerank" }, _meta: metadata, ...more }
})

const read = (body: unknown, given: object = headers, ofSession?: string) => {
  const messages = Result.getOrThrow(messagesIn(new TextEncoder().encode(JSON.stringify(body))))
  return directCall({ ...given }, messages, ofSession, { byId: new Map() })
}

describe("an ordinary call of a tool", () => {
  it("needs no MCP server, with and without a session", () => {
    expect(read(call())).toMatchObject({ id: 1, tool: "use", payload: { operation_id: "rerank" } })
    const { "content-type": type, accept } = headers
    const inSession = { "content-type": type, accept, "mcp-protocol-version": "2025-11-25" }
    for (const given of [inSession, { "content-type": type, accept }]) {
      expect(read(call({ _meta: { traceparent: "00" } }), given, "2025-11-25")?.revision).toBe("2025-11-25")
    }
  })

  it("is left to the MCP server if it wants more, or something about it is wrong", () => {
    const others: ReadonlyArray<readonly [unknown, object?]> = [
      [[call()]],
      [call({ _meta: { ...metadata, progressToken: 1 } })],
      [call({ _meta: { ...metadata, progressToken: {} } })],
      [call({ _meta: { [about("protocolVersion")]: "2026-07-28" } })],
      [call({ arguments: 5 })],
      [call({ name: "other" }), { ...headers, "mcp-name": "other" }],
      [{ ...call(), discard: true }],
      [{ ...call(), id: undefined }],
      [call(), { ...headers, "mcp-name": "search" }],
      [call(), { ...headers, "mcp-protocol-version": "2025-11-25" }],
      [call(), { ...headers, accept: "application/json" }],
      [call(), { ...headers, "content-type": "text/plain" }]
    ]
    for (const [body, given] of others) expect(read(body, given), JSON.stringify([body, given])).toBeUndefined()
    expect(read(call(), headers, "2025-11-25")).toBeUndefined()
  })
})
