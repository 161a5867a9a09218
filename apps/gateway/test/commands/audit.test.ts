import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, describe, expect, it } from "vitest"
import { addressIn, folder, keyIn, removeFolders, rerank } from "../program.ts"
import { startGateway, tollgate } from "../tollgate.ts"

afterAll(removeFolders)

describe("tollgate audit", () => {
  it("lists the differences in the ledger, exits with 1, and lists open and unknown calls", async () => {
    const data = folder()
    const gateway = await startGateway({ TOLLGATE_DATA: data })
    expect((await rerank(addressIn(gateway.banner), keyIn(gateway.banner))).status).toBe(200)
    await gateway.stop()
    const db = new DatabaseSync(join(data, "tollgate.db"))
    db.exec("UPDATE accounts SET balance = balance + 1")
    db.exec("INSERT INTO accounts (id, label, created_at, balance) VALUES ('acct_over', '', 1, -1234)")
    db.exec("INSERT INTO entries VALUES ('entry_over', 'acct_over', 'adjustment', -1234, '', 1, NULL)")
    const call = "INSERT INTO calls (id, account, key, operation, state, reserved, created_at, owner, ended_at)"
    for (const [id, state, ended] of [
      ["req_a", "open", "NULL"],
      ["req_b", "unknown", "1"]
    ] as const) {
      db.exec(
        `${call} SELECT '${id}', id, '', 'rerank', '${state}', 1500000, 1, 'x', ${ended} FROM accounts WHERE id <> 'acct_over'`
      )
    }
    db.close()
    const { code, stderr, stdout } = await tollgate({ TOLLGATE_DATA: data }, "audit")
    expect(code).toBe(1)
    expect(stderr).toMatch(/^The ledger has \d+ differences\.\n$/)
    // An overdraft is no difference.
    expect(stdout).toMatch(/^balance +acct_over +0\.001234 USD$/m)
    expect(stdout).not.toMatch(/^accounts +acct_over/m)
    expect(stdout).toMatch(/^lost to caps +0 USD$/m)
    expect(stdout).toMatch(/^accounts +acct_\S+ +balance +5000001 +5000000$/m)
    for (const [id, state] of [
      ["req_a", "open"],
      ["req_b", "unknown"]
    ]) {
      expect(stdout).toMatch(
        new RegExp(`^${id} +${state} +acct_\\S+ +rerank +1\\.5 USD +1970-01-01T00:00:00\\.001Z$`, "m")
      )
    }
    const json = await tollgate({ TOLLGATE_DATA: data }, "audit", "--json")
    expect(json.code).toBe(1)
    expect(JSON.parse(json.stdout)).toMatchObject({
      differences: expect.arrayContaining([
        expect.objectContaining({ table: "accounts", column: "balance", stored: 5_000_001, expected: 5_000_000 })
      ]),
      open: [{ request_id: "req_a", reserved_micros_usd: 1_500_000 }],
      unknown: [{ request_id: "req_b" }],
      overdrafts: [{ of: "balance", id: "acct_over", amount_micros_usd: 1_234 }],
      totals: { loss_micros_usd: 0 }
    })
  })
})

/** Reports a field of usage that nobody knows, and the tier that the message names. */
const startUpstream = async () => {
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (chunk) => (body += String(chunk)))
    request.on("end", () => {
      const [tier = ""] = /tier-[a-z0-9]+/.exec(body) ?? []
      const answer = {
        model: "m",
        service_tier: tier.slice(5) || "default",
        choices: [{ message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
        usage: { prompt_tokens: 1_000, completion_tokens: 100, dream_tokens: 7, "\u001b[2J": 1 }
      }
      response.setHeader("content-type", "application/json").end(JSON.stringify(answer))
    })
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  return { server, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

describe("tollgate audit of usage without a price", () => {
  it("lists it by name until it has a price, as the admin API does, and bounds what an upstream makes up", async () => {
    const data = folder()
    const file = join(data, "tollgate.jsonc")
    const { baseUrl, server } = await startUpstream()
    const write = (model: object) =>
      writeFileSync(
        file,
        JSON.stringify({
          upstreams: { own: { baseUrl, protocol: "openai", private: true } },
          routes: [{ operation: "chat.completions", to: [{ upstream: "own" }] }],
          prices: { models: { m: { input: "1", output: "10", ...model } } }
        })
      )
    write({})
    const token = "operator-token-0123456789"
    const env = { TOLLGATE_DATA: data, TOLLGATE_CONFIG: file, TOLLGATE_ADMIN_TOKEN: token }
    const gateway = await startGateway(env)
    const address = addressIn(gateway.banner)
    const chat = async (content: string) => {
      const answer = await fetch(`${address}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${keyIn(gateway.banner)}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "m", max_tokens: 100, messages: [{ role: "user", content }] })
      })
      expect([answer.status, await answer.text()]).toMatchObject([200, expect.any(String)])
    }
    await chat("tier-turbo")
    await chat("tier-turbo")
    // A caller who finds a way to choose what is reported does not fill the list.
    for (let i = 0; i < 30; i++) await chat(`tier-made${i}`)
    const listed = await fetch(`${address}/admin/v1/gaps`, { headers: { authorization: `Bearer ${token}` } })
    const { gaps } = (await listed.json()) as { readonly gaps: ReadonlyArray<{ readonly name: string }> }
    await gateway.stop()
    server.close()

    const { code, stdout } = await tollgate(env, "audit")
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^Used without a price in the last 30 days:\nname +model +calls +charged +first +last +example$/m
    )
    expect(stdout).toMatch(/^tiers\.turbo +m +2 +0\.00\d+ USD +20\S+Z +20\S+Z +req_\S+$/m)
    expect(stdout).toMatch(/^usage\.dream_tokens +m +32 /m)
    expect(stdout).toMatch(/^usage\.\? +m +32 /m)
    expect(stdout).not.toContain("\u001b")
    const json = JSON.parse((await tollgate(env, "audit", "--json")).stdout) as { readonly gaps: typeof gaps }
    expect(json.gaps).toEqual(gaps)
    expect(gaps.filter(({ name }) => name === "tiers.turbo")).toHaveLength(1)

    write({ tiers: { turbo: "2" } })
    const priced = (await tollgate(env, "audit")).stdout
    expect(priced).not.toContain("tiers.turbo")
    expect(priced).toContain("tiers.made0")
    expect(priced).toContain("usage.dream_tokens")
  })
})
