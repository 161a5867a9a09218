import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { timeAhead } from "../ahead.ts"
import { addressIn, folder, keyIn, removeFolders } from "../program.ts"
import { type Gateway, startGateway } from "../tollgate.ts"

// Tasks of an operator's own, for a client that knows the tasks extension of MCP.

const states = new Map<string, string>()

const upstream = createServer((request, response) => {
  const { method = "", url = "" } = request
  request.resume().on("end", () => {
    const id = /^\/jobs\/([^/]+)/.exec(url)?.[1] ?? `j${states.size + 1}`
    if (method === "POST" && url === "/jobs") states.set(id, "queued")
    const isRefused = url.endsWith("/stop") && states.get(id) === "busy"
    if (url.endsWith("/stop") && !isRefused) states.set(id, "stopped")
    response.writeHead(isRefused ? 409 : 200, { "content-type": "application/json" })
    response.end(JSON.stringify({ id, state: states.get(id), file: "a.png" }))
  })
})

const config = (baseUrl: string) => ({
  upstreams: { farm: { baseUrl, protocol: "json", private: true } },
  operations: [
    {
      id: "renders.create",
      category: "renders",
      summary: "Render a scene",
      method: "POST",
      path: "/apis/v1/renders",
      price: { amount: "0.01" },
      upstream: { name: "farm", path: "/jobs" },
      task: {
        at: "/apis/v1/renders/{task_id}",
        id: "id",
        status: "state",
        succeeded: ["done"],
        failed: ["broken"],
        canceled: ["stopped"],
        poll: { path: "/jobs/{id}" },
        cancel: { path: "/jobs/{id}/stop" }
      }
    }
  ]
})

let gateway: Gateway
let key = ""
const data = folder()
const file = join(folder(), "tollgate.jsonc")

const start = () => startGateway({ TOLLGATE_DATA: data, TOLLGATE_CONFIG: file })

beforeAll(async () => {
  await new Promise<void>((ready) => upstream.listen(0, "127.0.0.1", ready))
  writeFileSync(file, JSON.stringify(config(`http://127.0.0.1:${(upstream.address() as AddressInfo).port}`)))
  gateway = await start()
  key = keyIn(gateway.banner)
})

afterAll(async () => {
  await gateway.stop()
  upstream.close()
  upstream.closeAllConnections()
  removeFolders()
})

const revision = "2026-07-28"

const ask = async (method: string, name: string, params: object) => {
  const answer = await fetch(`${addressIn(gateway.banner)}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": revision,
      "mcp-method": method,
      "mcp-name": name
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          "tollgate/structured": true,
          "io.modelcontextprotocol/protocolVersion": revision,
          "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } }
        }
      }
    })
  })
  return (await answer.json()) as { readonly result: { readonly taskId: string; readonly status: string } }
}

const create = async () => {
  const input = { operation_id: "renders.create", arguments: {}, max_price_usd: 1 }
  const { result } = await ask("tools/call", "use", { name: "use", arguments: input })
  expect(result).toMatchObject({ resultType: "task", status: "working" })
  return { taskId: result.taskId, job: `j${states.size}` }
}

const about = (method: string, taskId: string) => ask(`tasks/${method}`, taskId, { taskId })

const goOn = timeAhead()

const untilOver = async (taskId: string) => {
  for (;;) {
    const { result } = await about("get", taskId)
    if (result.status !== "working") return result
    await goOn(600)
  }
}

describe("a task of an operator's own, by the tasks extension", () => {
  it("ends after a restart of the gateway, and is charged once", async () => {
    const { job, taskId } = await create()
    await gateway.stop()
    gateway = await start()
    expect((await about("get", taskId)).result).toMatchObject({ resultType: "complete", taskId, status: "working" })
    states.set(job, "done")
    expect(await untilOver(taskId)).toMatchObject({
      status: "completed",
      result: {
        isError: false,
        structuredContent: {
          operation_id: "renders.create",
          body: { id: taskId, file: "a.png" },
          cost: { state: "settled", usd: "0.01" }
        }
      }
    })
    const usage = await fetch(`${addressIn(gateway.banner)}/account/v1/tasks`, {
      headers: { authorization: `Bearer ${key}` }
    })
    const { tasks } = (await usage.json()) as { tasks: ReadonlyArray<object> }
    expect(tasks).toMatchObject([{ id: taskId, state: "settled", charged_micros_usd: 10_000 }])
  })

  it("is canceled upstream, and costs nothing", async () => {
    const { job, taskId } = await create()
    expect(await about("cancel", taskId)).toMatchObject({ result: { resultType: "complete" } })
    expect(states.get(job)).toBe("stopped")
    const over = await untilOver(taskId)
    expect(over).toMatchObject({ status: "cancelled" })
    expect(over).not.toHaveProperty("result")
    expect((await about("cancel", taskId)).result).toEqual({ resultType: "complete" })
  })

  it("goes on if the upstream refuses to stop it", async () => {
    const { job, taskId } = await create()
    states.set(job, "busy")
    expect((await about("cancel", taskId)).result).toEqual({ resultType: "complete" })
    states.set(job, "broken")
    expect(await untilOver(taskId)).toMatchObject({ status: "completed", result: { isError: true } })
  })
})
