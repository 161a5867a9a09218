import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { addressIn, folder, keyIn, removeFolders, rerank, start } from "./program.ts"
import { startGateway } from "./tollgate.ts"

afterAll(removeFolders)

const paths = [
  "/.well-known/oauth-protected-resource",
  "/.well-known/oauth-protected-resource/mcp",
  "/.well-known/oauth-authorization-server",
  "/.well-known/openid-configuration",
  "/oauth/jwks"
]

const challengeAt = async (address: string) => {
  const refused = await rerank(address, "not-a-credential-of-this-gateway")
  return [refused.status, refused.headers.get("www-authenticate")]
}

it("has its authorization server on, at the base URL, and says nothing of it in its log", async () => {
  const { started, stop } = start({ TOLLGATE_DATA: folder(), TOLLGATE_BASE_URL: "https://gate.example/llm" })
  const address = addressIn(await started)
  const documents = await Promise.all(
    paths.map(async (path) => (await fetch(`${address}${path}`)).json() as Promise<Record<string, unknown>>)
  )
  const metadata = "https://gate.example/llm/.well-known/oauth-protected-resource"
  expect(await challengeAt(address)).toEqual([401, `Bearer error="invalid_token", resource_metadata="${metadata}"`])
  const { code, stderr } = await stop()
  const server = {
    issuer: "https://gate.example/llm",
    authorization_endpoint: "https://gate.example/llm/oauth/authorize",
    token_endpoint: "https://gate.example/llm/oauth/token",
    registration_endpoint: "https://gate.example/llm/oauth/register",
    revocation_endpoint: "https://gate.example/llm/oauth/revoke",
    introspection_endpoint: "https://gate.example/llm/oauth/introspect",
    jwks_uri: "https://gate.example/llm/oauth/jwks",
    code_challenge_methods_supported: ["S256"],
    response_types_supported: ["code"],
    authorization_response_iss_parameter_supported: true
  }
  expect(documents).toMatchObject([
    { resource: "https://gate.example/llm", authorization_servers: ["https://gate.example/llm"] },
    { resource: "https://gate.example/llm/mcp" },
    server,
    server,
    { keys: [{ kty: "RSA", alg: "RS256" }] }
  ])
  expect([code, stderr]).toEqual([0, ""])
})

it("has no authorization server if the configuration says so", async () => {
  const config = join(folder(), "tollgate.jsonc")
  writeFileSync(config, JSON.stringify({ oauth: false }))
  const { banner, stop } = await startGateway({ TOLLGATE_DATA: folder(), TOLLGATE_CONFIG: config })
  const headers = { authorization: `Bearer ${keyIn(banner)}` }
  for (const path of [...paths, "/oauth/authorize", "/account"]) {
    expect((await fetch(`${addressIn(banner)}${path}`, { headers })).status, path).toBe(404)
  }
  expect(await challengeAt(addressIn(banner))).toEqual([401, "Bearer"])
  await stop()
})
