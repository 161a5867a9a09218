import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterAll, afterEach, expect, it } from "vitest"
import { addressIn, folder, keyIn, type Program, removeFolders, start } from "./program.ts"

const running: Array<Program> = []
const closing: Array<() => void> = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((program) => program.stop()))
  for (const close of closing.splice(0)) close()
})
afterAll(removeFolders)

const completion = JSON.stringify({
  id: "c1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "Because." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 9, total_tokens: 10 }
})

/** An upstream that knows some credentials, and counts what it answered by credential and status. */
const upstream = async () => {
  const known = new Set<string>()
  const asked: Array<string> = []
  const server = createServer((req, res) => {
    req.resume().once("end", () => {
      const credential = req.headers.authorization?.replace("Bearer ", "") ?? ""
      const status = known.has(credential) ? 200 : 401
      asked.push(`${credential} ${status}`)
      res.writeHead(status, { "content-type": "application/json" })
      res.end(status === 200 ? completion : JSON.stringify({ error: { message: `bad key ${credential}` } }))
    })
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  closing.push(() => server.close().closeAllConnections())
  return { known, asked, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const gateway = async (baseUrl: string, credential: object) =>
  gatewayTo({ baseUrl, protocol: "openai", private: true, credential })

const gatewayTo = async (up: object) => {
  const file = join(folder(), "tollgate.jsonc")
  writeFileSync(
    file,
    JSON.stringify({
      upstreams: { up },
      routes: [{ operation: "chat.completions", model: "m", to: [{ upstream: "up" }] }],
      prices: { models: { m: { input: "1000", output: "1000" } } }
    })
  )
  const token = "the-token-of-the-operator"
  const program = start({ TOLLGATE_DATA: folder(), TOLLGATE_CONFIG: file, TOLLGATE_ADMIN_TOKEN: token })
  running.push(program)
  const banner = await program.started
  let output = ""
  for (const stream of [program.child.stdout, program.child.stderr]) {
    stream?.on("data", (text: string) => (output += text))
  }
  const chat = async () => {
    const answer = await fetch(`${addressIn(banner)}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${keyIn(banner)}` },
      body: JSON.stringify({ model: "m", max_tokens: 20, messages: [{ role: "user", content: "Why?" }] })
    })
    return { status: answer.status, cost: answer.headers.get("x-tollgate-cost-micros-usd"), text: await answer.text() }
  }
  const configuration = async (what: "check" | "reload") => {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await fetch(`${addressIn(banner)}/admin/v1/config/${what}`, { method: "POST", headers, body: "{}" })
    return (await answer.json()) as { readonly valid: boolean; readonly in_force: boolean }
  }
  return { chat, configuration, output: () => output }
}

it("a credential is read from a file, and again at a reload", async () => {
  const { asked, baseUrl, known } = await upstream()
  const secret = join(folder(), "key")
  writeFileSync(secret, "first-key\n")
  known.add("first-key")
  const { chat, configuration } = await gateway(baseUrl, { file: secret })
  expect(await chat()).toMatchObject({ status: 200, cost: "10000" })
  known.clear()
  known.add("second-key")
  expect(await chat()).toMatchObject({ status: 503 })
  writeFileSync(secret, "second-key\n")
  // The configuration file is the same, but what it names is not in force yet.
  expect(await configuration("check")).toMatchObject({ valid: true, in_force: false })
  expect(await configuration("reload")).toMatchObject({ valid: true, in_force: true })
  expect(await configuration("check")).toMatchObject({ valid: true, in_force: true })
  expect(await chat()).toMatchObject({ status: 200, cost: "10000" })
  expect(asked).toEqual(["first-key 200", "first-key 401", "second-key 200"])
  for (const wrong of ["", "two words"]) {
    writeFileSync(secret, wrong)
    expect(await configuration("reload")).toMatchObject({ valid: false, in_force: false })
  }
  expect(await chat()).toMatchObject({ status: 200 })
})

it("of two credentials the second is used once the first is refused, without a restart and without a failed call", async () => {
  const { asked, baseUrl, known } = await upstream()
  const [first, second] = [join(folder(), "key"), join(folder(), "next")]
  writeFileSync(first, "old-key")
  writeFileSync(second, "new-key")
  known.add("old-key")
  const { chat, output } = await gateway(baseUrl, { file: first, second: { file: second } })
  expect(await chat()).toMatchObject({ status: 200 })
  known.add("new-key")
  known.delete("old-key")
  const answers = await Promise.all(Array.from({ length: 4 }, chat))
  for (const answer of answers) expect(answer).toMatchObject({ status: 200, cost: "10000" })
  asked.length = 0
  expect(await chat()).toMatchObject({ status: 200 })
  expect(asked).toEqual(["new-key 200"])
  // Neither works: the caller is not told what the upstream said, and nothing is charged.
  known.clear()
  const refused = await chat()
  expect([refused.status, refused.cost ?? "0"]).toEqual([503, "0"])
  await expect.poll(output).toContain("the upstream refused a credential; its other one is used")
  expect(refused.text + output()).not.toMatch(/old-key|new-key/)
})

it("the secret of an account at a cloud is read again when its token is refused, and a changed file is noticed", async () => {
  const { asked, baseUrl, known } = await upstream()
  const secret = join(folder(), "entra")
  writeFileSync(secret, "first-secret\n")
  let right = "first-secret"
  let issued = 0
  const entra = createServer((req, res) => {
    let body = ""
    req
      .on("data", (chunk: Buffer) => (body += chunk.toString()))
      .once("end", () => {
        const isRight = new URLSearchParams(body).get("client_secret") === right && req.url === "/t-1/oauth2/v2.0/token"
        if (isRight) known.add(`token-${++issued}`)
        res.writeHead(isRight ? 200 : 401, { "content-type": "application/json" })
        const error = { error: "invalid_client", error_description: "AADSTS7000215: Invalid client secret" }
        res.end(JSON.stringify(isRight ? { access_token: `token-${issued}`, expires_in: 3600 } : error))
      })
  })
  await new Promise<void>((listening) => entra.listen(0, "127.0.0.1", listening))
  closing.push(() => entra.close().closeAllConnections())
  const authority = `http://127.0.0.1:${(entra.address() as AddressInfo).port}`
  const azure = { tenant: "t-1", clientId: "c-1", clientSecret: { file: secret }, authority }
  const { chat, configuration, output } = await gatewayTo({
    baseUrl,
    protocol: "openai",
    private: true,
    cloud: { azure }
  })
  expect(await chat()).toMatchObject({ status: 200, cost: "10000" })
  known.clear()
  right = "second-secret"
  writeFileSync(secret, "second-secret")
  expect(await configuration("check")).toMatchObject({ valid: true, in_force: false })
  expect(await chat()).toMatchObject({ status: 200, cost: "10000" })
  expect(asked).toEqual(["token-1 200", "token-1 401", "token-2 200"])
  writeFileSync(secret, "wrong-secret")
  expect(await configuration("reload")).toMatchObject({ valid: true, in_force: true })
  expect((await chat()).status).toBe(503)
  await expect.poll(output).toContain("AADSTS7000215")
  expect(output()).not.toMatch(/(?:first|second|wrong)-secret|token-\d/)
})
