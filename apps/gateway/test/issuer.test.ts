import { generateKeyPairSync, sign } from "node:crypto"
import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { addressIn, folder, removeFolders, rerank } from "./program.ts"
import { startGateway, tollgate } from "./tollgate.ts"

afterAll(removeFolders)

const { privateKey, publicKey } = generateKeyPairSync("ed25519")
const baseUrl = "https://gateway.example.com"

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
const token = (claims: object) => {
  const input = `${part({ alg: "EdDSA", kid: "1", typ: "at+jwt" })}.${part(claims)}`
  return `${input}.${sign(null, Buffer.from(input), privateKey).toString("base64url")}`
}

const startIssuer = async () => {
  const keys = [{ ...publicKey.export({ format: "jwk" }), kid: "1" }]
  const server = createServer((request, response) => {
    const issuer = `http://${request.headers.host}`
    const documents: Record<string, object> = {
      "/.well-known/oauth-authorization-server": { issuer, jwks_uri: `${issuer}/jwks` },
      "/jwks": { keys }
    }
    response.end(JSON.stringify(documents[request.url ?? ""] ?? {}))
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  return { issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() }
}

const configWith = (oauth: object): string => {
  const path = join(folder(), "tollgate.jsonc")
  writeFileSync(path, JSON.stringify({ oauth }))
  return path
}

describe("the program with an external issuer", () => {
  it("takes its tokens, and names it to clients", async () => {
    const { close, issuer } = await startIssuer()
    const TOLLGATE_DATA = folder()
    const TOLLGATE_CONFIG = configWith({ issuer, accountClaim: "account", private: true })
    const gateway = await startGateway({ TOLLGATE_DATA, TOLLGATE_CONFIG, TOLLGATE_BASE_URL: baseUrl })
    try {
      const address = addressIn(gateway.banner)
      const { stdout } = await tollgate({ TOLLGATE_DATA }, "accounts", "list", "--json")
      const account = /acct_[0-9a-f]+/.exec(stdout)?.[0]
      const claims = { iss: issuer, aud: baseUrl, account, client_id: "agent", scope: "use", exp: Date.now() }
      expect((await rerank(address, token(claims))).status).toBe(200)
      const refused = await rerank(address, token({ ...claims, aud: "https://other.example.com" }))
      expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
        401,
        `Bearer error="invalid_token", resource_metadata="${baseUrl}/.well-known/oauth-protected-resource"`
      ])
      const metadata = await fetch(`${address}/.well-known/oauth-protected-resource`)
      expect(await metadata.json()).toMatchObject({ resource: baseUrl, authorization_servers: [issuer] })
    } finally {
      await gateway.stop()
      close()
    }
  })

  it("does not start without the address that the tokens are for", async () => {
    const TOLLGATE_CONFIG = configWith({ issuer: "https://login.example.com", accountClaim: "account" })
    expect(await tollgate({ TOLLGATE_DATA: folder(), TOLLGATE_CONFIG }, "start")).toMatchObject({
      code: 1,
      stderr: "TOLLGATE_BASE_URL must be set: the tokens of oauth.issuer are issued for this address\n"
    })
  })
})
