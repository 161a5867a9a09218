import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "vitest"
import { type Fields, idleStore, isoTime } from "./setup.ts"

const { command, data, json, keysOf, newAccount, newKey } = idleStore()

const inYear = Date.now() + 365 * 86_400_000

/** As the consent page makes it, with a token. */
const addGrant = (account: string, id: string, name = "The Agent"): void => {
  const db = new DatabaseSync(join(data, "tollgate.db"))
  const key = "INSERT INTO keys (id, account, hash, label, created_at, ends_at, budget, spent, is_grant)"
  db.prepare(`${key} VALUES (?, ?, ?, ?, ?, ?, 5000000, 0, 1)`).run(
    id,
    account,
    `grant ${id}`,
    name,
    Date.now(),
    inYear
  )
  db.prepare("INSERT INTO grants (id, client_id, client_name, scopes) VALUES (?, 'client-1', ?, 'use usage')").run(
    id,
    name
  )
  db.close()
}

const grantsIn = async (...words: ReadonlyArray<string>) =>
  ((await json("grants", "list", ...words)) as { readonly grants: ReadonlyArray<Fields> }).grants

describe("tollgate grants", () => {
  it("lists what people gave to apps, of one account or of all", async () => {
    const [account, other] = [await newAccount(), await newAccount()]
    expect((await command("grants", "list", account)).stdout).toBe("There are no grants.\n")
    addGrant(account, "gr_one")
    addGrant(other, "gr_two", "An \u001b[31mAgent")
    expect(await grantsIn(account)).toEqual([
      {
        id: "gr_one",
        account,
        client_id: "client-1",
        client_name: "The Agent",
        machine: false,
        scopes: ["use", "usage"],
        created_at: expect.stringMatching(isoTime),
        ends_at: new Date(inYear).toISOString(),
        last_used_at: null,
        ended: false,
        returns_to: null,
        spent_micros_usd: 0,
        spent_today_micros_usd: 0,
        limit_micros_usd: 5_000_000,
        day_limit_micros_usd: null,
        ask_above_micros_usd: null,
        allowed: null
      }
    ])
    expect((await grantsIn()).map(({ id }) => id).toSorted()).toEqual(["gr_one", "gr_two"])
    const { stdout } = await command("grants", "list")
    expect(stdout).toMatch(/^gr_one +acct_\S+ +The Agent +use usage +0 USD +5 USD +0 USD +none +no +\S+Z$/m)
    expect(stdout).not.toContain("\u001b")
  })

  it("ends a grant, and says so if there is none", async () => {
    const account = await newAccount()
    addGrant(account, "gr_three")
    expect(await json("grants", "revoke", "gr_three")).toMatchObject({ id: "gr_three", ended: true })
    expect(await grantsIn(account)).toMatchObject([{ ended: true }])
    expect((await command("grants", "revoke", "gr_three")).stdout).toMatch(/^ended +yes$/m)
    const key = await newKey(account)
    for (const id of ["gr_none", key.id]) {
      expect(await command("grants", "revoke", id)).toMatchObject({ code: 1, stderr: `There is no grant ${id}.\n` })
    }
    expect(await keysOf(account)).toMatchObject([{ id: key.id, ends_at: null }])
    expect(await command("grants", "list", "acct_none")).toMatchObject({
      code: 1,
      stderr: "There is no account acct_none.\n"
    })
  })

  it("changes what a grant allows", async () => {
    const account = await newAccount()
    addGrant(account, "gr_five")
    const before = Date.now()
    const amounts = ["--limit", "20", "--per-day", "2.5", "--ask-above", "0"]
    const chosen = ["--categories", "social, web traffic", "--operations", "rerank.v2"]
    const changed = await json("grants", "set", "gr_five", ...amounts, "--days", "7", ...chosen)
    expect(changed).toMatchObject({
      limit_micros_usd: 20_000_000,
      day_limit_micros_usd: 2_500_000,
      ask_above_micros_usd: 0,
      allowed: { categories: ["social", "web traffic"], operations: ["rerank.v2"] }
    })
    expect(Date.parse(String(changed.ends_at)) - before).toBeGreaterThanOrEqual(7 * 86_400_000)
    const { stdout } = await command("grants", "set", "gr_five", "--per-day", "none", "--ask-above", "none", "--all")
    expect(stdout).toMatch(/^day limit +none$/m)
    expect(stdout).toMatch(/^allowed +every operation$/m)
    expect(await grantsIn(account)).toMatchObject([{ limit_micros_usd: 20_000_000, allowed: null }])
    for (const [words, message] of [
      [["gr_five"], "Name what to set"],
      [["gr_five", "--all", "--categories", "social"], "--categories cannot go with --all."],
      [["gr_none", "--all"], "There is no grant gr_none."]
    ] as const) {
      const refused = await command("grants", "set", ...words)
      expect([refused.code, refused.stderr.includes(message)], message).toEqual([1, true])
    }
    await command("grants", "revoke", "gr_five")
    expect(await command("grants", "set", "gr_five", "--all")).toMatchObject({ code: 1 })
  })

  it("are counted apart from keys in the audit", async () => {
    const count = async () => (await json("audit")).totals as Fields
    const before = await count()
    addGrant(await newAccount(), "gr_four")
    const after = await count()
    expect(Number(after.grants)).toBe(Number(before.grants) + 1)
    expect(after.keys).toBe(before.keys)
    expect((await command("audit")).stdout).toMatch(/^grants +\d+$/m)
  })
})
