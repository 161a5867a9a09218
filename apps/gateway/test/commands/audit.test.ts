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
