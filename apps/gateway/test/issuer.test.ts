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

interface World {
  readonly address: string
  readonly issuer: string
  readonly claims: object
  readonly command: (...words: ReadonlyArray<string>) => Promise<string>
}

/** A gateway in this process, with an issuer whose tokens name the account. */
const withIssuer = async (test: (world: World) => Promise<void>) => {
  const { close, issuer } = await startIssuer()
  const TOLLGATE_DATA = folder()
  const TOLLGATE_CONFIG = configWith({ issuer, accountClaim: "account", private: true })
  const gateway = await startGateway({ TOLLGATE_DATA, TOLLGATE_CONFIG, TOLLGATE_BASE_URL: baseUrl })
  const command: World["command"] = async (...words) => (await tollgate({ TOLLGATE_DATA }, ...words)).stdout
  try {
    const account = /acct_[0-9a-f]+/.exec(await command("accounts", "list", "--json"))?.[0]
    const claims = { iss: issuer, aud: baseUrl, account, client_id: "agent", scope: "use", exp: Date.now() }
    await test({ address: addressIn(gateway.banner), issuer, claims, command })
  } finally {
    await gateway.stop()
    close()
  }
}

describe("the program with an external issuer", () => {
  it("takes its tokens, and names it to clients", () =>
    withIssuer(async ({ address, claims, issuer }) => {
      expect((await rerank(address, token(claims))).status).toBe(200)
      const refused = await rerank(address, token({ ...claims, aud: "https://other.example.com" }))
      expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
        401,
        `Bearer error="invalid_token", resource_metadata="${baseUrl}/.well-known/oauth-protected-resource"`
      ])
      const metadata = await fetch(`${address}/.well-known/oauth-protected-resource`)
      expect(await metadata.json()).toMatchObject({ resource: baseUrl, authorization_servers: [issuer] })
    }))

  it("shows the grant of each call to the operator, who can limit it and take it back", () =>
    withIssuer(async ({ address, claims, command }) => {
      await rerank(address, token(claims))
      const grant = /gr_[0-9a-f]+/.exec(await command("export"))?.[0] ?? ""
      await command("keys", "set", grant, "--budget", "0")
      expect((await rerank(address, token(claims))).status).toBe(402)
      await command("keys", "set", grant, "--budget", "1")
      expect((await rerank(address, token(claims))).status).toBe(200)
      await command("keys", "revoke", grant)
      expect((await rerank(address, token(claims))).status).toBe(403)
    }))

  it("does not start without the address that the tokens are for", async () => {
    const TOLLGATE_CONFIG = configWith({ issuer: "https://login.example.com", accountClaim: "account" })
    expect(await tollgate({ TOLLGATE_DATA: folder(), TOLLGATE_CONFIG }, "start")).toMatchObject({
      code: 1,
      stderr: "TOLLGATE_BASE_URL must be set: the tokens of oauth.issuer are issued for this address\n"
    })
  })
})
