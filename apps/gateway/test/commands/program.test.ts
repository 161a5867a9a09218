import { statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { start } from "../program.ts"
import { runningGateway } from "./setup.ts"

const { costly, data, firstKey, json, newAccount } = runningGateway()

const program = (...words: ReadonlyArray<string>) => start({ TOLLGATE_DATA: data }, words)

/** What only a process of its own shows. The other tests run commands in theirs. */
describe("the tollgate program", () => {
  it("says what went wrong in one line on standard error and exits with 1", async () => {
    expect(await program("accounts", "show", "acct_x").ended).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "There is no account acct_x.\n"
    })
  })

  it("keeps the store readable by its owner only", () => {
    expect(statSync(join(data, "tollgate.db")).mode & 0o777).toBe(0o600)
  })

  it("says nothing and exits with 1 when nobody reads its output", async () => {
    const { child, ended } = program("reference")
    child.stdout?.destroy()
    expect(await ended).toMatchObject({ code: 1, stderr: "" })
  })

  it("four programs at once on a running gateway's store: no entry is lost", async () => {
    const id = await newAccount()
    const calls = Array.from({ length: 10 }, () => costly(firstKey()))
    const entries = await Promise.all(
      Array.from({ length: 4 }, (_, i) => program(i % 2 === 0 ? "topup" : "adjust", id, "0.25", "--note", "more").ended)
    )
    expect(entries.map(({ code, stderr }) => [code, stderr])).toEqual(entries.map(() => [0, ""]))
    for (const call of calls) expect((await call).status).toBe(200)
    expect(await json("accounts", "show", id)).toMatchObject({
      balance_micros_usd: 6_000_000,
      topped_up_micros_usd: 500_000
    })
  })

  it("prints to standard output and exits with 0: audit, while the gateway runs", async () => {
    expect((await costly(firstKey())).status).toBe(200)
    const { code, stderr, stdout } = await program("audit").ended
    expect([code, stderr]).toEqual([0, ""])
    expect(stdout).toContain("The ledger is consistent.")
    expect(await json("audit")).toMatchObject({ differences: [], unknown: [] })
  })
})
