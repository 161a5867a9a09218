import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { folder } from "../program.ts"
import { tollgate } from "../tollgate.ts"
import { type Fields, idleStore, runningGateway } from "./setup.ts"

const { command, data, json, newAccount } = idleStore()

const dayMillis = 86_400_000

const clientsIn = async (account: string) =>
  ((await json("clients", "list", account)) as { readonly clients: ReadonlyArray<Fields> }).clients

describe("tollgate clients", () => {
  it("creates a client with the terms that people are proposed, and shows its secret once", async () => {
    const account = await newAccount()
    expect((await command("clients", "list", account)).stdout).toBe("There are no clients.\n")
    const before = Date.now()
    const made = await json("clients", "create", account, "Nightly report")
    expect(made).toMatchObject({
      account,
      client_id: expect.stringMatching(/^machine_[0-9a-f]{20}$/),
      client_secret: expect.stringMatching(/^tgs_[0-9a-f]{64}$/),
      client_name: "Nightly report",
      scopes: ["use"],
      limit_micros_usd: 5_000_000,
      day_limit_micros_usd: 1_000_000,
      ask_above_micros_usd: null,
      allowed: null
    })
    expect(Date.parse(String(made.ends_at)) - before).toBeGreaterThanOrEqual(30 * dayMillis)
    const { client_secret, ...shown } = made
    expect(await clientsIn(account)).toEqual([shown])
    const { stdout } = await command("clients", "create", account, "Another", "--usage")
    expect(stdout).toMatch(
      /^client id +machine_\w+$[^]*\n\ntgs_\w+\nThis is the client's secret, shown this once: keep it\./m
    )
    expect(stdout).toMatch(/^scopes +use usage$/m)
    expect((await command("grants", "list", account)).stdout).not.toContain(String(client_secret))
  })

  it("takes other terms, and refuses an amount to ask above", async () => {
    const account = await newAccount()
    const terms = ["--limit", "none", "--per-day", "2.5", "--days", "7", "--categories", "models"]
    const made = await json("clients", "create", account, "Bound", ...terms)
    expect(made).toMatchObject({
      limit_micros_usd: null,
      day_limit_micros_usd: 2_500_000,
      allowed: { categories: ["models"], operations: [] }
    })
    const id = String(made.id)
    expect(await command("clients", "create", account, "Asks", "--ask-above", "1")).toMatchObject({ code: 1 })
    expect(await command("clients", "set", id, "--ask-above", "1")).toMatchObject({
      code: 1,
      stderr: `${id} is a service account: there is nobody to ask.\n`
    })
    expect(await json("clients", "set", id, "--limit", "3")).toMatchObject({ limit_micros_usd: 3_000_000 })
    expect(await json("clients", "revoke", id)).toMatchObject({ ended: true })
    expect(await command("clients", "create", "acct_none", "Nobody")).toMatchObject({
      code: 1,
      stderr: "There is no account acct_none.\n"
    })
  })

  it("and grants allow no more than the configuration file", async () => {
    const file = join(folder(), "tollgate.jsonc")
    writeFileSync(file, JSON.stringify({ oauth: { grants: { most: { total: "10", perDay: "4", days: 60 } } } }))
    const bound = (...words: ReadonlyArray<string>) =>
      tollgate({ TOLLGATE_DATA: data, TOLLGATE_CONFIG: file }, ...words)
    const account = await newAccount()
    const { id } = await json("clients", "create", account, "Bound")
    for (const [terms, message] of [
      [["--limit", "10.01"], "This gateway allows at most 10 USD in total."],
      [["--limit", "none"], "This gateway allows at most 10 USD in total."],
      [["--per-day", "5"], "This gateway allows at most 4 USD a day."],
      [["--days", "61"], "This gateway allows at most 60 days."]
    ] as const) {
      for (const words of [
        ["grants", "set", String(id)],
        ["clients", "create", account, "More"]
      ]) {
        expect(await bound(...words, ...terms), message).toMatchObject({ code: 1, stderr: `${terms[0]}: ${message}\n` })
      }
    }
    expect(await bound("grants", "set", String(id), "--limit", "10", "--days", "60")).toMatchObject({ code: 0 })
    expect(await command("grants", "set", String(id), "--days", "366")).toMatchObject({ code: 1 })
    expect(await clientsIn(account)).toHaveLength(1)
  })
})

describe("a client that the command line made", () => {
  const running = runningGateway()

  it("gets a token from the gateway that runs, until it is revoked", async () => {
    const account = await running.newAccount()
    const made = await running.json("clients", "create", account, "Nightly report")
    const ask = async () => {
      const answer = await fetch(`${running.address()}/oauth/token`, {
        method: "POST",
        headers: { authorization: `Basic ${btoa(`${String(made.client_id)}:${String(made.client_secret)}`)}` },
        body: new URLSearchParams({ grant_type: "client_credentials" })
      })
      return { status: answer.status, body: (await answer.json()) as Fields }
    }
    const { body, status } = await ask()
    expect([status, body.scope]).toEqual([200, "use"])
    const models = async () => {
      const headers = { authorization: `Bearer ${String(body.access_token)}` }
      return (await fetch(`${running.address()}/v1/models`, { headers })).status
    }
    expect(await models()).toBe(200)
    await running.json("clients", "revoke", String(made.id))
    expect(await models()).toBe(401)
    expect((await ask()).status).toBe(401)
  })
})
