import { PostgresClient } from "@tollgate/server/postgres"
import { emptyDatabase, hasPostgres } from "@tollgate/testing/store/postgres"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { SqlClient } from "effect/sql/SqlClient"
import { randomBytes } from "node:crypto"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { addressIn, folder, keyIn, removeFolders, rerank } from "./program.ts"
import { programs } from "./programs.ts"
import { tollgate } from "./tollgate.ts"

const scope = Scope.makeUnsafe()
const run = programs()
afterAll(removeFolders)
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

const database = () => Effect.runPromise(Effect.map(Scope.provide(emptyDatabase, scope), Redacted.value))

const query = (address: string, text: string) =>
  Effect.runPromise(
    SqlClient.use((sql) => sql.unsafe<Readonly<Record<string, unknown>>>(text)).pipe(
      Effect.provide(PostgresClient.layer({ address: Redacted.make(address) }))
    )
  )

/** Reads until `isReached`. The test's own time limit bounds it. */
const until = async <A>(read: () => Promise<A>, isReached: (found: A) => boolean): Promise<A> => {
  for (;;) {
    const found = await read()
    if (isReached(found)) return found
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const configFile = (content: object): string => {
  const path = join(folder(), "tollgate.jsonc")
  writeFileSync(path, JSON.stringify(content))
  return path
}

describe.runIf(hasPostgres)("two gateways that share no disk", () => {
  it("have the same keys, terms and configuration by one secret; neither writes to its folder", async () => {
    const token = "the-admin-token-of-both"
    const store = await database()
    const shared = {
      TOLLGATE_STORE: store,
      TOLLGATE_SECRET: randomBytes(32).toString("base64"),
      TOLLGATE_ADMIN_TOKEN: token
    }
    const files = [configFile({ sandbox: true }), configFile({ sandbox: true })]
    const envs = files.map((file) => ({ ...shared, TOLLGATE_CONFIG: file, TOLLGATE_DATA: join(folder(), "data") }))
    const [first, second] = envs.map((env) => run(env))
    const banners = [(await first?.started) ?? "", (await second?.started) ?? ""]
    // Both started at once on an empty database, and one of them made the account and its key.
    const [key = "", ...more] = banners.map(keyIn).filter((key) => key !== "")
    expect([more, await query(store, "SELECT label FROM accounts")]).toEqual([[], [{ label: "default" }]])
    const addresses = banners.map(addressIn)
    for (const address of addresses) expect((await rerank(address, key)).status).toBe(200)
    expect(envs.map(({ TOLLGATE_DATA }) => existsSync(TOLLGATE_DATA))).toEqual([false, false])

    const admin = async (address: string | undefined, path: string, method = "GET") => {
      const body = method === "POST" ? "{}" : null
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
      return (await fetch(`${address}/admin/v1${path}`, { method, headers, body })).json()
    }
    // Both files change, and one gateway is told to reload.
    for (const file of files) writeFileSync(file, JSON.stringify({ sandbox: true, signupCredit: "3" }))
    const gateways = await admin(addresses[0], "/gateways")
    expect(gateways).toMatchObject({ gateways: [{ config_differs: false }, { config_differs: false }] })
    const before = await Promise.all(addresses.map((address) => admin(address, "/config")))
    expect(await admin(addresses[0], "/config/reload", "POST")).toMatchObject({ valid: true, in_force: true })
    await until(
      () => admin(addresses[1], "/config"),
      ({ loaded_at }) => loaded_at !== before[1].loaded_at
    )
    // A file that is not the same on both shows.
    writeFileSync(files[1] ?? "", JSON.stringify({ sandbox: true, signupCredit: "4" }))
    await admin(addresses[1], "/config/reload", "POST")
    await until(
      () => tollgate(shared, "gateways"),
      ({ stdout }) => stdout.includes("(differs)")
    )
    const [{ id } = { id: "" }] = await query(store, "SELECT id FROM keys")
    expect((await tollgate(shared, "keys", "revoke", String(id))).code).toBe(0)
    for (const address of addresses)
      await until(
        () => rerank(address, key),
        ({ status }) => status === 401
      )

    const other = { ...shared, TOLLGATE_SECRET: randomBytes(32).toString("base64") }
    for (const words of [["start"], ["keys", "list"]]) {
      const refused = await tollgate(other, ...words)
      expect([refused.code, refused.stdout]).toEqual([1, ""])
      expect(refused.stderr).toBe(
        "TOLLGATE_SECRET: the store was made with another secret; set TOLLGATE_SECRET, or the file secret in TOLLGATE_DATA, to that of the other gateways\n"
      )
    }
    expect(JSON.stringify(await query(store, "SELECT * FROM facts"))).not.toContain(shared.TOLLGATE_SECRET)
  })
})
