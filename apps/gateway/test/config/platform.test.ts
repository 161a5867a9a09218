import * as Redacted from "effect/Redacted"
import { inspect } from "node:util"
import { describe, expect, it } from "vitest"
import { decoded, messagesOf } from "./decoded.ts"

const env = { SOCIAL_SECRET: "s3cret-of-ours", BLANK: "s3cret \n" }
const social = {
  authorizeUrl: "https://social.example/oauth2/authorize",
  tokenUrl: "https://api.social.example/oauth2/token",
  clientId: "client-1"
}
const platform = (parts: object = {}) => ({ platform: { ...social, ...parts } })

describe("a platform", () => {
  it("is read as written, and never prints its secret", () => {
    const config = decoded(
      platform({ clientSecret: { env: "SOCIAL_SECRET" }, standingScopes: ["offline.access"] }),
      env
    )
    expect(config.platform).toMatchObject({ ...social, standingScopes: ["offline.access"] })
    expect(Redacted.value(config.platform!.clientSecret!)).toBe("s3cret-of-ours")
    expect(inspect(config, { depth: 20, showHidden: true }) + JSON.stringify(config.platform)).not.toContain("s3cret")
  })

  it("may be a public client without a secret", () => {
    expect(decoded(platform()).platform).toEqual(social)
  })

  it("is absent by default", () => {
    expect(decoded({}).platform).toBeUndefined()
  })

  it.each([
    [{ clientSecret: { env: "NOT_SET" } }, "platform.clientSecret.env: the environment variable NOT_SET is not set"],
    [{ clientSecret: { env: "BLANK" } }, /^platform\.clientSecret\.env: .*printable/],
    [{ clientSecret: { env: "s3cret-of-ours" } }, /^platform\.clientSecret\.env: expected the name of an environment/],
    [{ clientSecret: "s3cret-of-ours" }, /^platform\.clientSecret: /],
    [{ tokenUrl: "http://api.social.example/token" }, /^platform\.tokenUrl: use https/],
    [{ tokenUrl: "https://127.0.0.1/token" }, /^platform\.tokenUrl: this address is private/],
    [{ authorizeUrl: "social.example" }, /^platform\.authorizeUrl: expected an address/],
    [{ authorizeUrl: "https://user:pass@social.example" }, /^platform\.authorizeUrl: an address holds no user/],
    [{ furtherScopes: ["two words"] }, /^platform\.furtherScopes\[0\]: expected a scope/],
    [{ clientID: "x" }, /clientID.*did you mean "?clientId/]
  ])("%j is refused", (parts, message) => {
    const messages = messagesOf(platform(parts), env)
    expect(messages).toHaveLength(1)
    expect(messages[0]).toMatch(message)
    expect(messages[0]).not.toContain("s3cret")
  })

  it("may be at a private address if marked private", () => {
    const near = { tokenUrl: "http://127.0.0.1:9000/token", private: true }
    expect(decoded(platform(near)).platform).toMatchObject(near)
  })
})
