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
    for (const file of files) writeFileSync(file, JSON.stringify({ sandbox: true, replayByDefault: true }))
    const gateways = await admin(addresses[0], "/gateways")
    expect(gateways).toMatchObject({ gateways: [{ config_differs: false }, { config_differs: false }] })
    const before = await Promise.all(addresses.map((address) => admin(address, "/config")))
    expect(await admin(addresses[0], "/config/reload", "POST")).toMatchObject({ valid: true, in_force: true })
    await until(
      () => admin(addresses[1], "/config"),
      ({ loaded_at }) => loaded_at !== before[1].loaded_at
    )
    // Both files that were in force are in the trail, once each.
    const recorded = await query(
      store,
      "SELECT who, after FROM trail WHERE action = 'configuration loaded' ORDER BY seq"
    )
    expect(recorded.map(({ after, who }) => [who, JSON.parse(String(after)).changes])).toEqual([
      ["configuration", ["sandbox added: true"]],
      ["shared token", ["replayByDefault added: true"]]
    ])
    // A file that is not the same on both shows.
    writeFileSync(files[1] ?? "", JSON.stringify({ sandbox: true, signupCredit: "4" }))
    await admin(addresses[1], "/config/reload", "POST")
    await until(
      () => tollgate(shared, "gateways", "--json"),
      ({ stdout }) => stdout.includes('"config_differs": true')
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

  it("one with another configuration is not ready, says which sections differ, and a change can be rolled out", async () => {
    const store = await database()
    const shared = {
      TOLLGATE_STORE: store,
      TOLLGATE_SECRET: randomBytes(32).toString("base64"),
      TOLLGATE_METRICS_TOKEN: "the-token-of-metrics"
    }
    const priced = (amount: string) => ({
      sandbox: true,
      prices: { operations: { rerank: { contract: "per_request", amount } } }
    })
    const started = async (env: Record<string, string>) => {
      const program = run({ ...shared, ...env, TOLLGATE_DATA: join(folder(), "data") })
      return { program, address: addressIn(await program.started) }
    }
    const readyAt = async (address: string) => {
      const answer = await fetch(`${address}/readyz`)
      return { status: answer.status, text: await answer.text() }
    }
    const metricAt = async (address: string, state: string) => {
      const headers = { authorization: `Bearer ${shared.TOLLGATE_METRICS_TOKEN}` }
      const text = await (await fetch(`${address}/metrics`, { headers })).text()
      return new RegExp(`tollgate_configuration_differing_sections{state="${state}"} (\\d+)`).exec(text)?.[1]
    }
    const file = configFile(priced("0.01"))
    const first = await started({ TOLLGATE_CONFIG: file })
    const same = await started({ TOLLGATE_CONFIG: configFile(priced("0.01")) })
    const without = await started({})
    const other = await started({ TOLLGATE_CONFIG: configFile(priced("0.02")) })
    expect([await readyAt(first.address), await readyAt(same.address)]).toEqual(
      [first, same].map(() => ({ status: 200, text: "ready" }))
    )
    expect(await readyAt(without.address)).toEqual({
      status: 503,
      text: expect.stringMatching(/differs .* in prices, sandbox; this gateway has no file: set TOLLGATE_CONFIG$/)
    })
    expect(await readyAt(other.address)).toEqual({ status: 503, text: expect.stringContaining(" in prices; ") })
    expect(await metricAt(other.address, "differs")).toBe("1")
    expect(await metricAt(without.address, "differs")).toBe("2")

    // The new file is announced, and gateways that have it are ready beside those that do not have it yet.
    const next = configFile(priced("0.02"))
    const announced = await tollgate({ ...shared, TOLLGATE_CONFIG: next }, "config", "adopt")
    expect([announced.code, announced.stdout]).toEqual([0, "ok\n"])
    for (const { address } of [first, same, other]) {
      await until(
        () => readyAt(address),
        ({ status }) => status === 200
      )
    }
    await until(
      () => metricAt(first.address, "rolling"),
      (sections) => sections === "1"
    )
    // A reload on one gateway makes the others read their files; those with the new one have it then.
    writeFileSync(file, JSON.stringify(priced("0.02")))
    first.program.child.kill("SIGHUP")
    await until(
      () => metricAt(first.address, "rolling"),
      (sections) => sections === "0"
    )
    expect((await readyAt(without.address)).status).toBe(503)
    await Promise.all([first, same, without, other].map(({ program }) => program.stop()))

    // Nobody else is there: another file counts, but none at all does not.
    const alone = await started({})
    expect((await readyAt(alone.address)).status).toBe(503)
    await alone.program.stop()
    const changed = await started({ TOLLGATE_CONFIG: configFile(priced("0.03")) })
    expect((await readyAt(changed.address)).status).toBe(200)
  })
})
