import { describe, expect, it } from "vitest"
import { tollgate } from "../tollgate.ts"
import { idleStore } from "./setup.ts"

const { data, newAccount } = idleStore()

const run = async (...words: ReadonlyArray<string>) => {
  const { code, stderr, stdout } = await tollgate({ TOLLGATE_DATA: data, TOLLGATE_PORT: "8080" }, ...words)
  expect([words, code, stderr]).toEqual([words, 0, ""])
  return JSON.parse(stdout) as Record<string, unknown>
}

describe("tollgate operators", () => {
  it.each(["owner", "finance", "support", "reader"])("adds one with the role %s", async (role) => {
    await run("operators", "create", "The last owner", "owner", "--json")
    const { id } = await run("operators", "create", `A ${role}`, role, "--json")
    expect((await run("operators", "list", "--json")).operators).toContainEqual(expect.objectContaining({ id, role }))
    expect((await run("operators", "set", String(id), "--role", "reader", "--name", "B", "--json")).name).toBe("B")
    const { operator, url } = await run("sign-in", String(id), "--json")
    expect([operator, url]).toEqual([id, expect.stringMatching(/^http:\/\/127\.0\.0\.1:8080\/operator#link=tgo_/)])
    expect(await run("operators", "end", String(id), "--json")).toMatchObject({ ended: true })
  })

  it("refuses a role that there is not, and says which there are", async () => {
    const { code, stderr } = await tollgate({ TOLLGATE_DATA: data }, "operators", "create", "Eve", "root")
    expect([code, stderr]).toEqual([1, expect.stringMatching(/"owner" or "finance" or "support" or "reader"/)])
  })
})

describe("tollgate trail", () => {
  it("has what commands change, page by page, and its head proves it later", async () => {
    const account = await newAccount()
    await run("topup", account, "3", "--note", "invoice 7", "--json")
    const { trail } = await run("trail", "--of", account, "--limit", "2", "--json")
    expect(trail).toMatchObject([{ action: "money booked", who: "command", why: "invoice 7" }, {}])
    const [first] = trail as ReadonlyArray<{ readonly seq: number }>
    // For people: amounts in USD, and no table where there is nothing.
    const people = async (...words: ReadonlyArray<string>) =>
      (await tollgate({ TOLLGATE_DATA: data }, "trail", ...words)).stdout
    await run("accounts", "set", account, "--multiplier", "1.45", "--why", "new contract", "--json")
    const table = await people("--of", account)
    for (const words of [
      /kind topup, amount 3 USD +invoice 7$/m,
      /multiplier ×1 → ×1\.45 +new contract$/m,
      / address /
    ]) {
      expect(table).toMatch(words)
    }
    expect(await people("--of", "nobody")).toBe("There are no such entries.\n")
    const older = (await run("trail", "--before", String(first!.seq), "--limit", "1", "--json")).trail
    expect(older).toMatchObject([{ seq: first!.seq - 1 }])
    const head = String((await run("audit", "--json")).trail_head)
    await run("topup", account, "1", "--json")
    for (const given of [head, `Trail: ${head}`]) {
      expect((await run("audit", "--trail-head", given, "--json")).differences).toEqual([])
    }
    const other = head.replace(/.$/, (last) => (last === "0" ? "1" : "0"))
    expect((await tollgate({ TOLLGATE_DATA: data }, "audit", "--trail-head", other)).code).toBe(1)
    expect((await tollgate({ TOLLGATE_DATA: data }, "audit", "--trail-head", "0:")).stderr).toContain("trail head")
  })
})
