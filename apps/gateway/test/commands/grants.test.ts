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
  it("lists what people gave to applications, of one account or of all", async () => {
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
        scopes: ["use", "usage"],
        created_at: expect.stringMatching(isoTime),
        ends_at: new Date(inYear).toISOString(),
        ended: false,
        spent_micros_usd: 0,
        limit_micros_usd: 5_000_000
      }
    ])
    expect((await grantsIn()).map(({ id }) => id).toSorted()).toEqual(["gr_one", "gr_two"])
    const { stdout } = await command("grants", "list")
    expect(stdout).toMatch(/^gr_one +acct_\S+ +The Agent +use usage +0 USD +5 USD +\S+ +until /m)
    expect(stdout).not.toContain("\u001b")
  })

  it("ends a grant, and says so if there is none", async () => {
    const account = await newAccount()
    addGrant(account, "gr_three")
    expect(await json("grants", "revoke", "gr_three")).toMatchObject({ id: "gr_three", ended: true })
    expect(await grantsIn(account)).toMatchObject([{ ended: true }])
    expect((await command("grants", "revoke", "gr_three")).stdout).toMatch(/^state +ended /m)
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
