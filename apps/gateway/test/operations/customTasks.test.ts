import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { timeAhead } from "../ahead.ts"
import { addressIn, folder, keyIn, removeFolders } from "../program.ts"
import { startGateway, tollgate } from "../tollgate.ts"

interface Used {
  readonly task: { readonly task_id: string; readonly status: string; readonly done: boolean; readonly next: Next }
}

interface Next {
  readonly operation_id: string
  readonly arguments: Readonly<Record<string, string>>
}

interface Job {
  state: string
  seconds?: number
  file?: string
}

const jobs = new Map<string, Job>()
const heard: Array<string> = []

/** Starts, tells of and stops jobs, in a form of its own. The seed has more digits than a number of JavaScript. */
const upstream = createServer((request, response) => {
  const { method = "", url = "" } = request
  heard.push(`${method} ${url} ${String(request.headers["x-token"])}`)
  const json = (status: number, text: string) =>
    response.writeHead(status, { "content-type": "application/json" }).end(text)
  const shown = (id: string) => {
    const { file, seconds, state } = jobs.get(id) ?? { state: "lost" }
    const made = file === undefined ? "" : `,"made":{"file":"${file}","seconds":${seconds}}`
    return `{"job":{"id":"${id}","state":"${state}"},"seed":12345678901234567890${made}}`
  }
  request.resume().on("end", () => {
    const id = /^\/v2\/jobs\/([^/]+)/.exec(url)?.[1] ?? ""
    if (method === "POST" && url === "/v2/jobs") {
      const made = `j${jobs.size + 1}`
      jobs.set(made, { state: "queued" })
      return json(202, shown(made))
    }
    const job = jobs.get(id)
    if (job === undefined) return json(404, '{"error":"no such job"}')
    if (url.endsWith("/stop")) {
      if (job.state === "done") return json(409, '{"error":"done"}')
      job.state = "stopped"
    }
    return json(200, shown(id))
  })
})

const task = {
  at: "/apis/v1/renders/{task_id}",
  id: "job.id",
  status: "job.state",
  succeeded: ["done"],
  failed: ["broken"],
  canceled: ["stopped"],
  result: "made.file",
  poll: { path: "/v2/jobs/{id}" },
  cancel: { path: "/v2/jobs/{id}/stop" }
}

const renders = {
  id: "renders.create",
  category: "renders",
  summary: "Render a scene",
  method: "POST",
  path: "/apis/v1/renders",
  body: { schema: { type: "object", properties: { scene: { type: "string" } }, required: ["scene"] } },
  price: { amount: "0.01", times: { reported: "made.seconds", unit: "second", otherwise: 5 } },
  upstream: { name: "farm", path: "/v2/jobs" },
  task
}

const configOf = (baseUrl: string, operation: unknown) => ({
  upstreams: {
    farm: { baseUrl, protocol: "json", private: true, credential: { env: "FARM_TOKEN", header: "x-token" } }
  },
  operations: [
    operation,
    { ...renders, id: "clips.create", path: "/apis/v1/clips", task: { ...task, at: "/apis/v1/clips/{task_id}" } }
  ]
})

const check = async (operation: unknown) => {
  const config = join(folder(), "tollgate.jsonc")
  writeFileSync(config, JSON.stringify(configOf("https://farm.example", operation)))
  const { stderr } = await tollgate({ FARM_TOKEN: "t" }, "config", "check", config)
  return stderr
}

let address = ""
let authorization = ""
const closing: Array<() => unknown> = []

beforeAll(async () => {
  await new Promise<void>((ready) => upstream.listen(0, "127.0.0.1", ready))
  const config = join(folder(), "tollgate.jsonc")
  const baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
  writeFileSync(config, JSON.stringify(configOf(baseUrl, renders)))
  const gateway = await startGateway({ TOLLGATE_DATA: folder(), TOLLGATE_CONFIG: config, FARM_TOKEN: "farm-secret" })
  closing.push(gateway.stop, () => (upstream.close(), upstream.closeAllConnections()))
  address = addressIn(gateway.banner)
  authorization = `Bearer ${keyIn(gateway.banner)}`
})

afterAll(async () => {
  for (const close of closing) await close()
  removeFolders()
})

const ask = async (method: string, path: string, body?: unknown) => {
  const answer = await fetch(`${address}${path}`, {
    method,
    headers: { authorization, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const text = await answer.text()
  return { status: answer.status, text, body: JSON.parse(text), cost: answer.headers.get("x-tollgate-cost-micros-usd") }
}

const create = () => ask("POST", "/apis/v1/renders", { scene: "a river" })

const goOn = timeAhead()
const pause = () => goOn(600)

/** Polls until the answer is as expected. A caller may ask twice a second. */
const until = async (path: string, is: (seen: Awaited<ReturnType<typeof ask>>) => boolean) => {
  const ends = performance.now() + 240_000
  for (;;) {
    const seen = await ask("GET", path)
    if (is(seen) || performance.now() > ends) return seen
    await pause()
  }
}

describe("tasks in an upstream's own form", () => {
  it("are polled under the operator's path and charged by their report", async () => {
    const created = await create()
    expect(created.status).toBe(202)
    const id = created.body.job.id as string
    expect(id).toMatch(/^task_[0-9a-f]{32}$/)
    expect(created.text).toContain('"seed":12345678901234567890')
    const path = `/apis/v1/renders/${id}`
    expect((await until(path, ({ status }) => status === 200)).body.job).toEqual({ id, state: "queued" })

    const [own = ""] = jobs.keys()
    // An end without what was asked for is none.
    jobs.set(own, { state: "done" })
    expect((await until(path, () => true)).cost).toBe(null)
    jobs.set(own, { state: "done", seconds: 7.5, file: "https://farm.example/1.mp4" })
    const done = await until(path, ({ cost }) => cost !== null)
    expect(done.cost).toBe("75000")
    expect(done.text).toBe(
      `{"job":{"id":"${id}","state":"done"},"seed":12345678901234567890,"made":{"file":"https://farm.example/1.mp4","seconds":7.5}}`
    )
    expect(heard).toContain(`GET /v2/jobs/${own} farm-secret`)
    // The general address of tasks knows it too.
    await pause()
    const general = await ask("GET", `/apis/v1/services/aigc/tasks/${id}`)
    expect(general.body.output).toMatchObject({ task_id: id, task_status: "SUCCEEDED", answer: { job: { id } } })
    await pause()
    expect((await ask("DELETE", path)).body.job.state).toBe("done")
    expect(heard.filter((line) => line.includes("/stop"))).toEqual([])
  })

  it("are canceled where the upstream can, and cost nothing then", async () => {
    const { body } = await create()
    const path = `/apis/v1/renders/${body.job.id}`
    const canceled = await ask("DELETE", path)
    expect([canceled.status, canceled.body.job]).toEqual([200, { id: body.job.id, state: "stopped" }])
    await pause()
    expect((await until(path, ({ cost }) => cost !== null)).cost).toBe("0")
  })

  it("are no one else's: other ids, and those of other operations, are not found", async () => {
    for (const id of [`task_${"0".repeat(32)}`, "j1", "..%2fadmin", "x".repeat(3_000)]) {
      expect((await ask("GET", `/apis/v1/renders/${id}`)).status, id).toBe(404)
      await pause()
      expect((await ask("DELETE", `/apis/v1/renders/${id}`)).status, id).toBe(404)
    }
    const { body } = await create()
    expect((await ask("GET", `/apis/v1/clips/${body.job.id}`)).status).toBe(404)
    await pause()
    expect((await ask("DELETE", `/apis/v1/clips/${body.job.id}`)).status).toBe(404)
    expect(heard.filter((line) => line.includes(`/${[...jobs.keys()].at(-1)}/stop`))).toEqual([])
  })

  it("are waited for by agents", async () => {
    const use = async (operation_id: string, args: unknown, wait_seconds: number) => {
      const answer = await fetch(`${address}/mcp`, {
        method: "POST",
        headers: {
          authorization,
          accept: "application/json, text/event-stream",
          "content-type": "application/json",
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": "tools/call",
          "mcp-name": "use"
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: {
            name: "use",
            arguments: { operation_id, arguments: args, max_price_usd: 1, wait_seconds },
            _meta: {
              "io.modelcontextprotocol/protocolVersion": "2026-07-28",
              "io.modelcontextprotocol/clientCapabilities": {},
              "tollgate/structured": true
            }
          }
        })
      })
      const { result } = (await answer.json()) as {
        readonly result: { readonly structuredContent: Used }
      }
      return result.structuredContent
    }
    const started = await use("renders.create", { scene: "a lake" }, 0)
    const { next, ...state } = started.task
    expect(state).toEqual({ task_id: expect.stringMatching(/^task_/), status: "RUNNING", done: false })
    expect(next).toEqual({ operation_id: "renders.get", arguments: { task_id: state.task_id } })
    const [last = ""] = [...jobs.keys()].slice(-1)
    jobs.set(last, { state: "done", seconds: 2, file: "https://farm.example/2.mp4" })
    const done = await use("renders.get", next.arguments, 40)
    expect(done.task).toMatchObject({ status: "SUCCEEDED", done: true })
    const waited = use("renders.create", { scene: "a lake" }, 40)
    while (jobs.size < Number(last.slice(1)) + 1) await pause()
    jobs.set(`j${jobs.size}`, { state: "done", seconds: 3, file: "https://farm.example/3.mp4" })
    expect(await waited).toMatchObject({ task: { done: true }, cost: { usd: "0.03" } })
  })

  it("are in the OpenAPI document", async () => {
    const version = (await ask("GET", "/api/contracts/version")).body as { readonly contentHash: string }
    const { body } = await ask("GET", `/api/contracts/source?bundled=1&hash=${version.contentHash}`)
    expect(Object.keys(body.paths["/apis/v1/renders/{task_id}"])).toEqual(expect.arrayContaining(["get", "delete"]))
  })

  it.each([
    [{ ...renders, price: "free" }, "a task is billed when it succeeds"],
    [{ ...renders, task: { ...task, at: "/apis/v1/renders/status" } }, "the path must have {task_id} once"],
    [{ ...renders, task: { ...task, failed: ["done"] } }, '"done" is a word for two ends'],
    [{ ...renders, task: { ...task, succeeded: [] } }, "a task that cannot succeed is never charged"],
    [{ ...renders, task: { ...task, poll: { path: "/v2/jobs" } } }, "a path with {id}"],
    [{ ...renders, task: { ...task, at: "/apis/v1/services/aigc/tasks/{task_id}" } }, "task.get already has GET"]
  ])("are refused in a configuration that cannot work: %#", async (operation, message) => {
    expect(await check(operation)).toContain(message)
  })
})
