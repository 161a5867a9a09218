import { micro } from "@tollgate/contract/Money"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { decoded, messagesOf } from "./decoded.ts"

const issuer = "https://login.example.com"
const account = "acct_0123456789abcdef0123"
const accounts = { anna: account }

describe("an external issuer", () => {
  it("replaces the built-in authorization server", () => {
    const oauth = { issuer, accounts, spendingLimit: "5", audiences: ["urn:gateway"], algorithms: ["RS256"] }
    const config = decoded({ oauth })
    expect(config.oauth).toBeUndefined()
    expect(config.issuer).toEqual({ ...oauth, spendingLimit: micro(5_000_000n) })
  })

  it("may be on this machine for a trial", () => {
    const oauth = { issuer: "http://127.0.0.1:9000", accountClaim: "account", private: true }
    expect(decoded({ oauth }).issuer).toEqual(oauth)
  })

  it("is missing unless the file names it", () => {
    expect(decoded({}).issuer).toBeUndefined()
    expect(decoded({ oauth: false })).toMatchObject({ oauth: undefined, issuer: undefined })
    expect(decoded({ oauth: { accessTokens: "10 minutes" } })).toMatchObject({
      oauth: { accessTokenSeconds: 600 },
      issuer: undefined
    })
  })

  it.each([
    [{ issuer }, 'oauth.issuer: say whose account a token is for: set "accounts" or "accountClaim"'],
    [{ accounts }, 'oauth.accounts: this is for an authorization server of your own: set "issuer"'],
    [{ issuer: "http://login.example.com", accounts }, /^oauth\.issuer: use https/],
    [{ issuer: "https://10.0.0.1", accounts }, /^oauth\.issuer: this address is private/],
    [{ issuer: "login.example.com", accounts }, /^oauth\.issuer: expected an address/],
    [{ issuer: `${issuer}?tenant=1`, accounts }, /^oauth\.issuer: expected an address without a query/],
    [{ issuer, accounts, jwksUri: "http://keys.example.com" }, /^oauth\.jwksUri: use https/],
    [{ issuer, accounts, accessTokens: "1 hour" }, /^oauth\.accessTokens: the issuer says how long/],
    [{ issuer, accounts: { anna: "default" } }, /^oauth\.accounts\.anna: .*an account id/],
    [{ issuer, accounts, algorithms: ["HS256"] }, /^oauth\.algorithms/],
    [{ issuer, accounts, algorithms: [] }, /^oauth\.algorithms/],
    [{ issuer, accounts, spendingLimit: 5 }, /^oauth\.spendingLimit: .*USD in quotes/],
    [{ issuer, accounts, audience: "x" }, /^oauth\.audience: .*did you mean "audiences"/]
  ])("is refused: %j", (oauth, message) => {
    const messages = messagesOf({ oauth })
    expect(messages).toHaveLength(1)
    if (typeof message === "string") expect(messages[0]).toBe(message)
    else expect(messages[0]).toMatch(message)
  })
})

describe("docs/sign-in.md", () => {
  const text = readFileSync(join(import.meta.dirname, "../../../../docs/sign-in.md"), "utf8")
  const blocks = [...text.matchAll(/^```jsonc\n([^]*?)^```$/gm)].map(([, block]) => block ?? "")

  it("has examples", () => expect(blocks.length).toBeGreaterThan(0))

  it.each(blocks)("has only valid examples: %s", (block) => {
    expect(decoded(block).issuer?.issuer).toMatch(/^https:/)
  })
})
