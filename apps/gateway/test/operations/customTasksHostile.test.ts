import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { timeAhead } from "../ahead.ts"
import { addressIn, folder, keyIn, removeFolders } from "../program.ts"
import { startGateway } from "../tollgate.ts"

const token = "an-admin-token-of-the-test"

/** What the upstream answers to a create: the body of the request says it. */
interface Wanted {
  readonly status?: number
  readonly answer: string
}

/** What it answers to polls, by the id in the address. */
const states = new Map<string, string>()
const heard: Array<string> = []
let onCancel: (id: string) => number = () => 200

const upstream = createServer((request, response) => {
  const { method = "", url = "" } = request
  heard.push(`${method} ${url}`)
  let text = ""
  const json = (status: number, body: string) =>
    response.writeHead(status, { "content-type": "application/json" }).end(body)
  request
    .on("data", (chunk: Buffer) => (text += chunk.toString()))
    .on("end", () => {
      if (method === "POST" && url === "/jobs") {
        const { answer, status = 202 } = JSON.parse(text) as Wanted
        return json(status, answer)
      }
      const id = decodeURIComponent(/^\/jobs\/([^/]+)/.exec(url)?.[1] ?? "")
      if (url.endsWith("/stop")) return json(onCancel(id), "{}")
      const state = states.get(id)
      return state === undefined ? json(404, "{}") : json(200, state)
    })
})

const renders = {
  id: "renders.create",
  category: "renders",
  summary: "Render a scene",
  method: "POST",
  path: "/apis/v1/renders",
  price: { amount: "0.01", times: { reported: "seconds", unit: "second", otherwise: 5 } },
  limits: { tasks: 1_000 },
  upstream: { name: "farm", path: "/jobs" },
  task: {
    at: "/apis/v1/renders/{task_id}",
    id: "id",
    status: "state",
    succeeded: ["done"],
    failed: ["broken"],
    canceled: ["stopped"],
    result: "file",
    poll: { path: "/jobs/{id}" },
    cancel: { path: "/jobs/{id}/stop" }
  }
}

let address = ""
let first = ""
let second = ""
const closing: Array<() => unknown> = []

const admin = async (path: string, body?: object, method = "POST"): Promise<string> => {
  const answer = await fetch(`${address}/admin/v1${path}`, {
    ...(body === undefined ? {} : { method, body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" }
  })
  return answer.text()
}

beforeAll(async () => {
  await new Promise<void>((ready) => upstream.listen(0, "127.0.0.1", ready))
  const config = join(folder(), "tollgate.jsonc")
  const baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
  const upstreams = { farm: { baseUrl, protocol: "json", private: true } }
  writeFileSync(config, JSON.stringify({ upstreams, operations: [renders] }))
  const environment = { TOLLGATE_DATA: folder(), TOLLGATE_CONFIG: config, TOLLGATE_ADMIN_TOKEN: token }
  const gateway = await startGateway(environment)
  closing.push(gateway.stop, () => (upstream.close(), upstream.closeAllConnections()))
  address = addressIn(gateway.banner)
  first = keyIn(gateway.banner)
  const created = await admin("/accounts", { label: "second" })
  const ids = new Set((created + (await admin("/accounts"))).match(/acct_[0-9a-z]+/g))
  for (const id of ids) {
    await admin(`/accounts/${id}`, { tier: "Enterprise", rpm: 1_000_000, tpm: 1_000_000, concurrency: 100 }, "PATCH")
  }
  const [id] = created.match(/acct_[0-9a-z]+/) ?? []
  await admin(`/accounts/${id}/topups`, { amount_micros_usd: 100_000_000 })
  second = /tg_[0-9a-z]{39}/.exec(await admin(`/accounts/${id}/keys`, {}))?.[0] ?? ""
  expect([ids.size, second]).toEqual([2, expect.stringMatching(/^tg_/)])
})

afterAll(async () => {
  for (const close of closing) await close()
  removeFolders()
})

const ask = async (
  method: string,
  path: string,
  options: { readonly body?: unknown; readonly key?: string; readonly headers?: Readonly<Record<string, string>> } = {}
) => {
  const { body, headers, key = first } = options
  const answer = await fetch(`${address}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  return {
    status: answer.status,
    text: await answer.text(),
    cost: answer.headers.get("x-tollgate-cost-micros-usd"),
    replayed: answer.headers.get("idempotent-replayed")
  }
}

const create = (answer: string, options: Parameters<typeof ask>[2] & { readonly status?: number } = {}) =>
  ask("POST", "/apis/v1/renders", { ...options, body: { answer, status: options.status ?? 202 } })

const idIn = (text: string): string => /task_[0-9a-f]{32}/.exec(text)?.[0] ?? text

/** A task at the upstream under a new id. */
let made = 0
const started = async (state = "queued") => {
  const own = `own-${++made}`
  states.set(own, JSON.stringify({ id: own, state }))
  const { text } = await create(JSON.stringify({ id: own, state: "queued" }))
  return { own, id: idIn(text), path: `/apis/v1/renders/${idIn(text)}` }
}

const goOn = timeAhead()
const pause = () => goOn(600)

const until = async (path: string, is: (seen: Awaited<ReturnType<typeof ask>>) => boolean, key = first) => {
  const ends = performance.now() + 240_000
  for (;;) {
    const seen = await ask("GET", path, { key })
    if (is(seen) || performance.now() > ends) return seen
    await pause()
  }
}

const hasCost = ({ cost }: { readonly cost: string | null }) => cost !== null

describe("tasks of an upstream that cannot be trusted", () => {
  it.each([
    ["no id", '{"state":"queued"}'],
    ["an empty one", '{"id":"","state":"queued"}'],
    ["null", '{"id":null}'],
    ["an object", '{"id":{"a":1}}'],
    ["a list", '{"id":["a"]}'],
    ["a fraction", '{"id":1.5}'],
    ["a number that is rounded", '{"id":12345678901234567890}'],
    ["two dots", '{"id":".."}'],
    ["a line break", '{"id":"a\\nb"}'],
    ["other letters", '{"id":"\u0430"}'],
    ["a change of direction", '{"id":"a\u202eb"}'],
    ["too many letters", JSON.stringify({ id: "x".repeat(257) })],
    ["no JSON", "<html>"],
    ["nothing", ""]
  ])("an id that is %s starts none, and nothing is delivered or charged", async (_, answer) => {
    const { cost, status, text } = await create(answer)
    expect([status, cost]).toEqual([502, null])
    expect(text).toContain("answer_not_metered")
  })

  // Each waits more than half a second, because a task is not read more often: they wait together.
  it.concurrent.each(["../../admin", "%2e%2e", "a/b", "a?b=c", "a#b", "$&", "{id}", "__proto__", "7"])(
    "the id %s stays one segment of the addresses",
    async (own) => {
      states.set(own, JSON.stringify({ id: own, state: "done", file: "f", seconds: 1 }))
      const { text } = await create(JSON.stringify({ id: own }))
      expect((await until(`/apis/v1/renders/${idIn(text)}`, hasCost)).cost).toBe("10000")
      expect(heard).toContain(`GET /jobs/${encodeURIComponent(own)}`)
      expect(text).not.toContain(JSON.stringify(own))
    }
  )

  it("the task of another call is nobody else's: it is neither read nor paid twice", async () => {
    const { own, path } = await started()
    const answer = JSON.stringify({ id: own, state: "queued" })
    for (const key of [first, second]) {
      const again = await create(answer, { key })
      expect([again.status, again.cost]).toEqual([502, null])
      expect(again.text).toContain("the task of another call")
      expect(again.text).not.toContain(own)
    }
    const both = JSON.stringify({ id: `${own}-both`, state: "queued" })
    const raced = await Promise.all([first, second, second, first].map((key) => create(both, { key })))
    expect(raced.map(({ status }) => status).toSorted()).toEqual([202, 502, 502, 502])
    states.set(own, JSON.stringify({ id: own, state: "done", file: "secret", seconds: 2 }))
    expect((await until(path, hasCost)).cost).toBe("20000")
    // Not after its end either.
    expect((await create(answer, { key: second })).status).toBe(502)
  })

  it("a task is not there for other accounts, to read or to cancel", async () => {
    const { own, path } = await started()
    expect((await ask("GET", path, { key: second })).status).toBe(404)
    await pause()
    expect((await ask("DELETE", path, { key: second })).status).toBe(404)
    expect(heard).not.toContain(`POST /jobs/${own}/stop`)
    const general = await ask("GET", path.replace("renders", "services/aigc/tasks"), { key: second })
    expect([general.status, general.text]).toEqual([200, expect.stringContaining("UNKNOWN")])
  })

  it.concurrent.each([
    "..%2f..%2fadmin",
    "%2e%2e",
    "%00",
    "%F0%9F%92%A9",
    "%ff",
    "7",
    "task_",
    "x".repeat(4_000),
    "%20"
  ])("callers' ids lead nowhere: %s", async (id) => {
    const before = heard.length
    for (const method of ["GET", "DELETE"]) {
      const { status } = await ask(method, `/apis/v1/renders/${id}`)
      expect([400, 404]).toContain(status)
      await pause()
    }
    // Tasks that run are polled meanwhile.
    expect(heard.slice(before).filter((line) => /stop|admin|aa/.test(line))).toEqual([])
  })

  it.concurrent.each([
    ["-5", "50000"],
    ["0", "50000"],
    ["0.0000001", "50000"],
    ["2.5", "25000"],
    ['"3"', "30000"],
    ["1e300", "50000"],
    ["null", "50000"],
    ["[7]", "50000"],
    ["true", "50000"],
    ['"1e3"', "50000"],
    ['"0x10"', "50000"]
  ])("a report of %s seconds costs %s micro-USD, and never less than nothing", async (seconds, cost) => {
    const { own, path } = await started()
    states.set(own, `{"id":"${own}","state":"done","file":"f","seconds":${seconds}}`)
    expect((await until(path, hasCost)).cost).toBe(cost)
  })

  it("words that nobody described, another task's answer, and an end without a result are no end", async () => {
    const { own, path } = await started()
    const other = await started("done")
    for (const state of [
      { id: own, state: "DONE", file: "f" },
      { id: own, state: "toString", file: "f" },
      { id: own, state: "done", file: "" },
      { id: own, state: { done: true }, file: "f" },
      { id: other.own, state: "done", file: "of another", seconds: 1 }
    ]) {
      states.set(own, JSON.stringify(state))
      await pause()
      const seen = await ask("GET", path)
      expect([seen.status, seen.cost]).toEqual([200, null])
      expect(seen.text).not.toContain("of another")
    }
    states.set(own, JSON.stringify({ id: own, state: "broken" }))
    expect((await until(path, hasCost)).cost).toBe("0")
  })

  it("an end stays, whatever the upstream says later", async () => {
    const { own, path } = await started()
    states.set(own, JSON.stringify({ id: own, state: "done", file: "f", seconds: 1 }))
    const done = await until(path, hasCost)
    expect(done.cost).toBe("10000")
    for (const state of ["broken", "stopped", "queued"]) {
      states.set(own, JSON.stringify({ id: own, state, seconds: 100, file: "g" }))
      await pause()
      expect(await ask("GET", path)).toMatchObject({ text: done.text, cost: "10000" })
    }
    await pause()
    expect(await ask("DELETE", path)).toMatchObject({ status: 200, text: done.text })
    expect(heard).not.toContain(`POST /jobs/${own}/stop`)
  })

  it("canceling twice asks twice at most, and a task that ends meanwhile is charged once", async () => {
    const { own, path } = await started()
    onCancel = (id) => {
      states.set(id, JSON.stringify({ id, state: "done", file: "f", seconds: 3 }))
      return 200
    }
    const both = await Promise.all([ask("DELETE", path), ask("DELETE", path)])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    await pause()
    expect((await until(path, hasCost)).cost).toBe("30000")
    expect(heard.filter((line) => line === `POST /jobs/${own}/stop`).length).toBeLessThanOrEqual(2)
    onCancel = () => 409
    const other = await started()
    expect((await ask("DELETE", other.path)).status).toBe(400)
    onCancel = () => 200
  })

  it("a create that is repeated under its key starts none, and gets the same task", async () => {
    const own = `own-${++made}`
    const headers = { "idempotency-key": own, "x-tollgate-idempotency-mode": "replay" }
    const before = heard.filter((line) => line === "POST /jobs").length
    const one = await create(JSON.stringify({ id: own }), { headers })
    const two = await create(JSON.stringify({ id: own }), { headers })
    expect([one.status, two.status, two.text, two.replayed]).toEqual([202, 202, one.text, "true"])
    expect((await create(JSON.stringify({ id: "else" }), { headers })).status).toBe(422)
    expect((await create(JSON.stringify({ id: `${own}b` }), { headers, key: second })).status).toBe(202)
    expect(heard.filter((line) => line === "POST /jobs").length - before).toBe(2)
  })

  it("a refusal of the create is handed on, and costs nothing", async () => {
    const { cost, status } = await create('{"id":"x","error":"full"}', { status: 400 })
    expect([status, cost ?? "0"]).toEqual([400, "0"])
    expect((await create('{"id":"y","success":false}')).cost ?? "0").toBe("0")
  })
})
