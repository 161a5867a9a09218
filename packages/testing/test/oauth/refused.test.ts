import { expect, layer } from "@effect/vitest"
import { call } from "@tollgate/testing/oauth/call"
import { redirectUri, TestClient } from "@tollgate/testing/oauth/client"
import { OAuthGateway } from "@tollgate/testing/oauth/OAuthGateway"
import { Person } from "@tollgate/testing/oauth/Person"
import * as Effect from "effect/Effect"
import * as oauth from "oauth4webapi"

const gateway = OAuthGateway.layer()

/** What an authorization request ends with, if it is refused before anybody is asked. */
const refusalOf = async (address: URL): Promise<Readonly<Record<string, string>>> => {
  const { searchParams } = await new Person().decide(address.href)
  return Object.fromEntries(searchParams)
}

const notSent = async (address: URL) => {
  const response = await fetch(address, { redirect: "manual" })
  return { status: response.status, location: response.headers.get("location"), text: await response.text() }
}

const tokenRequest = async (baseUrl: string, fields: Readonly<Record<string, string>>) => {
  const response = await fetch(`${baseUrl}/oauth/token`, { method: "POST", body: new URLSearchParams(fields) })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const invalidGrant = { status: 400, body: { error: "invalid_grant" } }

layer(gateway, { excludeTestServices: true, timeout: "30 seconds" })("an authorization request", (it) => {
  it.effect("without a challenge, or with a plain one, is refused", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        const client = await TestClient.register(baseUrl)
        const verifier = oauth.generateRandomCodeVerifier()
        const missing = { code_challenge: undefined, code_challenge_method: undefined }
        expect(await refusalOf(await client.address(verifier, missing))).toMatchObject({ error: "invalid_request" })
        const plain = { code_challenge: verifier, code_challenge_method: "plain" }
        expect(await refusalOf(await client.address(verifier, plain))).toMatchObject({ error: "invalid_request" })
        const unnamed = { code_challenge: verifier, code_challenge_method: undefined }
        expect(await refusalOf(await client.address(verifier, unnamed))).toMatchObject({ error: "invalid_request" })

        const secret = await TestClient.register(baseUrl, { token_endpoint_auth_method: "client_secret_basic" })
        expect(await refusalOf(await secret.address(verifier, missing))).toMatchObject({ error: "invalid_request" })
      })
    })
  )

  it.effect("for another resource or another kind of answer is refused", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        const client = await TestClient.register(baseUrl)
        const verifier = oauth.generateRandomCodeVerifier()
        const refused = async (more: Readonly<Record<string, string>>) =>
          (await refusalOf(await client.address(verifier, more))).error
        expect(await refused({ resource: "https://other.example" })).toBe("invalid_target")
        expect(await refused({ resource: `${baseUrl}/mcp/more` })).toBe("invalid_target")
        expect(await refused({ resource: `${baseUrl}.evil.example` })).toBe("invalid_target")
        const address = await client.address(verifier, { response_type: "token" })
        expect((await notSent(address)).text).toContain("unsupported_response_type")
      })
    })
  )

  it.effect("never redirects to an address that was not registered", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        const client = await TestClient.register(baseUrl, { redirect_uris: ["https://app.example/back"] })
        const verifier = oauth.generateRandomCodeVerifier()
        for (const redirect_uri of [
          "https://evil.example/back",
          "https://app.example/back/",
          "https://app.example/back?x=1",
          "https://app.example/back#x",
          "https://app.example:444/back",
          "https://user@app.example/back",
          "https://app.example.evil.example/back",
          "http://app.example/back",
          "//evil.example",
          "javascript:alert(1)"
        ]) {
          const answer = await notSent(await client.address(verifier, { redirect_uri }))
          expect(answer, redirect_uri).toMatchObject({ status: 400, location: null })
        }
        const unknown = await notSent(
          await client.address(verifier, { client_id: "nobody", redirect_uri: "https://evil.example" })
        )
        expect(unknown).toMatchObject({ status: 400, location: null })
      })
    })
  )

  it.effect("of a program on this machine may return to another port, but not to another path", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        const client = await TestClient.register(baseUrl)
        const verifier = oauth.generateRandomCodeVerifier()
        const address = await client.address(verifier, { redirect_uri: "http://127.0.0.1:4321/callback" })
        const callback = await new Person().decide(address.href)
        expect(callback.href.startsWith("http://127.0.0.1:4321/callback?code=")).toBe(true)
        for (const redirect_uri of [
          "http://127.0.0.1:9/other",
          "http://127.0.0.2:9/callback",
          "http://localhost:9/callback"
        ]) {
          const answer = await notSent(await client.address(verifier, { redirect_uri }))
          expect(answer, redirect_uri).toMatchObject({ status: 400, location: null })
        }
      })
    })
  )

  it.effect("says in its answer who answers, so that a client does not take it for another server's", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        const client = await TestClient.register(baseUrl)
        const { callback } = await client.approved()
        const other = { ...client.server, issuer: "https://other.example" }
        expect(() => oauth.validateAuthResponse(other, client.client, callback, "the-state")).toThrow("iss")
        callback.searchParams.delete("iss")
        expect(() => oauth.validateAuthResponse(client.server, client.client, callback, "the-state")).toThrow("iss")
      })
    })
  )

  it.effect("does not take the gateway's address from the caller", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        const headers = {
          "x-forwarded-host": "evil.example",
          "x-forwarded-proto": "https",
          forwarded: "host=evil.example"
        }
        const response = await fetch(`${baseUrl}/.well-known/oauth-authorization-server`, { headers })
        expect(await response.text()).not.toContain("evil.example")
      })
    })
  )
})

layer(gateway, { excludeTestServices: true, timeout: "30 seconds" })("an address of the authorization server", (it) => {
  it.effect("is not found with another method, rather than failing", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        for (const path of ["token", "revoke", "introspect", "jwks", "register"]) {
          for (const method of ["GET", "HEAD", "PUT", "DELETE"]) {
            const { status } = await fetch(`${baseUrl}/oauth/${path}`, { method })
            expect(status, `${method} ${path}`).toBeLessThan(500)
          }
        }
      })
    })
  )
})

layer(gateway, { excludeTestServices: true, timeout: "30 seconds" })("a code", (it) => {
  it.effect("that is used twice gets no token, and those that it got end", () =>
    Effect.gen(function* () {
      const { account, baseUrl, grants } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        const client = await TestClient.register(baseUrl)
        const { callback, verifier } = await client.approved()
        const tokens = await client.exchange(callback, verifier)
        expect((await call(baseUrl, tokens.access_token)).status).toBe(200)
        await expect(client.exchange(callback, verifier)).rejects.toMatchObject({ error: "invalid_grant" })
        expect((await call(baseUrl, tokens.access_token)).status).toBe(401)
        await expect(client.refresh(tokens.refresh_token ?? "")).rejects.toMatchObject({ error: "invalid_grant" })
      })
      expect((yield* grants.list(account))[0]).toMatchObject({ ended: true })
    })
  )

  it.effect("that is used by 20 requests at once gets at most one token, which ends", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        const client = await TestClient.register(baseUrl)
        const { callback, verifier } = await client.approved()
        const all = await Promise.allSettled(Array.from({ length: 20 }, () => client.exchange(callback, verifier)))
        const tokens = all.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []))
        expect(tokens.length).toBeLessThanOrEqual(1)
        for (const { access_token } of tokens) expect((await call(baseUrl, access_token)).status).toBe(401)
      })
    })
  )

  it.effect("needs its own verifier, client, redirect address and resource", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        const client = await TestClient.register(baseUrl)
        const thief = await TestClient.register(baseUrl)
        const { callback, verifier } = await client.approved()
        const right = {
          grant_type: "authorization_code",
          client_id: client.client.client_id,
          code: callback.searchParams.get("code") ?? "",
          redirect_uri: redirectUri,
          code_verifier: verifier
        }
        const with_ = (more: Readonly<Record<string, string>>) => tokenRequest(baseUrl, { ...right, ...more })
        expect(await with_({ code_verifier: oauth.generateRandomCodeVerifier() })).toMatchObject(invalidGrant)
        expect(await with_({ code_verifier: "" })).toMatchObject({ status: 400 })
        expect(await with_({ client_id: thief.client.client_id })).toMatchObject(invalidGrant)
        expect(await with_({ redirect_uri: "http://127.0.0.1:10/callback" })).toMatchObject(invalidGrant)
        expect(await with_({ code: `${right.code}x` })).toMatchObject(invalidGrant)
        expect(await with_({ resource: "https://other.example" })).toMatchObject({ body: { error: "invalid_target" } })
      })
    })
  )

  it.effect("is not exchanged for who only claims the id of a client with a secret", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        const client = await TestClient.register(baseUrl, { token_endpoint_auth_method: "client_secret_basic" })
        const { callback, verifier } = await client.approved()
        const pretender = new TestClient(client.server, client.client)
        await expect(pretender.exchange(callback, verifier)).rejects.toMatchObject({ status: 401 })
        const guesser = new TestClient(client.server, client.client, oauth.ClientSecretBasic("a guess"))
        await expect(guesser.exchange(callback, verifier)).rejects.toMatchObject({ status: 401 })
        expect(await client.exchange(callback, verifier)).toMatchObject({ scope: "use usage" })
      })
    })
  )
})

const rerank = { method: "POST", body: '{"query":"q","documents":["a"]}' }

layer(gateway, { excludeTestServices: true, timeout: "30 seconds" })("an access token", (it) => {
  it.effect("for the tools alone is not good for the API", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        const client = await TestClient.register(baseUrl)
        const { access_token } = await client.signIn({ resource: `${baseUrl}/mcp` })
        const refused = await call(baseUrl, access_token)
        expect(refused.status).toBe(401)
        expect(refused.headers.get("www-authenticate")).toContain('error="invalid_token"')
        expect(JSON.parse(refused.text)).toMatchObject({
          error: {
            code: "invalid_credential",
            message: `This access token is for ${baseUrl}/mcp only; ask for one with resource=${baseUrl}.`
          }
        })
      })
    })
  )

  it.effect("is taken from the header Authorization alone: not from a query, x-api-key or a cookie", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        const client = await TestClient.register(baseUrl)
        const { access_token } = await client.signIn()
        const status = async (path: string, headers: Record<string, string> = {}) =>
          (await fetch(`${baseUrl}${path}`, { ...rerank, headers: { "content-type": "application/json", ...headers } }))
            .status
        expect(await status("/v1/rerank", { authorization: `Bearer ${access_token}` })).toBe(200)
        expect(await status(`/v1/rerank?access_token=${access_token}`)).toBe(401)
        expect(await status(`/v1beta/models/x:generateContent?key=${access_token}`)).toBe(401)
        expect(await status("/v1beta/models/x:generateContent", { "x-goog-api-key": access_token })).toBe(401)
        expect(await status("/v1/messages", { "x-api-key": access_token })).toBe(401)
        expect(await status("/v1/rerank", { cookie: `access_token=${access_token}` })).toBe(401)
        expect(await status("/v1/rerank", { authorization: `Basic ${access_token}` })).toBe(401)
      })
    })
  )

  it.effect("stops when it expires, when its grant is taken back, and when the grant's time is over", () =>
    Effect.gen(function* () {
      const { account, baseUrl, grants, sql } = yield* OAuthGateway
      const client = yield* Effect.promise(() => TestClient.register(baseUrl))
      const signedIn = Effect.promise(() => client.signIn())
      const statusOf = (token: string) => Effect.promise(async () => (await call(baseUrl, token)).status)

      const expired = (yield* signedIn).access_token
      expect(yield* statusOf(expired)).toBe(200)
      yield* sql`UPDATE oauth SET expires_at = ${Date.now() - 1} WHERE model = 'AccessToken'`
      expect(yield* statusOf(expired)).toBe(401)

      const { access_token, refresh_token = "" } = yield* signedIn
      expect(yield* statusOf(access_token)).toBe(200)
      const [newest] = yield* grants.list(account)
      yield* grants.revoke(newest?.id ?? "")
      expect(yield* statusOf(access_token)).toBe(401)
      yield* Effect.promise(() =>
        expect(client.refresh(refresh_token)).rejects.toMatchObject({ error: "invalid_grant" })
      )

      const stopped = yield* signedIn
      const [current] = yield* grants.list(account)
      // The state counts, not the time: the machine's clock may go back.
      yield* sql`UPDATE keys SET ended = 1 WHERE id = ${current?.id ?? ""}`
      expect(yield* statusOf(stopped.access_token)).toBe(401)

      const over = yield* signedIn
      const [last] = yield* grants.list(account)
      yield* sql`UPDATE keys SET ends_at = ${Date.now() - 1} WHERE id = ${last?.id ?? ""}`
      expect(yield* statusOf(over.access_token)).toBe(401)
      yield* Effect.promise(() =>
        expect(client.refresh(over.refresh_token ?? "")).rejects.toMatchObject({ error: "invalid_grant" })
      )
    })
  )

  it.effect("cannot be guessed from other things that the server issued", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        const client = await TestClient.register(baseUrl)
        const { callback, verifier } = await client.approved()
        const code = callback.searchParams.get("code") ?? ""
        expect((await call(baseUrl, code)).status).toBe(401)
        const { access_token, refresh_token = "" } = await client.exchange(callback, verifier)
        expect((await call(baseUrl, refresh_token)).status).toBe(401)
        expect((await call(baseUrl, client.client.client_id)).status).toBe(401)
        await expect(client.refresh(access_token)).rejects.toMatchObject({ error: "invalid_grant" })
      })
    })
  )
})
