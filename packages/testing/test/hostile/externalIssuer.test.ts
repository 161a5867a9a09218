import { describe, expect, it } from "@effect/vitest"
import { micro } from "@tollgate/contract/Money"
import type { IssuerSettings } from "@tollgate/server"
import { type Answer, askServed } from "@tollgate/testing/hostile/askServed"
import { externalIssuer, newKey, sign } from "@tollgate/testing/hostile/externalIssuer"
import { providerAt, Served, servedTo } from "@tollgate/testing/hostile/Served"
import { calls } from "@tollgate/testing/models"
import { TestGateway } from "@tollgate/testing/TestGateway"
import { ask, callTool } from "@tollgate/testing/tools/agent"
import { httpUpstream } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import type { JWTPayload } from "jose"

const audience = "http://gateway.invalid"
const question = JSON.stringify({ query: "q", documents: ["a", "b"] })
const ranking = JSON.stringify({ model: "m", results: [], usage: { total_tokens: 1_000 } })
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

const rerank = (token: string, body = question) => askServed("/v1/rerank", body, bearer(token))

const codeIn = ({ json }: Answer): unknown => {
  const { error } = json() as { readonly error?: { readonly code?: unknown } }
  return error?.code
}

interface World {
  readonly issuer: Effect.Success<ReturnType<typeof externalIssuer>>
  readonly token: (more?: JWTPayload, header?: object) => Effect.Effect<string>
}

/** A gateway on a real port that takes the tokens of an issuer on another. Its tokens name the account themselves. */
const withIssuer = <A, E, R>(settings: Partial<IssuerSettings>, test: (world: World) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const upstream = yield* httpUpstream((res) => void res.setHeader("content-type", "application/json").end(ranking))
    const issuer = yield* externalIssuer()
    const key = yield* newKey("first")
    yield* issuer.publish(key)
    return yield* Effect.gen(function* () {
      const { account } = yield* TestGateway
      const seconds = Math.floor(Date.now() / 1_000)
      const claims = { iss: issuer.issuer, aud: audience, sub: "anna", account, client_id: "agent", scope: "use usage" }
      return yield* test({
        issuer,
        token: (more = {}, header = {}) => sign(key, { ...claims, iat: seconds, exp: seconds + 600, ...more }, header)
      })
    }).pipe(
      Effect.provide(
        servedTo(
          { rerank: providerAt(upstream.port, { protocol: "json" }) },
          { issuer: { issuer: issuer.issuer, private: true, accountClaim: "account", ...settings } }
        )
      )
    )
  }).pipe(Effect.scoped)

describe("a gateway with an external issuer", () => {
  it.live("takes its tokens for calls, charges the account, and shows the usage of the account", () =>
    withIssuer({}, ({ token }) =>
      Effect.gen(function* () {
        const good = yield* token()
        expect((yield* rerank(good)).status).toBe(200)
        expect((yield* rerank(yield* token({ jti: "another" }))).status).toBe(200)
        expect((yield* calls).map(({ charged }) => charged)).toEqual([50, 50])
        const { baseUrl } = yield* Served
        const start = Math.floor(Date.now() / 1_000) - 3_600
        const usage = yield* Effect.promise(() =>
          fetch(`${baseUrl}/v1/usage?start_time=${start}`, { headers: bearer(good) })
        )
        expect(usage.status).toBe(200)
        expect(yield* Effect.promise(() => usage.json())).toMatchObject({ scope: "account" })
      })
    )
  )

  it.live("names it in the metadata of both resources, to which a 401 leads", () =>
    withIssuer({}, ({ issuer }) =>
      Effect.gen(function* () {
        const { baseUrl } = yield* Served
        const get = (path: string) =>
          Effect.promise(async () => (await fetch(`${baseUrl}/.well-known/oauth-protected-resource${path}`)).json())
        expect(yield* get("")).toMatchObject({ resource: audience, authorization_servers: [issuer.issuer] })
        expect(yield* get("/mcp")).toMatchObject({
          resource: `${audience}/mcp`,
          authorization_servers: [issuer.issuer]
        })
        const refused = yield* rerank("not-a-token")
        expect([refused.status, refused.headers["www-authenticate"]]).toEqual([
          401,
          `Bearer error="invalid_token", resource_metadata="${audience}/.well-known/oauth-protected-resource"`
        ])
      })
    )
  )

  it.live("refuses what is for another audience, too old, by another issuer, or forged", () =>
    withIssuer({}, ({ token }) =>
      Effect.gen(function* () {
        const other = yield* newKey("first")
        const wrong = [
          yield* token({ aud: "https://other.example.com" }),
          yield* token({ exp: 1 }),
          yield* token({ iss: "https://other.example.com" }),
          yield* sign(other, { aud: audience, exp: 9e9 }),
          `${yield* token()}A`
        ]
        for (const one of wrong) expect((yield* rerank(one)).status).toBe(401)
        expect((yield* rerank(yield* token())).status).toBe(200)
      })
    )
  )

  it.live("takes a token for the tools only there, and a token for the API for the tools too", () =>
    withIssuer({}, ({ token }) =>
      Effect.gen(function* () {
        const forTools = yield* token({ aud: `${audience}/mcp` })
        expect((yield* rerank(forTools)).status).toBe(401)
        expect((yield* ask("tools/list", {}, bearer(forTools))).status).toBe(200)
        const input = { operation_id: "rerank", arguments: JSON.parse(question) as object, max_price_usd: 0.01 }
        expect((yield* callTool("use", input, bearer(forTools))).content).toMatchObject({ cost: { micros_usd: 50 } })
        expect((yield* ask("tools/list", {}, bearer(yield* token()))).status).toBe(200)
      })
    )
  )

  it.live("takes a token for an audience that the operator allows, and for its own address with a slash", () =>
    withIssuer({ audiences: ["urn:tollgate"] }, ({ token }) =>
      Effect.gen(function* () {
        expect((yield* rerank(yield* token({ aud: "urn:tollgate" }))).status).toBe(200)
        expect((yield* rerank(yield* token({ aud: [`${audience}/`] }))).status).toBe(200)
      })
    )
  )

  it.live("does not take a token in a query string or another header", () =>
    withIssuer({}, ({ token }) =>
      Effect.gen(function* () {
        const good = yield* token()
        const gemini = "/v1beta/models/sandbox:generateContent"
        expect((yield* askServed(`${gemini}?key=${good}`, "{}", {})).status).toBe(401)
        expect((yield* askServed(gemini, "{}", { "x-goog-api-key": good })).status).toBe(401)
        expect((yield* askServed("/v1/messages", "{}", { "x-api-key": good })).status).toBe(401)
      })
    )
  )

  it.live("refuses a token whose scopes do not allow the operation, or whose subject has no account", () =>
    withIssuer({}, ({ token }) =>
      Effect.gen(function* () {
        const narrow = yield* rerank(yield* token({ scope: "usage" }))
        expect([narrow.status, codeIn(narrow)]).toEqual([403, "insufficient_scope"])
        for (const account of ["acct_00000000000000000000", "'; DROP TABLE keys; --", ""]) {
          const unknown = yield* rerank(yield* token({ account }))
          expect([unknown.status, codeIn(unknown)]).toEqual([403, "access_denied"])
        }
      })
    )
  )

  it.live("answers 503 while a new token cannot be checked, and goes on with those it knows", () =>
    withIssuer({}, ({ issuer, token }) =>
      Effect.gen(function* () {
        const comeBack = issuer.goDown()
        const waiting = yield* rerank(yield* token())
        expect([waiting.status, codeIn(waiting), waiting.headers["retry-after"]]).toEqual([
          503,
          "issuer_unavailable",
          "10"
        ])
        comeBack()
      })
    )
  )

  it.live("lets each client spend its limit for an account, however many tokens and calls at once it uses", () =>
    // A call reserves 250 and costs 50, so that the limit pays for one, whatever the order.
    withIssuer({ spendingLimit: micro(280n) }, ({ token }) =>
      Effect.gen(function* () {
        const long = JSON.stringify({ query: "q", documents: ["word ".repeat(1_000)] })
        const statuses = yield* Effect.forEach(
          Array.from({ length: 40 }, (_, i) => i),
          (i) => Effect.flatMap(token({ jti: `${i}` }), (one) => Effect.map(rerank(one, long), ({ status }) => status)),
          { concurrency: "unbounded" }
        )
        expect(statuses.filter((status) => status === 200)).toHaveLength(1)
        // The others come while its money is reserved, or after it is spent.
        expect(statuses.filter((status) => status === 402 || status === 429)).toHaveLength(39)
        const { sql } = yield* TestGateway
        expect(yield* sql`SELECT k.budget, k.spent, g.client_name FROM grants g JOIN keys k ON k.id = g.id`).toEqual([
          { budget: 280, spent: 50, client_name: "agent" }
        ])
        expect((yield* rerank(yield* token({ client_id: "another" }), long)).status).toBe(200)
      })
    )
  )

  it.live("keeps a client out for good whose grant was taken back, with whatever token", () =>
    withIssuer({}, ({ token }) =>
      Effect.gen(function* () {
        const good = yield* token()
        expect((yield* rerank(good)).status).toBe(200)
        const { accounts, sql } = yield* TestGateway
        const [grant] = yield* sql<{ id: string }>`SELECT id FROM grants`
        yield* accounts.revokeKey(grant?.id ?? "")
        for (const one of [good, yield* token({ jti: "new" })]) {
          const refused = yield* rerank(one)
          expect([refused.status, codeIn(refused)]).toEqual([403, "access_denied"])
        }
      })
    )
  )
})
