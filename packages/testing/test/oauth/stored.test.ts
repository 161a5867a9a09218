import { expect, it } from "@effect/vitest"
import { Redaction } from "@tollgate/gateway"
import { call } from "@tollgate/testing/oauth/call"
import { redirectUri, TestClient } from "@tollgate/testing/oauth/client"
import { OAuthGateway } from "@tollgate/testing/oauth/OAuthGateway"
import { temporaryFiles } from "@tollgate/testing/store/temporaryFiles"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { existsSync, readFileSync } from "node:fs"
import { afterAll, vi } from "vitest"

const files = temporaryFiles()
afterAll(files.remove)

const gatewayOn = (options: Parameters<typeof OAuthGateway.layer>[0]) =>
  Effect.map(Layer.build(OAuthGateway.layer(options)), (context) => Context.get(context, OAuthGateway))

it.live("no token, code or secret is in the store or the log in clear", () =>
  Effect.gen(function* () {
    const filename = files.next()
    const written: Array<unknown> = []
    const streams = [process.stdout, process.stderr]
    const spies = streams.map((stream) =>
      vi.spyOn(stream, "write").mockImplementation((chunk) => (written.push(chunk), true))
    )
    const consoles = (["log", "info", "warn", "error"] as const).map((level) =>
      vi.spyOn(console, level).mockImplementation((...args) => void written.push(...args))
    )
    const secrets = yield* Effect.scoped(
      Effect.gen(function* () {
        const { baseUrl } = yield* gatewayOn({ filename })
        return yield* Effect.promise(async () => {
          const client = await TestClient.register(baseUrl, { token_endpoint_auth_method: "client_secret_basic" })
          const { callback, verifier } = await client.approved()
          const first = await client.exchange(callback, verifier)
          const second = await client.refresh(first.refresh_token ?? "")
          await call(baseUrl, second.access_token)
          await client.exchange(callback, verifier).catch(() => {})
          const open = await (await TestClient.register(baseUrl)).signIn()
          return [
            String(client.client.client_secret),
            callback.searchParams.get("code") ?? "",
            ...[first, second, open].flatMap((tokens) => [tokens.access_token, tokens.refresh_token ?? ""])
          ]
        })
      })
    ).pipe(
      Effect.provide(Redaction.layer),
      Effect.ensuring(Effect.sync(() => [...spies, ...consoles].forEach((spy) => spy.mockRestore())))
    )
    expect(secrets.every((secret) => secret.length > 20)).toBe(true)
    const stored = [filename, `${filename}-wal`]
      .filter(existsSync)
      .map((file) => readFileSync(file, "latin1"))
      .join("")
    expect(stored).toContain("AccessToken")
    for (const secret of secrets) {
      expect(stored).not.toContain(secret)
      expect(written.map(String).join("\n")).not.toContain(secret)
    }
    expect(stored).not.toContain('"kty"')
    expect(written.map(String).join("\n")).not.toContain("oidc-provider")
  })
)

it.live("several gateways on one store take each other's codes and tokens, and end them together", () =>
  Effect.gen(function* () {
    const filename = files.next()
    const one = yield* gatewayOn({ filename })
    const two = yield* gatewayOn({ filename, baseUrl: one.baseUrl })
    yield* Effect.promise(async () => {
      const client = await TestClient.register(one.baseUrl)
      const { callback, verifier } = await client.approved()
      const response = await fetch(`${two.listening}/oauth/token`, {
        method: "POST",
        body: new URLSearchParams({
          grant_type: "authorization_code",
          client_id: client.client.client_id,
          code: callback.searchParams.get("code") ?? "",
          redirect_uri: redirectUri,
          code_verifier: verifier
        })
      })
      const { access_token } = (await response.json()) as { readonly access_token: string }
      expect((await call(one.listening, access_token)).status).toBe(200)
      expect((await call(two.listening, access_token)).status).toBe(200)
      await client.revoke(access_token)
      expect((await call(two.listening, access_token)).status).toBe(401)
      const keys = await Promise.all(
        [one, two].map(async ({ listening }) => (await fetch(`${listening}/oauth/jwks`)).text())
      )
      expect(keys[0]).toBe(keys[1])
    })
  }).pipe(Effect.scoped)
)

it.live("a token of another gateway on the same store is not good here: it is for another audience", () =>
  Effect.gen(function* () {
    const filename = files.next()
    const one = yield* gatewayOn({ filename })
    const two = yield* gatewayOn({ filename })
    yield* Effect.promise(async () => {
      const { access_token } = await (await TestClient.register(one.baseUrl)).signIn()
      expect((await call(one.baseUrl, access_token)).status).toBe(200)
      expect((await call(two.baseUrl, access_token)).status).toBe(401)
    })
  }).pipe(Effect.scoped)
)

it.live("tokens outlive the gateway, and what has expired is deleted", () =>
  Effect.gen(function* () {
    const filename = files.next()
    const { baseUrl, tokens } = yield* Effect.scoped(
      Effect.gen(function* () {
        const { baseUrl, sql } = yield* gatewayOn({ filename })
        const tokens = yield* Effect.promise(async () => (await TestClient.register(baseUrl)).signIn())
        yield* sql`INSERT INTO oauth (model, id, payload, expires_at)
          WITH RECURSIVE old (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM old WHERE i < 1200)
          SELECT 'Session', 'old ' || i, '', 1 FROM old`
        return { baseUrl, tokens }
      })
    )
    const { listening, sql } = yield* gatewayOn({ filename, baseUrl })
    expect((yield* Effect.promise(() => call(listening, tokens.access_token))).status).toBe(200)
    const left = () => Effect.map(sql`SELECT id FROM oauth WHERE expires_at = 1 LIMIT 1`, (rows) => rows.length)
    while ((yield* left()) > 0) yield* Effect.sleep("10 millis")
  }).pipe(Effect.scoped)
)
