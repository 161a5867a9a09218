import { expect, it, layer } from "@effect/vitest"
import { redirectUri, TestClient } from "@tollgate/testing/oauth/client"
import { OAuthGateway } from "@tollgate/testing/oauth/OAuthGateway"
import * as Effect from "effect/Effect"

const register = async (baseUrl: string, body: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${baseUrl}/oauth/register`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const withRedirects = (...redirect_uris: ReadonlyArray<unknown>) => JSON.stringify({ redirect_uris })

layer(OAuthGateway.layer(), { excludeTestServices: true, timeout: "30 seconds" })("a registration", (it) => {
  it.effect("takes https, this machine, reverse domain names and known agents", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        for (const uri of [
          "https://app.example/back",
          "http://localhost:1234/back",
          "http://127.0.0.1/back",
          "http://[::1]:99/back",
          "com.example.app:/back",
          "cursor://anysphere.cursor-mcp/oauth/callback",
          "vscode://vscode.github-authentication/did-authenticate"
        ]) {
          expect(await register(baseUrl, withRedirects(uri)), uri).toMatchObject({
            status: 201,
            body: { redirect_uris: [uri] }
          })
        }
      })
    })
  )

  it.effect("takes no redirect that could run a script, read a file or leave this machine without https", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        for (const uri of [
          "javascript:alert(1)",
          "JavaScript://app.example/%0aalert(1)",
          " javascript:alert(1)",
          "data:text/html,<script>1</script>",
          "vbscript:x",
          "file:///etc/passwd",
          "blob:https://app.example/x",
          "about:blank",
          "view-source:https://app.example",
          "ftp://app.example/x",
          "ws://app.example/x",
          "http://app.example/back",
          "http://127.0.0.1.evil.example/back",
          "http://localhost.evil.example/back",
          "http://0.0.0.0/back",
          "http://192.168.0.1/back",
          "https://user:password@app.example/back",
          "https://app.example/back#fragment",
          "https://app.example/*",
          "https:\\\\app.example",
          "//app.example/back",
          "/back",
          "",
          `https://app.example/${"x".repeat(3_000)}`,
          7,
          null,
          { href: redirectUri }
        ]) {
          expect(await register(baseUrl, withRedirects(uri)), String(uri)).toMatchObject({
            status: 400,
            body: { error: "invalid_redirect_uri" }
          })
          expect((await register(baseUrl, withRedirects(redirectUri, uri))).status).toBe(400)
        }
      })
    })
  )

  it.effect("is refused if it is huge, not an object, or has 1,000 redirects", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        const many = withRedirects(...Array.from({ length: 1_000 }, (_, i) => `https://a.example/${i % 10}`))
        expect((await register(baseUrl, many)).status).toBe(413)
        const some = withRedirects(...Array.from({ length: 21 }, (_, i) => `https://a.example/${i}`))
        expect((await register(baseUrl, some)).status).toBe(400)
        const huge = JSON.stringify({ redirect_uris: [redirectUri], client_name: "x".repeat(1_000_000) })
        expect((await register(baseUrl, huge)).status).toBe(413)
        for (const body of ["", "null", "7", '"text"', "[]", "{", "{}", "[".repeat(10_000), withRedirects()]) {
          expect((await register(baseUrl, body)).status, body.slice(0, 10)).toBe(400)
        }
        const fields = { redirect_uris: [redirectUri], client_name: "x".repeat(300) }
        expect((await register(baseUrl, JSON.stringify(fields))).status).toBe(400)
        const nested = `${"[".repeat(7_000)}${"]".repeat(7_000)}`
        for (const name of ["client_name", "grant_types", "redirect_uris", "unknown"]) {
          const body = `{"redirect_uris":["${redirectUri}"],"${name}":${nested}}`
          expect((await register(baseUrl, body)).status, name).toBe(name === "unknown" ? 201 : 400)
        }
      })
    })
  )

  it.effect("cannot choose its id, its secret, or make the server fetch anything", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        const taken = (await register(baseUrl, withRedirects(redirectUri))).body.client_id
        const { body, status } = await register(
          baseUrl,
          JSON.stringify({
            redirect_uris: [redirectUri],
            client_id: taken,
            client_secret: "chosen",
            jwks_uri: "http://169.254.169.254/latest",
            sector_identifier_uri: "https://169.254.169.254/latest",
            initiate_login_uri: "https://evil.example",
            __proto__: { polluted: true },
            scope: "everything",
            token_endpoint_auth_method: "client_secret_basic"
          })
        )
        expect(status).toBe(201)
        expect(body.client_id).not.toBe(taken)
        expect(body.client_secret).not.toBe("chosen")
        expect(JSON.stringify(body)).not.toMatch(/169\.254|evil|everything/)
        expect(
          (
            await register(
              baseUrl,
              JSON.stringify({ redirect_uris: [redirectUri], token_endpoint_auth_method: "private_key_jwt" })
            )
          ).status
        ).toBe(400)
        expect(
          (await register(baseUrl, JSON.stringify({ redirect_uris: [redirectUri], response_types: ["token"] }))).status
        ).toBe(400)
      })
    })
  )

  it.effect("cannot be read, changed or deleted by others", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      yield* Effect.promise(async () => {
        const { client_id } = (await register(baseUrl, withRedirects(redirectUri))).body
        for (const method of ["GET", "PUT", "DELETE"]) {
          const response = await fetch(`${baseUrl}/oauth/register/${String(client_id)}`, { method })
          expect([401, 404]).toContain(response.status)
        }
      })
    })
  )

  it.effect("expires after a day if nobody used the client", () =>
    Effect.gen(function* () {
      const { baseUrl, sql } = yield* OAuthGateway
      yield* Effect.promise(() => register(baseUrl, withRedirects(redirectUri)))
      const [row] = yield* sql<{
        readonly last: number
      }>`SELECT MAX(expires_at) AS last FROM oauth WHERE model = 'Client'`
      expect((row?.last ?? 0) - Date.now()).toBeLessThanOrEqual(86_400_000)
    })
  )
})

it.live("an address registers ten clients at once, and more only slowly", () =>
  Effect.gen(function* () {
    const { baseUrl } = yield* OAuthGateway
    yield* Effect.promise(async () => {
      const statuses: Array<number> = []
      for (let i = 0; i < 30; i++) statuses.push((await register(baseUrl, withRedirects(redirectUri))).status)
      expect(statuses.slice(0, 10)).toEqual(Array(10).fill(201))
      expect(statuses.slice(10)).toContain(429)
    })
  }).pipe(Effect.provide(OAuthGateway.layer({ server: { limits: {} } })))
)

const fillWith = (model: string, rows: number, millisLeft: number) =>
  OAuthGateway.use(
    ({ sql }) =>
      sql`INSERT INTO oauth (model, id, payload, expires_at)
        WITH RECURSIVE filled (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM filled WHERE i < ${rows})
        SELECT ${model}, 'filled ' || i, '', ${Date.now() + millisLeft} FROM filled`
  )

it.live("registrations are bounded in number, and full is said so", () =>
  Effect.gen(function* () {
    const { baseUrl } = yield* OAuthGateway
    // All of them are in use, or new.
    yield* fillWith("Client", 10_000, 86_400_000)
    expect((yield* Effect.promise(() => register(baseUrl, withRedirects(redirectUri)))).status).toBe(503)
  }).pipe(Effect.provide(OAuthGateway.layer()))
)

it.live("the oldest requests for access make room, so that a few addresses cannot keep others from signing in", () =>
  Effect.gen(function* () {
    const { baseUrl, sql } = yield* OAuthGateway
    const client = yield* Effect.promise(() => TestClient.register(baseUrl))
    yield* fillWith("Interaction", 20_000, 60_000)
    yield* sql`UPDATE oauth SET expires_at = expires_at - 1 WHERE model = 'Interaction' AND id = 'filled 7'`
    // Both are addresses of the same page.
    for (const [path, expected] of [
      ["/oauth/authorize/", 19_901],
      ["/oauth/authorize", 19_902]
    ] as const) {
      const address = yield* Effect.promise(() => client.address("v".repeat(43)))
      address.pathname = path
      const { status } = yield* Effect.promise(() => fetch(address, { redirect: "manual" }))
      expect(status).toBe(303)
      const left = yield* sql`SELECT id FROM oauth WHERE model = 'Interaction'`
      expect(left.length).toBe(expected)
      expect(left.map(({ id }) => id)).not.toContain("filled 7")
    }
    expect((yield* Effect.promise(() => client.signIn())).access_token).not.toBe("")
  }).pipe(Effect.provide(OAuthGateway.layer()))
)

it.live("the oldest clients that nobody used make room, so that one address cannot keep others from registering", () =>
  Effect.gen(function* () {
    const { baseUrl, sql } = yield* OAuthGateway
    const client = yield* Effect.promise(() => TestClient.register(baseUrl))
    yield* fillWith("Client", 9_999, 60_000)
    yield* sql`UPDATE oauth SET expires_at = expires_at - 1 WHERE model = 'Client' AND id = 'filled 7'`
    // They make it for a hundred at a time.
    for (const expected of [9_901, 9_902]) {
      const { status } = yield* Effect.promise(() => register(baseUrl, withRedirects(redirectUri)))
      expect(status).toBe(201)
      const left = yield* sql`SELECT id FROM oauth WHERE model = 'Client'`
      expect(left.length).toBe(expected)
      expect(left.map(({ id }) => id)).not.toContain("filled 7")
    }
    expect((yield* Effect.promise(() => client.signIn())).access_token).not.toBe("")
  }).pipe(Effect.provide(OAuthGateway.layer()))
)
