import type { AuditReport } from "@tollgate/contract/admin/Audit"
import { DatabaseSync } from "node:sqlite"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { rerank } from "../program.ts"
import { operatedGateway } from "./setup.ts"

const { account, address, caller, data, post, send } = operatedGateway()

describe("the audit of the operator", () => {
  it("recomputes the books of the running gateway, also for several at once", async () => {
    await rerank(address(), caller().key)
    const reports = await Promise.all(Array.from({ length: 4 }, () => post<AuditReport>("/audit")))
    for (const report of reports) {
      expect(report).toMatchObject({
        correct: true,
        differences: [],
        open: 0,
        overdrafts: 0,
        totals: { accounts: 1, calls: 1, entered_micros_usd: 105_000_000 }
      })
    }
  })

  it("shows where the books contradict themselves", async () => {
    const db = new DatabaseSync(join(data, "tollgate.db"))
    db.exec("UPDATE accounts SET balance = balance + 1")
    const { correct, differences } = await post<AuditReport>("/audit")
    db.exec("UPDATE accounts SET balance = balance - 1")
    db.close()
    expect([correct, differences]).toEqual([
      false,
      [
        {
          table: "accounts",
          column: "balance",
          id: account(),
          stored: expect.stringMatching(/^\d+$/),
          expected: expect.stringMatching(/^\d+$/)
        }
      ]
    ])
    expect((await post<AuditReport>("/audit")).correct).toBe(true)
  })

  it("takes no body", async () => {
    expect((await send("POST", "/audit", { deep: true })).status).toBe(400)
    expect((await send("GET", "/audit")).status).toBe(405)
  })
})
