import { type ChildProcess, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { createServer, type IncomingHttpHeaders, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { addressIn, bytesIn, folder, keyIn, removeFolders, rerank } from "./program.ts"
import { type Gateway, startGateway, tollgate } from "./tollgate.ts"
import { until } from "./commands/setup.ts"

const secret = `whsec_${randomBytes(32).toString("base64")}`
const adminToken = "admin-token-for-tests"

interface Message {
  readonly id: string
  readonly path: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

const received: Array<Message> = []
let receiver: Server
let origin: string
const ofType = (type: string) => received.filter((message) => message.type === type)

beforeAll(async () => {
  receiver = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (part: string) => (body += part))
    request.on("end", () => {
      const { data, type } = JSON.parse(body) as Pick<Message, "data" | "type">
      received.push({
        id: String(request.headers["webhook-id"]),
        path: request.url,
        headers: request.headers,
        type,
        data
      })
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((ready) => receiver.listen(0, "127.0.0.1", ready))
  origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
})

const gateways: Array<Gateway> = []
const children: Array<ChildProcess> = []
afterEach(async () => {
  await Promise.all(gateways.splice(0).map(({ stop }) => stop()))
  for (const child of children.splice(0)) child.kill()
})
afterAll(() => {
  receiver.close()
  removeFolders()
})

const running = async (config: object) => {
  const data = folder()
  const file = join(folder(), "tollgate.jsonc")
  const environment = {
    TOLLGATE_DATA: data,
    TOLLGATE_CONFIG: file,
    TOLLGATE_ADMIN_TOKEN: adminToken,
    WEBHOOK_SECRET: secret
  }
  const write = (config: object) => writeFileSync(file, JSON.stringify(config))
  write(config)
  const gateway = await startGateway(environment)
  gateways.push(gateway)
  const address = addressIn(gateway.banner)
  const json = async (...words: ReadonlyArray<string>) => {
    const { code, stderr, stdout } = await tollgate(environment, ...words, "--json")
    expect([code, stderr]).toEqual([0, ""])
    return JSON.parse(stdout) as Record<string, unknown>
  }
  const admin = async (method: string, path: string) => {
    const answer = await fetch(`${address}/admin/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${adminToken}` }
    })
    return { status: answer.status, text: await answer.text() }
  }
  return { data, address, key: keyIn(gateway.banner), write, json, admin, environment }
}

const endpoint = (path: string, rest: object = {}) => ({
  url: `${origin}${path}`,
  secret: { env: "WEBHOOK_SECRET" },
  private: true,
  ...rest
})

describe("a gateway with webhooks", () => {
  it("tells of balances and budgets, also of what commands change, and sends again what it is asked to", async () => {
    const { address, admin, data, environment, json, write } = await running({
      sandbox: true,
      prices: { operations: { rerank: { contract: "per_request", amount: "0.001" } } },
      webhooks: [endpoint("/in?token=t0ken", { balanceBelow: "4" })]
    })
    const { id: account } = await json("accounts", "create", "Acme")
    const key = await json("keys", "create", String(account), "--budget", "0.001")
    expect((await rerank(address, String(key.key))).status).toBe(200)
    await until(async () => ofType("budget.reached").length === 2)
    expect(
      ofType("budget.reached")
        .map(({ data }) => data.percent)
        .toSorted()
    ).toEqual([100, 80])
    await json("adjust", String(account), "-1.5", "--note", "back")
    await until(async () => ofType("balance.low").length === 1)
    const [low] = ofType("balance.low")
    expect(low).toMatchObject({
      path: "/in?token=t0ken",
      data: { account, balance_micros_usd: 3_499_000, threshold_micros_usd: 4_000_000 }
    })
    // A record may follow its answer.
    await until(
      async () =>
        ((await json("webhooks", "list", "--state", "delivered")).webhooks as ReadonlyArray<unknown>).length === 3
    )

    const listed = await tollgate(environment, "webhooks", "list")
    expect(listed.stdout).toMatch(new RegExp(`^${low!.id} +balance.low +${origin} +delivered +1 +status 204 `, "m"))
    const shown = await admin("GET", "/webhooks?state=delivered&limit=2")
    expect(JSON.parse(shown.text)).toMatchObject({
      endpoints: [{ origin, balance_below_micros_usd: 4_000_000 }],
      webhooks: [{ state: "delivered", attempts: 1, result: "status 204", next_at: null }, {}]
    })
    for (const text of [listed.stdout, shown.text, bytesIn(data)]) {
      expect(text).not.toContain("t0ken")
      expect(text).not.toContain(secret)
    }

    expect((await admin("POST", `/webhooks/${low!.id}/resend`)).status).toBe(200)
    await until(async () => ofType("balance.low").length === 2)
    expect(ofType("balance.low").map(({ id }) => id)).toEqual([low!.id, low!.id])
    await json("webhooks", "resend", low!.id)
    await until(async () => ofType("balance.low").length === 3)
    for (const [method, path, status] of [
      ["POST", "/webhooks/msg_none/resend", 404],
      ["GET", "/webhooks?state=lost", 400],
      ["GET", "/webhooks?limit=1001", 400],
      ["GET", "/webhooks?limit=0", 400],
      ["DELETE", "/webhooks", 405]
    ] as const) {
      expect((await admin(method, path)).status, path).toBe(status)
    }

    write({ sandbox: true, webhooks: [endpoint("/other", { events: ["balance.low"], balanceBelow: "3" })] })
    expect((await admin("POST", "/config/reload")).text).toContain('"in_force":true')
    await json("adjust", String(account), "-1", "--note", "back")
    await until(async () => ofType("balance.low").length === 4)
    expect(ofType("balance.low")[3]).toMatchObject({ path: "/other", data: { threshold_micros_usd: 3_000_000 } })
  })

  it("tells that an upstream cannot be reached", async () => {
    const closed = createServer()
    await new Promise<void>((ready) => closed.listen(0, "127.0.0.1", ready))
    const { port } = closed.address() as AddressInfo
    await new Promise((done) => closed.close(done))
    const { address, key } = await running({
      upstreams: { dead: { baseUrl: `http://127.0.0.1:${port}`, protocol: "json", private: true } },
      routes: [{ operation: "rerank", to: [{ upstream: "dead" }] }],
      webhooks: [endpoint("/in")]
    })
    for (let i = 0; i < 6; i++) await rerank(address, key)
    await until(async () => ofType("upstream.down").length > 0)
    expect(ofType("upstream.down")).toMatchObject([{ data: { upstream: "dead" } }])
  })
})

describe("tollgate webhooks", () => {
  const idle = (webhooks: unknown) => {
    const file = join(folder(), "tollgate.jsonc")
    writeFileSync(file, JSON.stringify({ webhooks }))
    return (...words: ReadonlyArray<string>) =>
      tollgate({ TOLLGATE_CONFIG: file, TOLLGATE_DATA: folder(), WEBHOOK_SECRET: secret }, "webhooks", ...words)
  }

  it("test sends an event to one address or to all", async () => {
    const command = idle([endpoint("/one"), endpoint("/two")])
    const one = await command("test", `${origin}/one`)
    expect(one).toMatchObject({ code: 0, stderr: "" })
    expect(one.stdout).toMatch(new RegExp(`^${origin} +delivered +status 204$`, "m"))
    expect((await command("test", "all", "--json")).stdout).toContain('"outcome": "delivered"')
    expect(
      ofType("test")
        .map(({ path }) => path)
        .toSorted()
    ).toEqual(["/one", "/one", "/two"])
    expect(await command("test", `${origin}/three`)).toMatchObject({
      code: 1,
      stderr: "No endpoint has this address.\n"
    })
    expect(await idle([])("test", "all")).toMatchObject({
      code: 1,
      stderr: "The configuration file has no webhooks.\n"
    })
  })

  it("says what is missing", async () => {
    const command = idle([])
    for (const words of [["resend"], ["resend", "msg_1", "--failed"]]) {
      expect(await command(...words)).toMatchObject({ code: 1, stderr: "Give the id of a message, or --failed\n" })
    }
    expect((await command("resend", "--failed")).stderr).toMatch(/^TOLLGATE_DATA: .* is not a gateway's data folder/)
    expect((await command("list", "--state", "lost")).code).toBe(1)
    const invalid = await idle([{ url: "x" }])("test", "all")
    expect(invalid).toMatchObject({ code: 1, stderr: expect.stringContaining("webhooks[0].secret") })
  })
})

describe("docs/webhooks.md", () => {
  it("has a receiver that takes what is signed and nothing else", async () => {
    const text = readFileSync(join(import.meta.dirname, "../../../docs/webhooks.md"), "utf8")
    const program = join(folder(), "receive.mjs")
    writeFileSync(program, /^```js\n([^]*?)^```$/m.exec(text)?.[1] ?? "")
    const child = spawn(process.execPath, [program], { env: { PORT: "0", WEBHOOK_SECRET: secret }, stdio: "pipe" })
    children.push(child)
    let printed = ""
    child.stdout.setEncoding("utf8").on("data", (part: string) => (printed += part))
    await until(async () => printed.includes("listening on"))
    const url = `http://127.0.0.1:${/listening on (\d+)/.exec(printed)?.[1]}/`
    const file = join(folder(), "tollgate.jsonc")
    writeFileSync(file, JSON.stringify({ webhooks: [{ url, private: true, secret: { env: "GIVEN" } }] }))
    const test = (given: string) => tollgate({ TOLLGATE_CONFIG: file, GIVEN: given }, "webhooks", "test", "all")
    expect((await test(secret)).stdout).toContain("status 204")
    await until(async () => /msg_test_\S+ test \{\}/.test(printed))
    const wrong = await test(`whsec_${randomBytes(32).toString("base64")}`)
    expect(wrong).toMatchObject({ code: 1, stderr: "1 of 1 did not accept it.\n" })
    expect(wrong.stdout).toContain("status 401")
    for (const time of ["", "x", "1", String(Date.now())]) {
      const headers = { "webhook-id": "msg", "webhook-timestamp": time, "webhook-signature": "v1,AAAA" }
      expect((await fetch(url, { method: "POST", headers, body: "{}" })).status).toBe(401)
    }
  })
})
