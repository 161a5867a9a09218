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
