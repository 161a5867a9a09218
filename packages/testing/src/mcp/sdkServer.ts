import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** A server of the official SDK. Its list is what `tools` holds at that time, whatever that is. */
export const sdkServer = (tools: { list: ReadonlyArray<unknown> }) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const transports = new Map<string, StreamableHTTPServerTransport>()
      const called: Array<string> = []
      const connect = async () => {
        const server = new Server({ name: "sdk", version: "1" }, { capabilities: { tools: { listChanged: true } } })
        server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.list as [] }))
        server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
          called.push(params.name)
          return { content: [{ type: "text" as const, text: params.name }] }
        })
        const transport = new StreamableHTTPServerTransport({
          sessionIdGenerator: () => randomUUID(),
          onsessioninitialized: (id) => void transports.set(id, transport)
        })
        // Its own type of a transport does not fit exactOptionalPropertyTypes.
        await server.connect(transport as Parameters<typeof server.connect>[0])
        return transport
      }
      const http = createServer((request, response) => {
        const known = transports.get(String(request.headers["mcp-session-id"]))
        void (known === undefined ? connect() : Promise.resolve(known)).then((transport) =>
          transport.handleRequest(request, response)
        )
      })
      await new Promise<void>((listening) => http.listen(0, "127.0.0.1", listening))
      return { called, http, address: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp` }
    }),
    ({ http }) => Effect.sync(() => (http.close(), http.closeAllConnections()))
  )
