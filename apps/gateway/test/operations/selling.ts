import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterAll, expect } from "vitest"
import { addressIn, folder, keyIn, removeFolders } from "../program.ts"
import { startGateway, tollgate } from "../tollgate.ts"

const closing: Array<() => unknown> = []
afterAll(async () => {
  for (const close of closing.splice(0)) await close()
  removeFolders()
})
/** An upstream that remembers what it was sent. A DELETE gets an empty answer. */
const upstream = async () => {
  const heard: Array<string> = []
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk) => (body += String(chunk)))
    request.on("end", () => {
      const trace = request.headers["x-trace"]
      heard.push(
        [request.method, request.url, body, trace].filter((part) => part !== undefined && part !== "").join(" ")
      )
      if (request.method === "DELETE") response.writeHead(204).end()
      else response.setHeader("content-type", "application/json").end("{}")
    })
  })
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready))
  closing.push(() => (server.close(), server.closeAllConnections()))
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard }
}

/** Imports a document, checks the configuration, and starts a gateway that sells it. */
export const sell = async (document: string, ...flags: ReadonlyArray<string>) => {
  const root = folder()
  const config = join(root, "tollgate.jsonc")
  const { baseUrl, heard } = await upstream()
  writeFileSync(
    config,
    JSON.stringify({
      upstreams: { api: { baseUrl, protocol: "json", private: true } },
      operations: [{ file: "api.operations.json" }]
    })
  )
  const environment = { TOLLGATE_DATA: folder(), TOLLGATE_CONFIG: config }
  const printed = await tollgate(environment, "operations", "import", document, "--upstream", "api", ...flags)
  expect(printed).toMatchObject({ code: 0, stderr: "" })
  expect(await tollgate(environment, "config", "check", config)).toEqual({ code: 0, stdout: "ok\n", stderr: "" })
  const gateway = await startGateway(environment)
  closing.unshift(gateway.stop)
  const { banner } = gateway
  const authorization = `Bearer ${keyIn(banner)}`
  return {
    file: join(root, "api.operations.json"),
    printed: printed.stdout,
    heard,
    /** The ids of the first operations that the tool `search` finds. */
    search: async (query: string, limit: number): Promise<ReadonlyArray<string>> => {
      const answer = await fetch(`${addressIn(banner)}/mcp`, {
        method: "POST",
        headers: {
          authorization,
          accept: "application/json, text/event-stream",
          "content-type": "application/json",
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": "tools/call",
          "mcp-name": "search"
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: {
            name: "search",
            arguments: { query, limit },
            _meta: {
              "io.modelcontextprotocol/protocolVersion": "2026-07-28",
              "io.modelcontextprotocol/clientCapabilities": {}
            }
          }
        })
      })
      const { result } = (await answer.json()) as {
        readonly result: { readonly structuredContent: { readonly results: ReadonlyArray<{ operation_id: string }> } }
      }
      return result.structuredContent.results.map(({ operation_id }) => operation_id)
    },
    /** Status, and the charge in micro-USD or the code of the error. */
    call: async (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) => {
      const answer = await fetch(`${addressIn(banner)}/apis/v1/api${path}`, {
        method,
        headers: { authorization, ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      const text = await answer.text()
      const code = /"code":\s*"([^"]+)"/.exec(text)?.[1]
      return `${answer.status} ${code ?? answer.headers.get("x-tollgate-cost-micros-usd") ?? "-"}`
    }
  }
}
