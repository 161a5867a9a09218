import { describe, expect, it } from "vitest"
import { type Fields, idleStore, isoTime } from "./setup.ts"

const { command, json, newAccount } = idleStore()

describe("tollgate accounts", () => {
  it("create and show print an account, a line for each part", async () => {
    const made = await command("accounts", "create", "Acme & Söhne")
    expect([made.code, made.stderr]).toEqual([0, ""])
    const lines = made.stdout.trimEnd().split("\n")
    expect(lines.map((line) => line.slice(0, 13).trim())).toEqual([
      "account",
      "label",
      "created",
      "balance",
      "reserved",
      "topped up",
      "tier",
      "rpm",
      "tpm",
      "concurrency",
      "multiplier"
    ])
    const values = lines.map((line) => line.slice(13))
    expect(values).toEqual([
      expect.stringMatching(/^acct_[0-9a-f]{20}$/),
      "Acme & Söhne",
      expect.stringMatching(isoTime),
      "5 USD",
      "0 USD",
      "0 USD",
      "Free",
      "60",
      "60000",
      "5",
      "1"
    ])
    expect(await command("accounts", "show", values[0]!)).toMatchObject({ code: 0, stdout: made.stdout, stderr: "" })
  })

  it("list prints a table with its columns under their headings, or JSON", async () => {
    const id = await newAccount("in a table")
    const { stdout } = await command("accounts", "list")
    const [head = "", ...rows] = stdout.trimEnd().split("\n")
    const heads = ["account", "label", "tier", "balance", "reserved", "topped up", "created"]
    expect(head.split(/ {2,}/)).toEqual(heads)
    const row = rows.find((row) => row.startsWith(id)) ?? ""
    expect(row.split(/ {2,}/)).toEqual([
      id,
      "in a table",
      "Free",
      "5 USD",
      "0 USD",
      "0 USD",
      expect.stringMatching(isoTime)
    ])
    for (const line of rows) for (const name of heads) expect(line[head.indexOf(name) - 1] ?? " ").toBe(" ")
    const { accounts } = (await json("accounts", "list")) as { readonly accounts: ReadonlyArray<Fields> }
    expect(accounts.find((account) => account.id === id)).toEqual({
      id,
      label: "in a table",
      created_at: expect.stringMatching(isoTime),
      balance_micros_usd: 5_000_000,
      reserved_micros_usd: 0,
      topped_up_micros_usd: 0,
      tier: "Free",
      rpm: 60,
      tpm: 60_000,
      concurrency: 5,
      multiplier: "1"
    })
  })

  it("set changes what it names and nothing else", async () => {
    const id = await newAccount()
    const words = ["--label", "B", "--tier", "enterprise", "--rpm", "7", "--tpm", "8", "--concurrency", "9"]
    const terms = { label: "B", tier: "Enterprise", rpm: 7, tpm: 8, concurrency: 9 }
    expect(await json("accounts", "set", id, ...words)).toMatchObject({ ...terms, multiplier: "1" })
    expect(await json("accounts", "set", id, "--multiplier", "1.45")).toMatchObject({ ...terms, multiplier: "1.45" })
    expect(await json("accounts", "set", id, "--tier", "none", "--rpm", "none")).toMatchObject({
      ...terms,
      tier: "Free",
      rpm: 60,
      multiplier: "1.45"
    })
  })
})
