import { describe, expect, it } from "vitest"
import { awayFromMidnight, runningGateway } from "./setup.ts"

const { command, costly, json, newAccount, newKey } = runningGateway()

describe("tollgate usage and export", () => {
  it("usage prints a line for each day, of a key or of its account", async () => {
    await awayFromMidnight()
    const account = await newAccount()
    const [first, second] = [await newKey(account), await newKey(account)]
    await costly(first.value)
    await costly(first.value)
    await costly(second.value)
    const { stdout } = await command("usage", account)
    const lines = stdout.trimEnd().split("\n")
    expect(lines).toHaveLength(32)
    expect(lines[0]).toMatch(/^day +calls +failed +input +output +cache read +cache write +list price +charged$/)
    expect(lines.at(-1)?.split(/ {2,}/)).toEqual(["total", "3", "0", "6003", "0", "0", "0", "0.0003 USD", "0.0003 USD"])
    const today = new Date().toISOString().slice(0, 10)
    const ofKey = await json("usage", first.id, "--from", today, "--to", today)
    expect(ofKey).toMatchObject({
      scope: "key",
      totals: { requests: 2, charged_micros_usd: 200 },
      buckets: [{ requests: 2, charged_micros_usd: 200 }]
    })
  })

  it("usage by tag prints a line for each tag, or for each value of one, and export has the tags", async () => {
    await awayFromMidnight()
    const account = await newAccount()
    const { value } = await newKey(account)
    for (const tags of ["team=search,job=nightly", "team=search", "team=ads"]) await costly(value, tags)
    const byName = (await command("usage", account, "--by", "tag")).stdout.trimEnd().split("\n")
    expect(byName.map((line) => line.split(/ {2,}/)[0])).toEqual(["tag", "team", "job"])
    const byTeam = (await command("usage", "--by", "tag:team")).stdout.trimEnd().split("\n")
    expect(byTeam.map((line) => line.split(/ {2,}/).slice(0, 2))).toEqual([
      ["team", "calls"],
      ["search", "2"],
      ["ads", "1"],
      ["total", "3"]
    ])
    expect(await json("usage", account, "--by", "tag:team")).toMatchObject({
      tag: "team",
      totals: { requests: 3, charged_micros_usd: 300 }
    })
    expect((await command("usage", account, "--by", "tag:none")).stdout).toMatch(/^none .*\ntotal +0 /)
    for (const wrong of [["usage"], ["usage", account, "--by", "day"], ["usage", account, "--by", "tag:A"]]) {
      const { code, stderr } = await command(...wrong)
      expect([code, stderr], wrong.join(" ")).toEqual([1, expect.stringMatching(/^[^\n]+tag[^\n]*\n$/)])
    }
    const rows = (await command("export", "--account", account)).stdout.trimEnd().split(/\r?\n/)
    expect(rows[0]).toMatch(/,model,tags,.*,cost_nano_usd,error,kept,margin_nano_usd$/)
    expect(rows[1]).toMatch(/,"team=search,job=nightly",.*,false,$/)
  })

  it("export prints each call once, as CSV or as a JSON object a line", async () => {
    const account = await newAccount()
    const { id, value } = await newKey(account)
    await costly(value)
    const csv = await command("export", "--account", account)
    const [head, ...rows] = csv.stdout.trimEnd().split(/\r?\n/)
    expect(head).toMatch(/^id,account,key,operation,model,tags,state,/)
    expect(rows).toHaveLength(1)
    const lines = (await command("export", "--format", "ndjson", "--key", id)).stdout.trimEnd().split("\n")
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { account, key: id, operation: "rerank", state: "settled", charged_micros_usd: 100 }
    ])
    expect((await command("export", "--account", account, "--to", "2020-01-01")).stdout.split("\n")[1] ?? "").toBe("")
  })

  it("export --entries prints payments and corrections, which belong to no key", async () => {
    const account = await newAccount()
    await command("topup", account, "12.5", "--note", "invoice 7", "--id", "pay-export")
    const { stdout } = await command("export", "--entries", "--format", "ndjson", "--account", account)
    expect(
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown)
    ).toContainEqual(
      expect.objectContaining({
        entry_id: "pay-export",
        account,
        kind: "topup",
        amount_micros_usd: 12_500_000,
        note: "invoice 7"
      })
    )
    expect((await command("export", "--entries", "--account", account)).stdout).toContain(
      `pay-export,${account},topup,12500000,,invoice 7,`
    )
    const wrong = await command("export", "--entries", "--key", "key_1")
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("leave --key out")])
  })
})
