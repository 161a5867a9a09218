import { expect, layer } from "@effect/vitest"
import { call, usage } from "@tollgate/testing/oauth/call"
import { insecure, redirectUri, TestClient } from "@tollgate/testing/oauth/client"
import { OAuthGateway } from "@tollgate/testing/oauth/OAuthGateway"
import { Person } from "@tollgate/testing/oauth/Person"
import * as Effect from "effect/Effect"
import * as oauth from "oauth4webapi"

const gateway = OAuthGateway.layer()

layer(gateway, { excludeTestServices: true, timeout: "30 seconds" })("a client that a person approves", (it) => {
  it.effect("finds the server, registers, signs in, calls, reads the account's usage, and renews its token", () =>
    Effect.gen(function* () {
      const { account, baseUrl, grants } = yield* OAuthGateway
      const [{ access_token, refresh_token = "" }, renewed] = yield* Effect.promise(async () => {
        const refused = await call(baseUrl, "not-a-token-of-any-kind")
        expect(refused.status).toBe(401)
        expect(refused.headers.get("www-authenticate")).toBe(
          `Bearer error="invalid_token", resource_metadata="${baseUrl}/.well-known/oauth-protected-resource"`
        )
        const resource = new URL(baseUrl)
        const described = await oauth.processResourceDiscoveryResponse(
          resource,
          await oauth.resourceDiscoveryRequest(resource, insecure)
        )
        expect(described).toMatchObject({
          authorization_servers: [baseUrl],
          scopes_supported: ["use", "usage", "grants"]
        })

        const client = await TestClient.register(baseUrl)
        const tokens = await client.signIn()
        expect(tokens).toMatchObject({ token_type: "bearer", expires_in: 3_600, scope: "use usage" })
        expect(await call(baseUrl, tokens.access_token)).toMatchObject({ status: 200 })
        const report = JSON.parse((await usage(baseUrl, tokens.access_token)).text) as Record<string, unknown>
        expect(report).toMatchObject({ scope: "account" })
        const renewed = await client.refresh(tokens.refresh_token ?? "")
        expect((await call(baseUrl, renewed.access_token)).status).toBe(200)
        return [tokens, renewed] as const
      })
      expect(new Set([access_token, renewed.access_token, refresh_token, renewed.refresh_token]).size).toBe(4)
      const [newest] = yield* grants.list(account)
      expect(newest).toMatchObject({
        account,
        client: { name: "A test" },
        scopes: ["use", "usage"],
        limit: 5_000_000n,
        ended: false
      })
      expect(newest?.spent).toBeGreaterThan(0n)
    })
  )

  it.effect("gets an ID token that its library verifies, if it asks for one", () =>
    Effect.gen(function* () {
      const { account, baseUrl } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        const issuer = new URL(baseUrl)
        const discovered = await oauth.discoveryRequest(issuer, { algorithm: "oidc", ...insecure })
        const server = await oauth.processDiscoveryResponse(issuer, discovered)
        const { client } = await TestClient.register(baseUrl)
        const { callback, verifier } = await new TestClient(server, client).approved({ scope: "openid use" })
        const response = await oauth.authorizationCodeGrantRequest(
          server,
          client,
          oauth.None(),
          oauth.validateAuthResponse(server, client, callback, "the-state"),
          redirectUri,
          verifier,
          insecure
        )
        const tokens = await oauth.processAuthorizationCodeResponse(server, client, response)
        await oauth.validateApplicationLevelSignature(server, response, insecure)
        expect(oauth.getValidatedIdTokenClaims(tokens)).toMatchObject({ sub: account, aud: client.client_id })
      })
    })
  )

  it.effect("may name the resource with a slash at its end, or none, and no scope", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        const client = await TestClient.register(baseUrl)
        const slash = await client.signIn({ resource: `${baseUrl}/` })
        expect((await call(baseUrl, slash.access_token)).status).toBe(200)

        const verifier = oauth.generateRandomCodeVerifier()
        const address = await client.address(verifier, { scope: undefined, resource: undefined })
        const tokens = await client.exchange(await new Person().decide(address.href), verifier)
        expect(tokens.scope).toBe("use")
        expect((await call(baseUrl, tokens.access_token)).status).toBe(200)
      })
    })
  )

  it.effect("gives up its access by revoking either of its tokens", () =>
    Effect.gen(function* () {
      const { account, baseUrl, grants } = yield* OAuthGateway
      const { client } = yield* Effect.promise(async () => {
        const client = await TestClient.register(baseUrl)
        for (const which of ["access_token", "refresh_token"] as const) {
          const tokens = await client.signIn()
          await client.revoke(tokens[which] ?? "")
          expect((await call(baseUrl, tokens.access_token)).status).toBe(401)
          await expect(client.refresh(tokens.refresh_token ?? "")).rejects.toMatchObject({ error: "invalid_grant" })
        }
        return client
      })
      const given = (yield* grants.list(account)).filter((grant) => grant.client.id === client.client_id)
      expect(given).toMatchObject([{ ended: true }, { ended: true }])
    })
  )

  it.effect("with a secret may introspect its own tokens", () =>
    Effect.gen(function* () {
      const { account, baseUrl } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        const confidential = { token_endpoint_auth_method: "client_secret_basic" }
        const client = await TestClient.register(baseUrl, confidential)
        const other = await TestClient.register(baseUrl, confidential)
        const open = await TestClient.register(baseUrl)
        const { access_token } = await client.signIn()
        expect(await client.introspect(access_token)).toMatchObject({
          active: true,
          sub: account,
          aud: baseUrl,
          client_id: client.client.client_id,
          exp: expect.any(Number)
        })
        expect(await other.introspect(access_token)).toEqual({ active: false })
        expect(await open.introspect(access_token)).toEqual({ active: false })
      })
    })
  )

  it.effect("is told by name who answered, and that the person declined", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      const { callback } = yield* Effect.promise(async () =>
        (await TestClient.register(baseUrl)).approved({ decision: "deny" })
      )
      expect(Object.fromEntries(callback.searchParams)).toMatchObject({
        error: "access_denied",
        iss: baseUrl,
        state: "the-state"
      })
    })
  )
})
