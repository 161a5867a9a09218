import { emptyDatabase, hasPostgres } from "@tollgate/testing/store/postgres"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ask, bearer, headersOf, nameIn, profile, signIn, type Tab } from "./consoleTab.ts"
import { addressIn, folder, type Program, removeFolders, start } from "./program.ts"

const accounts = "/admin/v1/accounts"
const token = "the-admin-token-of-both-gateways"
const otherToken = "the-admin-token-that-comes-after-it"

const scope = Scope.makeUnsafe()
const running: Array<Program> = []
let shared: Readonly<Record<string, string>>

/** Its address. It keeps nothing on its disk. */
const begin = async (adminToken: string) => {
  const program = start({ ...shared, TOLLGATE_ADMIN_TOKEN: adminToken, TOLLGATE_DATA: join(folder(), "data") })
  running.push(program)
  return { program, address: addressIn(await program.started) }
}

const statusAt = async (address: string, path: string, tab: Tab) =>
  (await ask(address, "GET", path, headersOf(tab))).status

const post = async (address: string, path: string, body: object) =>
  JSON.parse((await ask(address, "POST", path, bearer(token), JSON.stringify(body))).body) as Record<string, string>

const newKey = async (address: string, label: string) => {
  const { id } = await post(address, accounts, { label })
  const { id: keyId = "", key = "" } = await post(address, `${accounts}/${id}/keys`, { label })
  return { id: keyId, key }
}

describe.runIf(hasPostgres)("a session of the console, with two gateways on one store", () => {
  let first: Awaited<ReturnType<typeof begin>>
  let second: typeof first

  beforeAll(async () => {
    shared = {
      TOLLGATE_STORE: await Effect.runPromise(Effect.map(Scope.provide(emptyDatabase, scope), Redacted.value)),
      TOLLGATE_SECRET: randomBytes(32).toString("base64")
    }
    ;[first, second] = await Promise.all([begin(token), begin(token)])
  })
  afterAll(async () => {
    await Promise.all(running.map(({ stop }) => stop()))
    await Effect.runPromise(Scope.close(scope, Exit.void))
    removeFolders()
  })

  it("is begun at one and used at the other; ended at the other, it is gone at the first", async () => {
    const { key } = await newKey(first.address, "both")
    const tab = await signIn(first.address, "account", key)
    const stays = await signIn(second.address, "account", key)
    for (const { address } of [second, first]) {
      const shown = await ask(address, "GET", profile, headersOf(tab))
      expect([shown.status, nameIn(shown)]).toEqual([200, "both"])
    }
    const ended = await ask(second.address, "DELETE", "/console/account", headersOf(tab))
    expect([ended.status, ended.body]).toEqual([200, '{"ended":true}'])
    for (const { address } of [first, second]) {
      expect(await statusAt(address, profile, tab)).toBe(401)
      expect(await statusAt(address, profile, stays)).toBe(200)
    }
  })

  it("acts for nobody at either once its key is revoked at one", async () => {
    const { id, key } = await newKey(first.address, "revoked")
    const tab = await signIn(first.address, "account", key)
    for (const { address } of [first, second]) expect(await statusAt(address, profile, tab)).toBe(200)
    await post(second.address, `/admin/v1/keys/${id}/revoke`, {})
    for (const { address } of [first, second]) {
      await expect.poll(() => statusAt(address, profile, tab)).toBe(401)
    }
  })

  it("keeps at most 20 of a key, whichever gateway begins them", async () => {
    const { key } = await newKey(first.address, "many")
    const begun = await Promise.all(
      Array.from({ length: 60 }, (_, i) => signIn((i % 2 === 0 ? first : second).address, "account", key))
    )
    const found = await Promise.all(begun.map((tab) => statusAt(first.address, profile, tab)))
    expect(found.toSorted()).toEqual([
      ...Array.from({ length: 20 }, () => 200),
      ...Array.from({ length: 40 }, () => 401)
    ])
  })

  it("of the operator ends for both as soon as a gateway with another admin token sees it", async () => {
    const tab = await signIn(first.address, "operator", token)
    for (const { address } of [first, second]) expect(await statusAt(address, accounts, tab)).toBe(200)
    await second.program.stop()
    const replaced = await begin(otherToken)
    expect(await statusAt(first.address, accounts, tab)).toBe(200)
    for (const { address } of [replaced, first]) expect(await statusAt(address, accounts, tab)).toBe(401)
    const later = await signIn(replaced.address, "operator", otherToken)
    expect(await statusAt(replaced.address, accounts, later)).toBe(200)
  })
})
