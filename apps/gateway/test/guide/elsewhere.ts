import { type ToolBehavior, toolUpstream } from "@tollgate/testing/mcp/toolUpstream"
import { httpUpstream } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"

const operation = (tag: string, operationId: string) => ({
  operationId,
  tags: [tag],
  responses: { 200: { description: "Done", content: { "application/json": { schema: { type: "object" } } } } }
})

/** A small OpenAPI document. */
export const document = {
  openapi: "3.1.0",
  info: { title: "Pets", version: "1" },
  servers: [{ url: "https://api.example.com" }],
  paths: {
    "/pets": { get: operation("pets", "list_pets") },
    "/issues": { get: operation("issues", "list_issues") },
    "/repos/all": { get: operation("repos", "list_repos") }
  }
}

const tool: ToolBehavior = {
  inputSchema: { type: "object", properties: { city: { type: "string" } } },
  call: ({ result }) => result({ content: [{ type: "text", text: "Sunny" }], structuredContent: { high: 21 } })
}

/** Addresses of others in the guides, and what stands there in a test: a document, a server of tools, a receiver of webhooks. */
export const elsewhere = Effect.gen(function* () {
  const tools = yield* toolUpstream({ tools: { forecast: tool, render: tool } })
  const site = yield* httpUpstream((response, { url }) =>
    url === "/openapi.json" ? response.end(JSON.stringify(document)) : response.writeHead(204).end()
  )
  return {
    "https://tools.example": `http://127.0.0.1:${tools.port}`,
    "https://api.example.com": `http://127.0.0.1:${site.port}`,
    "https://alerts.example.com": `http://127.0.0.1:${site.port}`,
    "https://…": `http://127.0.0.1:${site.port}/tollgate`
  }
})
