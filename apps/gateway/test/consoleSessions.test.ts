import type { PriceFile } from "@tollgate/contract/admin/Prices"
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { afterAll, afterEach, describe, expect, it } from "vitest"
import { ask, bearer, type Headers, headersOf, nameIn, page, profile, signIn } from "./consoleTab.ts"
import { addressIn, bytesIn, folder, keyIn, removeFolders } from "./program.ts"
import { type Gateway, startGateway, tollgate } from "./tollgate.ts"

const running: Array<Gateway> = []
afterEach(() => Promise.all(running.splice(0).map(({ stop }) => stop())))
afterAll(removeFolders)

const adminToken = "an-admin-token-of-the-test"

interface Started {
  readonly address: string
  readonly key: string
  readonly data: string
}

const admin = async (address: string, path: string, body: object) =>
  JSON.parse(
    (await ask(address, "POST", `/admin/v1${path}`, bearer(adminToken), JSON.stringify(body))).body
  ) as Readonly<Record<string, string>>

const newKey = async (address: string, label: string) => {
  const { id = "" } = await admin(address, "/accounts", { label })
  const { id: keyId = "", key = "" } = await admin(address, `/accounts/${id}/keys`, { label })
  return { account: id, id: keyId, key }
}

const rerankBody = JSON.stringify({ query: "q", documents: ["a", "b"] })
const rerank = (address: string, headers: Headers) =>
  ask(address, "POST", "/v1/rerank", { "content-type": "application/json", ...headers }, rerankBody)

const callsOf = async ({ address, key }: Started) =>
  (JSON.parse((await ask(address, "GET", "/account/v1/calls", bearer(key))).body) as { readonly calls: object[] }).calls
    .length

for (const reader of ["own", "node"]) {
  const start = async (env: Readonly<Record<string, string>> = {}): Promise<Started> => {
    const data = folder()
    const gateway = await startGateway({
      TOLLGATE_DATA: data,
      TOLLGATE_ADMIN_TOKEN: adminToken,
      TOLLGATE_HTTP_READER: reader,
      ...env
    })
    running.push(gateway)
    return { address: addressIn(gateway.banner), key: keyIn(gateway.banner), data }
  }

  /** Without an admin token. */
  const startLocal = async (data = folder()) => {
    const { banner } =
      running[running.push(await startGateway({ TOLLGATE_DATA: data, TOLLGATE_HTTP_READER: reader })) - 1]!
    return { address: addressIn(banner), banner, key: keyIn(banner), data }
  }

  describe(`a session of the console, with the reader ${reader}`, () => {
    it("stands for the key, on the account API and on operations, and is charged like it", async () => {
      const started = await start()
      const { address, key, data } = started
      const tab = await signIn(address, "account", key)
      expect(tab.set).toMatch(/^tollgate_console=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800$/)
      expect(tab.body).not.toContain(tab.cookie.split("=")[1])
      const asked = await ask(address, "GET", profile, headersOf(tab))
      expect([asked.status, nameIn(asked)]).toEqual([200, "default"])
      expect((await rerank(address, headersOf(tab))).status).toBe(200)
      expect(await callsOf(started)).toBe(1)
      expect(bytesIn(data)).not.toContain(tab.cookie.split("=")[1])
    })

    it("needs the proof that the console's own page asks, or nothing is executed", async () => {
      const started = await start()
      const { address, key } = started
      const tab = await signIn(address, "account", key)
      const { cookie, id } = tab
      const foreign: ReadonlyArray<Headers> = [
        // A form, a link and a fetch of another site, and one of another port or subdomain.
        { cookie },
        { cookie, "sec-fetch-site": "cross-site" },
        { cookie, "sec-fetch-site": "same-origin" },
        { cookie, "sec-fetch-site": "cross-site", "x-tollgate-console": id },
        { cookie, "sec-fetch-site": "same-site", "x-tollgate-console": id },
        { cookie, "sec-fetch-site": "none", "x-tollgate-console": id },
        { cookie, origin: "https://evil.example", "x-tollgate-console": id },
        { cookie, origin: "null", "x-tollgate-console": id },
        { cookie, "x-tollgate-console": id }
      ]
      for (const headers of foreign) {
        expect([headers, (await rerank(address, headers)).status]).toEqual([headers, 401])
        const ended = await ask(address, "DELETE", "/console/account", headers)
        expect([headers, ended.status]).toEqual([headers, 401])
      }
      expect(await callsOf(started)).toBe(0)
      // A browser without Sec-Fetch-Site sends its origin.
      const { host } = new URL(address)
      const old = { cookie, origin: `http://${host}`, "x-tollgate-console": id }
      expect((await rerank(address, old)).status).toBe(200)
      expect((await ask(address, "GET", profile, { cookie, "x-tollgate-console": id })).status).toBe(200)
    })

    it("is not begun for another site, with a wrong credential, or by another method", async () => {
      const { address, key } = await start()
      const post = (headers: Headers) => ask(address, "POST", "/console/account", headers)
      for (const headers of [
        bearer(key),
        { ...bearer(key), "sec-fetch-site": "same-origin" },
        { ...bearer(key), ...page, "sec-fetch-site": "cross-site" },
        { ...bearer(key), "x-tollgate-console": "new", origin: "https://evil.example" },
        page,
        { ...page, ...bearer(`${key.slice(0, -1)}x`) },
        { ...page, ...bearer("x".repeat(5_000)) },
        { ...page, ...bearer(adminToken) }
      ]) {
        const { headers: answered, status } = await post(headers)
        expect([headers, status, answered["set-cookie"]]).toEqual([headers, 401, undefined])
      }
      expect((await ask(address, "GET", "/console/account", page)).status).toBe(405)
      expect((await ask(address, "POST", "/console/operator", { ...page, ...bearer(key) })).status).toBe(401)
    })

    it("is no credential if its cookie is forged, cut, huge or there twice, or if the page means another", async () => {
      const { address, key } = await start()
      const tab = await signIn(address, "account", key)
      const other = await signIn(address, "account", key)
      const value = tab.cookie.split("=")[1] ?? ""
      const cookies = [
        "tollgate_console=",
        `tollgate_console=${value.slice(1)}`,
        `tollgate_console=${value}A`,
        `tollgate_console=${"A".repeat(43)}`,
        `tollgate_console=${"A".repeat(6_000)}`,
        `${tab.cookie}; ${tab.cookie}`,
        `${tab.cookie}; ${other.cookie}`,
        `__Host-${tab.cookie}`,
        `tollgate_operator=${value}`
      ]
      for (const cookie of cookies) {
        const { status } = await ask(address, "GET", profile, headersOf({ ...tab, cookie }))
        expect([cookie.slice(0, 80), status]).toEqual([cookie.slice(0, 80), 401])
      }
      for (const id of ["new", "", other.id]) {
        expect([id, (await ask(address, "GET", profile, headersOf({ ...tab, id }))).status]).toEqual([id, 401])
      }
      const among = headersOf({ ...tab, cookie: `a=b; ${tab.cookie}; c=d` })
      expect((await ask(address, "GET", profile, among)).status).toBe(200)
    })

    it("ends with its key, and when it is left: the row and the cookie go", async () => {
      const { address } = await start()
      const { id, key } = await newKey(address, "left")
      const tab = await signIn(address, "account", key)
      const stays = await signIn(address, "account", key)
      const left = await ask(address, "DELETE", "/console/account", headersOf(tab))
      expect([left.status, left.body]).toEqual([200, '{"ended":true}'])
      expect(left.headers["set-cookie"]).toEqual(["tollgate_console=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0"])
      expect((await ask(address, "GET", profile, headersOf(tab))).status).toBe(401)
      expect((await ask(address, "GET", profile, headersOf(stays))).status).toBe(200)
      await admin(address, `/keys/${id}/revoke`, {})
      // Keys are looked up again after a second.
      const status = async () => (await ask(address, "GET", profile, headersOf(stays))).status
      await expect.poll(status, { timeout: 20_000 }).toBe(401)
    })

    it("of two tabs that sign in as different accounts, the first one acts for nobody", async () => {
      const { address } = await start()
      const [one, two] = [await newKey(address, "one"), await newKey(address, "two")]
      const first = await signIn(address, "account", one.key)
      const second = await signIn(address, "account", two.key, { cookie: first.cookie })
      const shown = await ask(address, "GET", profile, headersOf(second))
      expect([shown.status, nameIn(shown)]).toEqual([200, "two"])
      // The browser has one cookie. The first tab still means its own session, which has ended.
      for (const tab of [first, { ...second, id: first.id }]) {
        expect((await ask(address, "GET", profile, headersOf(tab))).status).toBe(401)
      }
      const left = await ask(address, "DELETE", "/console/account", headersOf({ ...second, id: first.id }))
      expect([left.body, left.headers["set-cookie"]]).toEqual(['{"ended":false}', undefined])
      expect((await ask(address, "GET", profile, headersOf(second))).status).toBe(200)
    })

    it("of the operator is one apart: neither stands for the other", async () => {
      const { address, key } = await start()
      const account = await signIn(address, "account", key)
      const operator = await signIn(address, "operator", adminToken)
      expect(operator.set).toMatch(/^tollgate_operator=[\w-]{43}; .*; Max-Age=43200$/)
      const both = `${account.cookie}; ${operator.cookie}`
      const accounts = "/admin/v1/accounts"
      expect((await ask(address, "GET", accounts, headersOf({ ...operator, cookie: both }))).status).toBe(200)
      expect((await ask(address, "GET", profile, headersOf({ ...account, cookie: both }))).status).toBe(200)
      expect((await ask(address, "GET", accounts, headersOf({ ...account, cookie: both }))).status).toBe(401)
      expect((await ask(address, "GET", profile, headersOf({ ...operator, cookie: both }))).status).toBe(401)
      await ask(address, "DELETE", "/console/operator", headersOf({ ...operator, cookie: both }))
      expect((await ask(address, "GET", accounts, headersOf({ ...operator, cookie: both }))).status).toBe(401)
      expect((await ask(address, "GET", profile, headersOf({ ...account, cookie: both }))).status).toBe(200)
    })

    it("of the operator begins with a link, once, which the first start and a command print", async () => {
      const { address, banner, data, key } = await startLocal()
      const linkIn = (text: string) =>
        /^(?: {2}operator )?(\S+)\/operator#link=([\w-]{43})$/m.exec(text)?.slice(1) ?? []
      const [base, link = ""] = linkIn(banner)
      expect(base).toBe(address)
      const accounts = "/admin/v1/accounts"
      const tab = await signIn(address, "operator", link)
      expect((await ask(address, "GET", accounts, headersOf(tab))).status).toBe(200)
      const refused = (who: string, credential: string) =>
        ask(address, "POST", `/console/${who}`, { ...page, ...bearer(credential) })
      expect((await refused("operator", link)).status).toBe(401)
      expect((await ask(address, "GET", accounts, bearer(link))).status).toBe(401)
      const run = async (...words: ReadonlyArray<string>) =>
        (await tollgate({ TOLLGATE_DATA: data }, "sign-in", ...words)).stdout
      const [, another = ""] = linkIn(await run())
      // It opens nothing but the operator's pages, and a link of an account does not open these.
      expect((await refused("account", another)).status).toBe(401)
      expect((await ask(address, "GET", `/account/sign-in/${another}`)).body).not.toContain("<form")
      const { account = { id: "" } } = JSON.parse((await ask(address, "GET", profile, bearer(key))).body) as {
        readonly account?: { readonly id: string }
      }
      const ofAccount = /sign-in\/([\w-]{43})$/m.exec(await run(account.id))?.[1] ?? ""
      expect((await refused("operator", ofAccount)).status).toBe(401)
      expect(bytesIn(data)).not.toContain(another)
      const again = await signIn(address, "operator", another)
      await running.pop()?.stop()
      const { address: next, banner: later } = await startLocal(data)
      expect(later).toContain(`  operator ${next}/operator, with a link that tollgate sign-in prints`)
      expect((await ask(next, "GET", accounts, headersOf(again))).status).toBe(200)
    })

    it("of an operator without a token or a file changes the file of the data folder", async () => {
      const { address, banner, data } = await startLocal()
      const file = join(data, "tollgate.jsonc")
      expect([readFileSync(file, "utf8"), statSync(file).mode & 0o777]).toEqual(['{ "sandbox": true }\n', 0o600])
      const [, link = ""] = /#link=([\w-]{43})$/m.exec(banner) ?? []
      const headers = headersOf(await signIn(address, "operator", link))
      const shown = JSON.parse((await ask(address, "GET", "/admin/v1/prices/file", headers)).body) as PriceFile
      expect(shown.refusal).toBeNull()
      const prices = { operations: { rerank: { perMillion: "0.08" } } }
      const change = JSON.stringify({ prices, fingerprint: shown.fingerprint })
      const json = { ...headers, "content-type": "application/json" }
      expect((await ask(address, "POST", "/admin/v1/prices/apply", json, change)).status).toBe(200)
      expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ sandbox: true, prices })
      await running.pop()?.stop()
      const next = await startLocal(data)
      expect((await ask(next.address, "GET", "/admin/v1/prices/file", headers)).body).toContain('"0.08"')
      await running.pop()?.stop()
      // With a token the gateway is for others too, and asks for the setting.
      const shared = await start({ TOLLGATE_DATA: data })
      const refused = await ask(shared.address, "GET", "/admin/v1/prices/file", bearer(adminToken))
      expect(refused.body).toContain("TOLLGATE_CONFIG_WRITE=on")
    })

    it("opens no page of the authorization server, and tools only for the console's page", async () => {
      const { address, key } = await start()
      const tab = await signIn(address, "account", key)
      const operator = await signIn(address, "operator", adminToken)
      const json = { "content-type": "application/json", accept: "application/json, text/event-stream" }
      const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } }
      const begin = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })
      const tools = (headers: Headers) => ask(address, "POST", "/mcp", { ...json, ...headers }, begin)
      expect((await tools({ cookie: tab.cookie })).status).toBe(401)
      expect((await tools(headersOf(tab))).status).toBe(200)
      const form = { "content-type": "application/x-www-form-urlencoded" }
      const introspect = await ask(
        address,
        "POST",
        "/oauth/introspect",
        { ...form, ...headersOf(operator) },
        `token=${key}`
      )
      expect(introspect.status).not.toBe(200)
      expect((await ask(address, "GET", "/account", headersOf(tab))).body).not.toContain("Sign out")
    })

    it("is not for other origins: no answer lets them send cookies", async () => {
      const { address, key } = await start()
      const tab = await signIn(address, "account", key)
      const asked = {
        origin: "https://evil.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "x-tollgate-console, content-type"
      }
      for (const path of [
        "/console/account",
        "/console/operator",
        profile,
        "/admin/v1/accounts",
        "/v1/rerank",
        "/mcp"
      ]) {
        for (const answer of [
          await ask(address, "OPTIONS", path, asked),
          await ask(address, "POST", path, { ...headersOf(tab), origin: "https://evil.example" })
        ]) {
          expect([path, answer.headers["access-control-allow-credentials"]]).toEqual([path, undefined])
        }
      }
      for (const path of ["/console/account", "/console/operator"]) {
        const { headers } = await ask(address, "OPTIONS", path, asked)
        expect([path, headers["access-control-allow-origin"]]).toEqual([path, undefined])
      }
    })

    it("is kept over a restart, and is one by https only if the gateway's address is", async () => {
      const data = folder()
      const before = await start({ TOLLGATE_DATA: data })
      const tab = await signIn(before.address, "account", before.key)
      await Promise.all(running.splice(0).map(({ stop }) => stop()))
      const { address } = await start({ TOLLGATE_DATA: data })
      expect((await ask(address, "GET", profile, headersOf(tab))).status).toBe(200)
      const secure = await start({ TOLLGATE_BASE_URL: "https://gateway.example.com" })
      const { set, ...other } = await signIn(secure.address, "account", secure.key)
      expect(set).toMatch(
        /^__Host-tollgate_console=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800; Secure$/
      )
      expect((await ask(secure.address, "GET", profile, headersOf(other))).status).toBe(200)
      // A proxy may name the gateway as it likes. The origin is that of its address.
      const proxied = { cookie: other.cookie, "x-tollgate-console": other.id, origin: "https://gateway.example.com" }
      expect((await rerank(secure.address, proxied)).status).toBe(200)
    })

    it("a key that begins very many is slowed down, and no other at its address", async () => {
      const { address, key } = await start()
      let status = 201
      let count = 0
      for (; status === 201 && count < 1_000; count++) {
        status = (await ask(address, "POST", "/console/account", { ...page, ...bearer(key) })).status
      }
      expect([status, count > 100, count < 1_000]).toEqual([429, true, true])
      await signIn(address, "account", (await newKey(address, "another")).key)
      await signIn(address, "operator", adminToken)
    })

    it("stays when another key of its account begins 25 sessions, and failed sign-ins do not block its address", async () => {
      const { address } = await start()
      const { account, key } = await newKey(address, "shared")
      const { key: weak = "" } = await admin(address, `/accounts/${account}/keys`, { label: "weak" })
      const tab = await signIn(address, "account", key)
      for (let i = 0; i < 25; i++) await signIn(address, "account", weak)
      expect((await ask(address, "GET", profile, headersOf(tab))).status).toBe(200)
      for (let i = 0; i < 130; i++) expect((await ask(address, "POST", "/console/account", page)).status).toBe(401)
      await signIn(address, "account", key)
    })

    it("of the operator ends when the admin token is replaced, and its requests do not count as wrong guesses", async () => {
      const data = folder()
      const before = await start({ TOLLGATE_DATA: data })
      const tab = await signIn(before.address, "operator", adminToken)
      await Promise.all(running.splice(0).map(({ stop }) => stop()))
      const { address } = await start({ TOLLGATE_DATA: data, TOLLGATE_ADMIN_TOKEN: "another-admin-token-of-the-test" })
      const accounts = "/admin/v1/accounts"
      for (let i = 0; i < 30; i++) expect((await ask(address, "GET", accounts, headersOf(tab))).status).toBe(401)
      await signIn(address, "operator", "another-admin-token-of-the-test")
    })

    it("gets answers that shared caches do not keep", async () => {
      const { address, key } = await start()
      const tab = await signIn(address, "account", key)
      for (const path of ["/v1/models", profile]) {
        expect((await ask(address, "GET", path, headersOf(tab))).headers["cache-control"]).toBe("no-store")
      }
    })
  })
}
