import { describe, expect, it } from "vitest"
import { decoded, messagesOf } from "./decoded.ts"

describe("the authorization server", () => {
  it("is on with its defaults, has lifetimes that can be set, or is off", () => {
    expect(decoded({}).oauth).toEqual({})
    expect(decoded({ oauth: {} }).oauth).toEqual({})
    expect(decoded({ oauth: { accessTokens: "10 minutes", refreshTokens: "48 hours" } }).oauth).toEqual({
      accessTokenSeconds: 600,
      refreshTokenSeconds: 172_800
    })
    expect(decoded({ oauth: false }).oauth).toBeUndefined()
  })

  it.each([
    true,
    null,
    "off",
    { accessTokens: 60 },
    { accessTokens: "0 minutes" },
    { refreshTokens: "a month" },
    { on: 1 }
  ])("refuses %j", (oauth) => {
    const messages = messagesOf({ oauth })
    expect(messages).toHaveLength(1)
    expect(messages[0]).toMatch(/^oauth/)
  })
})

describe("the terms of grants", () => {
  const of = (grants: object) => decoded({ oauth: { grants } }).grantPolicy

  it("have defaults and bounds, which an operator can change one by one", () => {
    const usual = decoded({}).grantPolicy
    expect(usual).toEqual({
      proposed: { limit: 5_000_000n, dayLimit: 1_000_000n, askAbove: null, days: 30 },
      most: { limit: null, dayLimit: null, askAbove: null, days: 365 }
    })
    expect(of({ default: { total: "10", perDay: null, askAbove: "0.50", days: 7 }, most: { days: 1_000 } })).toEqual({
      proposed: { limit: 10_000_000n, dayLimit: null, askAbove: 500_000n, days: 7 },
      most: { ...usual.most, days: 1_000 }
    })
  })

  it("propose no more than the bounds allow", () => {
    expect(of({ most: { total: "2", perDay: "0.5", askAbove: "0.1", days: 3 } }).proposed).toEqual({
      limit: 2_000_000n,
      dayLimit: 500_000n,
      askAbove: 100_000n,
      days: 3
    })
  })

  it.each([
    { default: { total: "3" }, most: { total: "2" } },
    { default: { total: null }, most: { total: "2" } },
    { default: { perDay: "3" }, most: { perDay: "2.999999" } },
    { default: { askAbove: null }, most: { askAbove: "1" } },
    { default: { days: 31 }, most: { days: 30 } },
    { default: { days: 0 } },
    { default: { days: 1.5 } },
    { most: { days: 4_000 } },
    { most: { total: 5 } },
    { most: { total: "-5" } },
    { default: { total: "0.0000001" } },
    { default: { forever: true } }
  ])("refuse %j", (grants) => {
    const messages = messagesOf({ oauth: { grants } })
    expect(messages).toHaveLength(1)
    expect(messages[0]).toMatch(/^oauth\.grants\./)
  })

  it("of an issuer's clients are those that the file says, and no others", () => {
    const issuer = { issuer: "https://login.example.com", accountClaim: "account" }
    expect(decoded({ oauth: issuer }).issuer).not.toHaveProperty("dayLimit")
    expect(decoded({ oauth: { ...issuer, grants: { default: { perDay: "2", askAbove: "1" } } } }).issuer).toMatchObject(
      {
        dayLimit: 2_000_000n,
        askAbove: 1_000_000n
      }
    )
  })
})
