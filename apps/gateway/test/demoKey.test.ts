import { writeFileSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { afterAll, afterEach, describe, expect, it } from "vitest"
import { addressIn, folder, keyIn, removeFolders, rerank } from "./program.ts"
import { type Gateway, startGateway, tollgate } from "./tollgate.ts"

type Headers = Readonly<Record<string, string>>

const running: Array<Gateway> = []
const start = async (env: Headers) => {
  const gateway = await startGateway(env)
  running.push(gateway)
  return gateway
}
afterEach(() => Promise.all(running.splice(0).map(({ stop }) => stop())))
afterAll(removeFolders)

const path = "/account/v1/demo"

/** Node's own client, as fetch does not let a test choose these headers. */
const ask = (address: string, method: string, headers: Headers, from = "127.0.0.1") =>
  new Promise<{ readonly status: number; readonly body: string }>((resolve, reject) => {
    const { host, port } = new URL(address)
    const asked = request(
      { host: "127.0.0.1", port, path, method, localAddress: from, headers: { host, ...headers } },
      (answer) => {
        let body = ""
        answer.setEncoding("utf8").on("data", (text: string) => (body += text))
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body }))
      }
    )
    asked.on("error", reject).end()
  })

const ownPage = { "sec-fetch-site": "same-origin" }

const isOffered = async (address: string, headers: Headers = {}) => {
  const [asked, got] = [await ask(address, "GET", headers), await ask(address, "POST", { ...ownPage, ...headers })]
  expect([asked.status, got.status]).toEqual([200, got.body.includes("tg_") ? 200 : 404])
  expect(asked.body).not.toContain("tg_")
  return [(JSON.parse(asked.body) as { readonly available: boolean }).available, got.status === 200]
}

describe("the key that the first start creates", () => {
  it("is given to a page of the gateway on the same machine, and works", async () => {
    const { banner } = await start({ TOLLGATE_DATA: folder() })
    const address = addressIn(banner)
    const { port } = new URL(address)
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]) {
      const given = await ask(address, "POST", { ...ownPage, host, origin: `http://${host}` })
      expect([given.status, JSON.parse(given.body)], host).toEqual([200, { key: keyIn(banner) }])
      expect(await isOffered(address, { host })).toEqual([true, true])
    }
    expect((await rerank(address, keyIn(banner))).status).toBe(200)
    expect((await ask(address, "GET", { "sec-fetch-site": "none" })).body).toBe('{"available":true}')
  })

  it("is not given under another name, to another site, through a proxy, or to a program that is no page", async () => {
    const { banner } = await start({ TOLLGATE_DATA: folder() })
    const address = addressIn(banner)
    const { host, port } = new URL(address)
    const hostile: ReadonlyArray<Headers> = [
      // A name that an attacker's DNS points here.
      { host: "evil.example" },
      { host: `evil.example:${port}` },
      { host: `127.0.0.1.evil.example:${port}` },
      { host: `localhost.evil.example:${port}` },
      { host: `evil.example#127.0.0.1:${port}` },
      { host: `127.0.0.1:${port}@evil.example` },
      { host: "0.0.0.0" },
      { host: "localhost." },
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: `https://${host}` },
      { "x-forwarded-for": "127.0.0.1" },
      { "x-forwarded-host": host },
      { "x-forwarded-proto": "https" },
      { "x-real-ip": "127.0.0.1" },
      { forwarded: "for=127.0.0.1" },
      { via: "1.1 proxy" }
    ]
    for (const headers of hostile) {
      const given = await ask(address, "POST", { ...ownPage, ...headers })
      expect(given.status, JSON.stringify(headers)).not.toBe(200)
      expect(given.body, JSON.stringify(headers)).not.toContain("tg_")
      if (headers.origin !== undefined) continue
      expect((await ask(address, "GET", headers)).body, JSON.stringify(headers)).not.toContain("true")
    }
    const sites: ReadonlyArray<Headers> = [
      {},
      { "sec-fetch-site": "none" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-origin, cross-site" }
    ]
    for (const headers of sites) {
      const given = await ask(address, "POST", headers)
      expect([given.status, given.body.includes("tg_")], JSON.stringify(headers)).toEqual([404, false])
    }
    for (const site of ["same-site", "cross-site"]) {
      expect((await ask(address, "GET", { "sec-fetch-site": site })).body).toBe('{"available":false}')
    }
    expect((await ask(address, "DELETE", ownPage)).status).toBe(405)
    expect(await isOffered(address)).toEqual([true, true])
  })

  it("is not given any more once it is revoked", async () => {
    const data = folder()
    const { banner } = await start({ TOLLGATE_DATA: data })
    const [, id = ""] = /(key_\w+)/.exec((await tollgate({ TOLLGATE_DATA: data }, "keys", "list")).stdout) ?? []
    expect((await tollgate({ TOLLGATE_DATA: data }, "keys", "revoke", id)).code).toBe(0)
    expect(await isOffered(addressIn(banner))).toEqual([false, false])
  })

  it("is not given by a later start, nor is any other key", async () => {
    const data = folder()
    await (await startGateway({ TOLLGATE_DATA: data })).stop()
    expect(await isOffered(addressIn((await start({ TOLLGATE_DATA: data })).banner))).toEqual([false, false])
    const bootstrap = { TOLLGATE_DATA: folder(), TOLLGATE_BOOTSTRAP_KEY: "tg_00000000000000000000000000000000s858ht0" }
    expect(await isOffered(addressIn((await start(bootstrap)).banner))).toEqual([false, false])
  })

  it("is not given by a gateway with another upstream than the sandbox", async () => {
    const config = join(folder(), "tollgate.jsonc")
    const upstreams = { other: { baseUrl: "https://upstream.example", protocol: "json" } }
    writeFileSync(config, JSON.stringify({ sandbox: true, upstreams }))
    const { banner } = await start({ TOLLGATE_DATA: folder(), TOLLGATE_CONFIG: config })
    expect(keyIn(banner)).toMatch(/^tg_/)
    expect(await isOffered(addressIn(banner))).toEqual([false, false])
  })

  it("is not given by a gateway that is behind a proxy, or that others know by another address", async () => {
    for (const env of [{ TOLLGATE_TRUSTED_PROXIES: "1" }, { TOLLGATE_BASE_URL: "https://gate.example" }]) {
      const { banner } = await start({ TOLLGATE_DATA: folder(), ...env })
      expect(await isOffered(addressIn(banner))).toEqual([false, false])
    }
    const local = { TOLLGATE_DATA: folder(), TOLLGATE_BASE_URL: "http://localhost:8787" }
    expect(await isOffered(addressIn((await start(local)).banner))).toEqual([true, true])
  })
})
