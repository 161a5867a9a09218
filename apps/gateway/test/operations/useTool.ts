interface Sold {
  readonly address: string
  readonly key: string
}

interface ToolResult {
  readonly content: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly structuredContent: Readonly<Record<string, unknown>>
}

/** Calls a tool of the gateway as a program does. */
export const useTool = async ({ address, key }: Sold, name: string, input: object): Promise<ToolResult> => {
  const answer = await fetch(`${address}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": name
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name,
        arguments: input,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {},
          "tollgate/structured": true
        }
      }
    })
  })
  return ((await answer.json()) as { readonly result: ToolResult }).result
}
