import { post } from "./load.ts"
import { question } from "./question.ts"

/** The bench's question as a call of the tool `use`. */
const revision = "2026-07-28"
export const call = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: {
    name: "use",
    arguments: { operation_id: "rerank", arguments: JSON.parse(question), max_price_usd: 0.01 },
    _meta: {
      "io.modelcontextprotocol/protocolVersion": revision,
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" }
    }
  }
})
export const headers = {
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": revision,
  "mcp-method": "tools/call",
  "mcp-name": "use"
}

export const request = post(
  "/mcp",
  call,
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
)
