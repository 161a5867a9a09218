import { describe, expect, it } from "vitest"
import { bytesIn } from "../program.ts"
import { awayFromMidnight, isoTime, runningGateway, secondsToMidnight, until } from "./setup.ts"

const { command, costly, data, json, keysOf, newAccount, newKey, newUnlimitedAccount, statusOf } = runningGateway()

const keyShownIn = (stdout: string): string => /tg_[0-9a-z]{39}/.exec(stdout)?.[0] ?? ""

describe("tollgate keys", () => {
  it("create shows the key once, on standard output, and the store does not contain it", async () => {
    const account = await newAccount()
    const made = await command("keys", "create", account, "--label", "prod", "--per-month", "5")
    expect([made.code, made.stderr]).toEqual([0, ""])
    const shown = made.stdout.match(/tg_[0-9a-z]{39}/g) ?? []
    expect(shown).toHaveLength(1)
    expect(made.stdout).toMatch(/^tg_\S+\nThis is the key, shown this once: keep it\.$/m)
    expect(await statusOf(shown[0]!)).toBe(200)
    expect(bytesIn(data)).not.toContain(shown[0]!.slice(3, 20))
    const listed = await command("keys", "list", account)
    expect(listed.stdout).not.toContain("tg_")
    const [head = "", row = "", ...more] = listed.stdout.trimEnd().split("\n")
    expect(head.split(/ {2,}/)).toEqual([
      "key",
      "account",
      "label",
      "spent",
      "budget",
      "day budget",
      "month budget",
      "created",
      "ends"
    ])
    expect(row.split(/ {2,}/)).toEqual([
      expect.stringMatching(/^key_/),
      account,
      "prod",
      "0 USD",
      "none",
      "none",
      "5 USD",
      expect.stringMatching(isoTime),
      "never"
    ])
    expect(more).toEqual([])
  })

  it("a new key works at once in a running gateway, and a revoked one is refused within a second", async () => {
    const { id, value } = await newKey(await newUnlimitedAccount())
    expect(await statusOf(value)).toBe(200)
    await json("keys", "revoke", id)
    const revokedAt = Date.now()
    let lastAccepted = revokedAt
    await until(async () => {
      const sentAt = Date.now()
      if ((await statusOf(value)) === 401) return true
      lastAccepted = sentAt
      return false
    })
    // Counted from when a call was sent, so a slow answer does not count.
    expect(lastAccepted - revokedAt).toBeLessThanOrEqual(1_000)
    expect(await statusOf(value)).toBe(401)
    expect(await command("keys", "rotate", id)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: `${id} has ended; make a new key.\n`
    })
  })

  it("rotate makes a second key with the same terms, and both work during the grace period", async () => {
    const account = await newAccount()
    const old = await newKey(account, "--label", "prod", "--budget", "0.5")
    const rotated = await command("keys", "rotate", old.id, "--grace", "1h")
    expect(rotated.stdout).toContain("shown this once")
    expect(rotated.stdout).toMatch(new RegExp(`^The old key, ${old.id}, ends at \\d{4}-\\d\\d-\\d\\dT.*Z\\.$`, "m"))
    const made = keyShownIn(rotated.stdout)
    expect(made).not.toBe(old.value)
    expect([await statusOf(old.value), await statusOf(made)]).toEqual([200, 200])
    expect(await keysOf(account)).toMatchObject([
      { id: old.id, ends_at: expect.stringMatching(isoTime) },
      { label: "prod", budget_micros_usd: 500_000, ends_at: null }
    ])
  })

  it("rotate: the old key is valid until the grace period ends; the new key stays valid", async () => {
    const account = await newUnlimitedAccount()
    const old = await newKey(account)
    expect(await statusOf(old.value)).toBe(200)
    const rotated = await command("keys", "rotate", old.id, "--grace", "2s")
    await until(async () => (await statusOf(old.value)) === 401)
    const refusedAt = Date.now()
    expect(refusedAt).toBeGreaterThanOrEqual(Date.parse(String((await keysOf(account))[0]?.ends_at)))
    expect(await statusOf(keyShownIn(rotated.stdout))).toBe(200)
  })

  it("rotate: the old key stays valid for 24 h by default", async () => {
    const account = await newAccount()
    const { id } = await newKey(account)
    const before = Date.now()
    await command("keys", "rotate", id)
    const after = Date.now()
    const endsAt = Date.parse(String((await keysOf(account))[0]?.ends_at))
    expect(endsAt).toBeGreaterThanOrEqual(before + 86_400_000)
    expect(endsAt).toBeLessThanOrEqual(after + 86_400_000)
  })

  it("a spent budget refuses calls with 402 and says what is left, until it is raised", async () => {
    const account = await newAccount()
    const { id, value } = await newKey(account, "--budget", "0.0005")
    expect((await costly(value)).status).toBe(200)
    const refused = await costly(value)
    expect([refused.status, refused.error?.code]).toEqual([402, "over_budget"])
    expect(refused.error?.message).toContain("the key's budget has 0.0004 USD left")
    expect(await json("keys", "set", id, "--budget", "0.0006")).toMatchObject({
      spent_micros_usd: 100,
      budget_micros_usd: 600
    })
    expect((await costly(value)).status).toBe(200)
    expect((await costly(value)).status).toBe(402)
    expect(await json("keys", "set", id, "--budget", "none", "--label", "free")).toMatchObject({
      label: "free",
      budget_micros_usd: null
    })
    expect((await costly(value)).status).toBe(200)
  })

  it("a spent quota refuses calls with 429 and says when the period ends, until it is lifted", async () => {
    await awayFromMidnight()
    const account = await newAccount()
    const { id, value } = await newKey(account)
    expect(await json("keys", "set", id, "--per-day", "0.0005")).toMatchObject({
      day_budget_micros_usd: 500
    })
    expect((await costly(value)).status).toBe(200)
    const most = secondsToMidnight()
    const refused = await costly(value)
    const least = secondsToMidnight()
    expect([refused.status, refused.error?.code]).toEqual([429, "quota_exceeded"])
    expect(refused.error?.message).toContain("0.0005 USD per day")
    const retryAfter = Number(refused.headers.get("x-retry-after") ?? refused.headers.get("retry-after"))
    expect(retryAfter).toBeGreaterThanOrEqual(least)
    expect(retryAfter).toBeLessThanOrEqual(most)
    expect(await json("keys", "set", id, "--per-day", "none")).toMatchObject({ day_budget_micros_usd: null })
    expect((await costly(value)).status).toBe(200)
  })
})
