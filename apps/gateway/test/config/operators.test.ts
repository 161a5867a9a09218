import * as Redacted from "effect/Redacted"
import { inspect } from "node:util"
import { describe, expect, it } from "vitest"
import { decoded, messagesOf } from "./decoded.ts"

const env = { CLIENT_SECRET: "s3cret-of-ours" }
const provider = { issuer: "https://login.example.com", clientId: "tollgate", roles: { owner: ["admins"] } }
const operators = (parts: object = {}) => ({ operators: { ...provider, ...parts } })

describe("the provider of operators", () => {
  it("is decoded, and its secret is never printed", () => {
    const config = decoded(operators({ clientSecret: { env: "CLIENT_SECRET" }, scopes: ["groups", "openid"] }), env)
    expect(config.operators.provider).toMatchObject({ ...provider, claim: "groups", scopes: ["openid", "groups"] })
    expect(Redacted.value(config.operators.provider!.clientSecret!)).toBe("s3cret-of-ours")
    expect(inspect(config, { depth: 20, showHidden: true }) + JSON.stringify(config.operators.provider)).not.toContain(
      "s3cret"
    )
  })

  it("may be on the same machine, or at a private address by https", () => {
    for (const issuer of [
      "http://127.0.0.1:9000",
      "http://localhost:9000/realms/a",
      "http://[::1]:9",
      "https://10.0.0.5"
    ]) {
      expect(decoded(operators({ issuer })).operators.provider?.issuer).toBe(issuer)
    }
  })

  it("is not needed for the other settings", () => {
    expect(decoded({}).operators).toEqual({ provider: undefined, refundLimit: 10_000_000n, sharedToken: true })
    expect(decoded({ operators: { refundLimit: "0.50", sharedToken: false } }).operators).toEqual({
      provider: undefined,
      refundLimit: 500_000n,
      sharedToken: false
    })
  })

  it.each([
    [operators({ issuer: "http://login.example.com" }), /^operators\.issuer: use https: http is for this machine only/],
    [operators({ issuer: "http://10.0.0.5" }), /^operators\.issuer: use https/],
    [operators({ issuer: "http://127.0.0.1.example.com" }), /^operators\.issuer: use https/],
    [operators({ issuer: "http://localhost@evil.example" }), /^operators\.issuer: the address must not contain a user/],
    [operators({ issuer: "login.example.com" }), /^operators\.issuer: expected an address/],
    [operators({ clientId: undefined }), /^operators: a provider needs "issuer", "clientId" and "roles"/],
    [operators({ roles: undefined }), /^operators: a provider needs/],
    [operators({ roles: {} }), /^operators: a provider needs/],
    [operators({ roles: { owner: [] } }), /^operators\.roles\.owner/],
    [operators({ roles: { admin: ["admins"] } }), /^operators\.roles\.admin: /],
    [operators({ roles: { owner: "admins" } }), /^operators\.roles\.owner: /],
    [operators({ clientSecret: "s3cret-of-ours" }), /^operators\.clientSecret: /],
    [operators({ clientSecret: { env: "NOT_SET" } }), /^operators\.clientSecret\.env: .*NOT_SET is not set/],
    [operators({ isuer: "x" }), /^operators\.isuer: .*did you mean "issuer"\?/],
    [operators({ refundLimit: 10 }), /^operators\.refundLimit: expected an amount of USD in quotes/],
    [operators({ sharedToken: "off" }), /^operators\.sharedToken: /],
    [{ operators: { clientId: "tollgate" } }, /^operators: a provider needs/]
  ])("refuses %j", (file, message) => {
    const messages = messagesOf(file, env)
    expect(messages.join("\n")).toMatch(message)
    expect(messages).toHaveLength(1)
    expect(messages.join()).not.toContain("s3cret")
  })
})
