import { writeFileSync } from "node:fs"
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterAll, expect } from "vitest"
import { addressIn, folder, keyIn, removeFolders } from "../program.ts"
import { startGateway, tollgate } from "../tollgate.ts"
import { useTool } from "./useTool.ts"

const closing: Array<() => unknown> = []
afterAll(async () => {
  for (const close of closing.splice(0)) await close()
  removeFolders()
})

export const adminToken = "an-admin-token-of-the-test"

/** A request that the upstream got. */
export interface Heard {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

type Answer = (request: Heard, response: ServerResponse) => void

/** A DELETE gets an empty answer. */
const answerJson: Answer = ({ method }, response) => {
  if (method === "DELETE") response.writeHead(204).end()
  else response.setHeader("content-type", "application/json").end("{}")
}

/** An upstream that remembers what it was sent. */
const upstream = async (answer: Answer) => {
  const heard: Array<string> = []
  const requests: Array<Heard> = []
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const body = Buffer.concat(chunks)
      const got = { method: request.method ?? "", url: request.url ?? "", headers: request.headers, body }
      requests.push(got)
      const trace = request.headers["x-trace"]
      heard.push(
        [request.method, request.url, body.toString(), trace]
          .filter((part) => part !== undefined && part !== "")
          .join(" ")
      )
      answer(got, response)
    })
  })
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready))
  closing.push(() => (server.close(), server.closeAllConnections()))
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard, requests }
}

/** A key of an account that has paid nothing may send 60 requests in a minute, which some files of tests use up on a fast machine. */
const liftLimits = async (address: string): Promise<void> => {
  const admin = (method: string, path: string, body?: object) =>
    fetch(`${address}/admin/v1/accounts${path}`, {
      method,
      headers: { authorization: `Bearer ${adminToken}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
  const { accounts } = (await (await admin("GET", "")).json()) as { readonly accounts: ReadonlyArray<{ id: string }> }
  const lifted = await admin("PATCH", `/${accounts[0]?.id}`, { tier: "Enterprise", rpm: 1_000_000, tpm: 1_000_000_000 })
  expect(lifted.status).toBe(200)
}

/** Imports a document, checks the configuration, and starts a gateway that sells it. */
export const sell = (document: string, ...flags: ReadonlyArray<string>) => sellFrom(answerJson, document, ...flags)

/** The same from an upstream that answers in its own way. */
export const sellFrom = (answer: Answer, document: string, ...flags: ReadonlyArray<string>) =>
  sellWith({}, answer, document, ...flags)

/** The same with more sections in the configuration. */
export const sellWith = async (sections: object, answer: Answer, document: string, ...flags: ReadonlyArray<string>) => {
  const root = folder()
  const config = join(root, "tollgate.jsonc")
  const { baseUrl, heard, requests } = await upstream(answer)
  writeFileSync(
    config,
    JSON.stringify({
      upstreams: { api: { baseUrl, protocol: "json", private: true } },
      operations: [{ file: "api.operations.json" }],
      ...sections
    })
  )
  const environment = { TOLLGATE_DATA: folder(), TOLLGATE_CONFIG: config, TOLLGATE_ADMIN_TOKEN: adminToken }
  const printed = await tollgate(environment, "operations", "import", document, "--upstream", "api", ...flags)
  expect(printed).toMatchObject({ code: 0, stderr: "" })
  expect(await tollgate(environment, "config", "check", config)).toEqual({ code: 0, stdout: "ok\n", stderr: "" })
  const gateway = await startGateway(environment)
  closing.unshift(gateway.stop)
  const { banner } = gateway
  const [address, key] = [addressIn(banner), keyIn(banner)]
  await liftLimits(address)
  const authorization = `Bearer ${key}`
  return {
    file: join(root, "api.operations.json"),
    printed: printed.stdout,
    heard,
    requests,
    address,
    key,
    /** The contract that the gateway serves. */
    contract: async (): Promise<Readonly<Record<string, unknown>>> => {
      const { contentHash } = (await (await fetch(`${address}/api/contracts/version`)).json()) as {
        contentHash: string
      }
      const source = await fetch(`${address}/api/contracts/source?hash=${contentHash}&bundled=1`)
      return (await source.json()) as Readonly<Record<string, unknown>>
    },
    /** The ids of the first operations that the tool `search` finds. */
    search: async (query: string, limit: number): Promise<ReadonlyArray<string>> => {
      const { structuredContent } = await useTool({ address, key }, "search", { query, limit })
      const { results } = structuredContent as { readonly results: ReadonlyArray<{ operation_id: string }> }
      return results.map(({ operation_id }) => operation_id)
    },
    /** Status, and the charge in micro-USD or the code of the error. */
    call: async (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) => {
      const answer = await fetch(`${address}/apis/v1/api${path}`, {
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
