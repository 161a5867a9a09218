import { expect, layer } from "@effect/vitest"
import { call, usage } from "@tollgate/testing/oauth/call"
import { TestClient } from "@tollgate/testing/oauth/client"
import { OAuthGateway } from "@tollgate/testing/oauth/OAuthGateway"
import { Person } from "@tollgate/testing/oauth/Person"
import { key } from "@tollgate/testing"
import * as Effect from "effect/Effect"
import * as oauth from "oauth4webapi"

const insufficient = (baseUrl: string, scope: string) =>
  `Bearer error="insufficient_scope", scope="${scope}", resource_metadata="${baseUrl}/.well-known/oauth-protected-resource"`

layer(OAuthGateway.layer(), { excludeTestServices: true, timeout: "30 seconds" })("scopes", (it) => {
  it.effect("limit a token: `use` calls operations, `usage` reads the account's usage", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        const signIn = async (scope: string) =>
          (await (await TestClient.register(baseUrl)).signIn({ scope })).access_token
        const use = await signIn("use")
        const read = await signIn("usage")
        expect((await call(baseUrl, use)).status).toBe(200)
        expect((await usage(baseUrl, read)).status).toBe(200)

        const notRead = await usage(baseUrl, use)
        expect(notRead.status).toBe(403)
        expect(notRead.headers.get("www-authenticate")).toBe(insufficient(baseUrl, "use usage"))
        const notUsed = await call(baseUrl, read)
        expect(notUsed.status).toBe(403)
        expect(notUsed.headers.get("www-authenticate")).toBe(insufficient(baseUrl, "usage use"))
        expect(JSON.parse(notUsed.text)).toMatchObject({ error: { code: "insufficient_scope" } })
        expect((await fetch(`${baseUrl}/v1/models`, { headers: { authorization: `Bearer ${read}` } })).status).toBe(403)
      })
    })
  )

  it.effect("that the server does not know allow nothing, and are left out of the token", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        const client = await TestClient.register(baseUrl)
        const { access_token } = await client.signIn({ scope: "openid admin" })
        expect((await call(baseUrl, access_token)).status).toBe(403)
        expect((await usage(baseUrl, access_token)).status).toBe(403)
        expect((await client.signIn({ scope: "use admin" })).scope).toBe("use")
      })
    })
  )

  it.effect("are `use` if a client names none, and refused if it names only others", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        const client = await TestClient.register(baseUrl)
        const verifier = oauth.generateRandomCodeVerifier()
        for (const scope of [undefined, ""]) {
          const address = await client.address(verifier, { scope })
          const tokens = await client.exchange(await new Person().decide(address.href), verifier)
          expect(tokens.scope).toBe("use")
        }
        for (const scope of ["admin", "constructor", "USE", "use,usage"]) {
          const callback = await new Person().decide((await client.address(verifier, { scope })).href)
          expect(callback.searchParams.get("error"), scope).toBe("invalid_scope")
          expect(callback.searchParams.get("state"), scope).toBe("the-state")
        }
      })
    })
  )

  it.effect("do not limit a key", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        expect((await call(baseUrl, key)).status).toBe(200)
        expect(JSON.parse((await usage(baseUrl, key)).text)).toMatchObject({ scope: "key" })
      })
    })
  )
})

layer(OAuthGateway.layer({ oauth: false }), { excludeTestServices: true, timeout: "30 seconds" })(
  "a gateway without OAuth",
  (it) => {
    it.effect("has none of its paths, and its 401 names no server", () =>
      Effect.gen(function* () {
        const { baseUrl } = yield* OAuthGateway
        yield* Effect.promise(async () => {
          const headers = { authorization: `Bearer ${key}` }
          for (const path of [
            "/.well-known/oauth-protected-resource",
            "/.well-known/oauth-protected-resource/mcp",
            "/.well-known/oauth-authorization-server",
            "/.well-known/openid-configuration",
            "/oauth/authorize",
            "/oauth/jwks"
          ]) {
            expect((await fetch(`${baseUrl}${path}`, { headers })).status, path).toBe(404)
          }
          const refused = await call(baseUrl, "a-token-that-somebody-made-up")
          expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, "Bearer"])
        })
      })
    )
  }
)
