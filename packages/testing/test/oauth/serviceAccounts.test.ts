import { expect, it, layer } from "@effect/vitest"
import { Client, ClientCredentialsProvider, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { micro } from "@tollgate/contract/Money"
import { providerAt } from "@tollgate/testing/hostile/Served"
import { call, usage } from "@tollgate/testing/oauth/call"
import { insecure, TestClient } from "@tollgate/testing/oauth/client"
import { OAuthGateway } from "@tollgate/testing/oauth/OAuthGateway"
import { httpUpstream } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as oauth from "oauth4webapi"

interface Made {
  readonly id: string
  readonly secret: string
}

/** A machine of the test's account, unless the terms say otherwise. */
const machine = Effect.fnUntraced(function* (
  terms: Partial<Parameters<OAuthGateway["Service"]["machines"]["create"]>[0]> = {}
) {
  const { account, machines } = yield* OAuthGateway
  const given = { account, name: "Nightly report", readsUsage: false, limit: micro(1_000_000n), ...terms }
  const { grant, secret } = yield* machines.create(given)
  return { grant: grant.id, id: grant.client.id, secret: Redacted.value(secret) }
})

const token = async (
  baseUrl: string,
  { id, secret }: Made,
  parameters: Record<string, string> = {},
  authenticate = oauth.ClientSecretBasic
) => {
  const server = await TestClient.discover(baseUrl)
  const client = { client_id: id }
  const answer = await oauth.clientCredentialsGrantRequest(server, client, authenticate(secret), parameters, insecure)
  return oauth.processClientCredentialsResponse(server, client, answer)
}

/** The status and the error of a token request that is refused. */
const refusal = async (asked: Promise<unknown>) => {
  const error: unknown = await asked.then(
    () => new Error("a token was issued"),
    (cause: unknown) => cause
  )
  if (error instanceof oauth.ResponseBodyError) return [error.status, error.error]
  if (error instanceof oauth.WWWAuthenticateChallengeError) return [error.status, error.cause[0]?.parameters["error"]]
  throw error
}

layer(OAuthGateway.layer(), { excludeTestServices: true, timeout: "30 seconds" })("a machine", (it) => {
  it.effect("gets a short-lived token with its secret, by either way to send it, and calls the API and the tools", () =>
    Effect.gen(function* () {
      const { baseUrl, grants } = yield* OAuthGateway
      const made = yield* machine()
      yield* Effect.promise(async () => {
        expect((await TestClient.discover(baseUrl)).grant_types_supported).toContain("client_credentials")
        const basic = await token(baseUrl, made)
        expect(basic).toMatchObject({ token_type: "bearer", scope: "use", expires_in: 600 })
        expect(basic.refresh_token).toBeUndefined()
        const post = await token(baseUrl, made, {}, oauth.ClientSecretPost)
        for (const { access_token } of [basic, post]) expect((await call(baseUrl, access_token)).status).toBe(200)
      })
      expect((yield* grants.list()).find(({ id }) => id === made.grant)?.spent).toBeGreaterThan(0n)
    })
  )

  it.effect("is served through MCP's own client, with a token for the tools alone", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      const made = yield* machine()
      yield* Effect.promise(async () => {
        const authProvider = new ClientCredentialsProvider({
          clientId: made.id,
          clientSecret: made.secret,
          expectedIssuer: baseUrl
        })
        const client = new Client({ name: "a machine", version: "1" })
        await client.connect(new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), { authProvider }))
        const { tools } = await client.listTools()
        expect(tools.map(({ name }) => name)).toContain("use")
        await client.close()
        const issued = authProvider.tokens()?.access_token ?? ""
        expect((await call(baseUrl, issued)).status).toBe(401)
      })
    })
  )

  it.effect("calls operations through the tools, and 200 calls at once spend no more than one if one can be paid", () =>
    Effect.gen(function* () {
      const { baseUrl, grants } = yield* OAuthGateway
      const made = yield* machine()
      const authProvider = new ClientCredentialsProvider({
        clientId: made.id,
        clientSecret: made.secret,
        expectedIssuer: baseUrl
      })
      const connect = async () => {
        const client = new Client({ name: "a machine", version: "1" })
        await client.connect(new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), { authProvider }))
        return client
      }
      const clients = yield* Effect.promise(() => Promise.all([connect(), connect()]))
      const use = async (i: number, more: object = { max_price_usd: 0.01 }) => {
        const given = { operation_id: "rerank", arguments: { query: "river", documents: ["a river ".repeat(100)] } }
        const called = { name: "use", arguments: { ...given, ...more } }
        const client = clients[i % 2 === 0 ? 0 : 1]
        const { content } = (await client.callTool(called)) as { content: ReadonlyArray<{ text: string }> }
        return JSON.parse(content[0]?.text ?? "") as {
          readonly status?: number
          readonly price?: { readonly max_micros_usd: number }
          readonly cost?: { readonly micros_usd: number }
          readonly error?: { readonly code: string; readonly what_to_do: string; readonly outcome: string }
        }
      }
      const { price } = yield* Effect.promise(() => use(0, {}))
      const first = yield* Effect.promise(() => use(0))
      expect([first.status, first.cost?.micros_usd]).toEqual([200, expect.any(Number)])
      const spent = BigInt(first.cost?.micros_usd ?? 0)
      yield* grants.change(made.grant, { limit: micro(spent + BigInt(price?.max_micros_usd ?? 0) + 1n) })
      const all = yield* Effect.promise(() => Promise.all(Array.from({ length: 200 }, (_, i) => use(i))))
      const refused = all.flatMap(({ error }) => (error === undefined ? [] : [error]))
      expect([all.filter(({ status }) => status === 200).length, refused.length]).toEqual([1, 199])
      expect(refused.every(({ outcome }) => outcome === "not executed")).toBe(true)
      const left = refused.find(({ code }) => code === "over_budget")
      expect(left?.what_to_do).toContain("by the operator of the gateway")
      expect((yield* grants.list()).find(({ id }) => id === made.grant)?.spent).toBe(spent + spent)
      yield* Effect.promise(() => Promise.all(clients.map((client) => client.close())))
    })
  )

  it.effect("has the scopes and the resources that it was given, and no others", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      const [plain, reader] = [yield* machine(), yield* machine({ readsUsage: true })]
      yield* Effect.promise(async () => {
        const read = await token(baseUrl, reader)
        expect(read.scope).toBe("use usage")
        expect((await usage(baseUrl, read.access_token)).status).toBe(200)
        expect((await usage(baseUrl, (await token(baseUrl, plain)).access_token)).status).toBe(403)
        expect((await token(baseUrl, plain, { scope: "use usage grants other" })).scope).toBe("use")
        for (const scope of ["usage", "grants", "openid", "admin"]) {
          expect(await refusal(token(baseUrl, plain, { scope })), scope).toEqual([400, "invalid_scope"])
        }
        for (const resource of ["https://other.example", `${baseUrl}/other`, "no address"]) {
          expect(await refusal(token(baseUrl, plain, { resource })), resource).toEqual([400, "invalid_target"])
        }
      })
    })
  )

  it.effect("gets nothing with a wrong secret, with that of another one, or with what is stored of its own", () =>
    Effect.gen(function* () {
      const { baseUrl, sql } = yield* OAuthGateway
      const [made, other] = [yield* machine(), yield* machine()]
      const [row] = yield* sql<{ readonly secret: string }>`SELECT secret FROM grants WHERE id = ${made.grant}`
      expect(row?.secret).toMatch(/^[0-9a-f]{64}$/)
      yield* Effect.promise(async () => {
        for (const secret of [`${made.secret}0`, other.secret, row?.secret ?? "", "x"]) {
          expect(await refusal(token(baseUrl, { id: made.id, secret }))).toEqual([401, "invalid_client"])
        }
        const unknown = { id: `machine_${"0".repeat(20)}`, secret: made.secret }
        expect(await refusal(token(baseUrl, unknown))).toEqual([401, "invalid_client"])
        expect((await call(baseUrl, made.secret)).status).toBe(401)
      })
    })
  )

  it.effect("ends at once when it is revoked, with the tokens that it has", () =>
    Effect.gen(function* () {
      const { baseUrl, grants } = yield* OAuthGateway
      const made = yield* machine()
      const { access_token } = yield* Effect.promise(() => token(baseUrl, made))
      expect((yield* Effect.promise(() => call(baseUrl, access_token))).status).toBe(200)
      const [racing] = yield* Effect.all(
        [
          Effect.promise(() => Promise.allSettled([token(baseUrl, made), token(baseUrl, made)])),
          grants.revoke(made.grant)
        ],
        { concurrency: "unbounded" }
      )
      yield* Effect.promise(async () => {
        expect((await call(baseUrl, access_token)).status).toBe(401)
        for (const asked of racing) {
          if (asked.status === "fulfilled") expect((await call(baseUrl, asked.value.access_token)).status).toBe(401)
        }
        expect(await refusal(token(baseUrl, made))).toEqual([401, "invalid_client"])
      })
    })
  )

  it.effect("spends for its own account, within its terms", () =>
    Effect.gen(function* () {
      const { account, accounts, baseUrl, grants } = yield* OAuthGateway
      const other = yield* accounts.create("another")
      yield* accounts.adjust(other.id, 1_000_000n, "money")
      const [before, otherBefore] = [yield* accounts.get(account), yield* accounts.get(other.id)]
      const foreign = yield* machine({ account: other.id })
      const poor = yield* machine({ limit: micro(1n) })
      const bound = yield* machine({ allowed: { categories: [], operations: ["embeddings"] } })
      yield* Effect.promise(async () => {
        expect((await call(baseUrl, (await token(baseUrl, foreign)).access_token)).status).toBe(200)
        expect((await call(baseUrl, (await token(baseUrl, poor)).access_token)).status).toBe(402)
        const refused = await call(baseUrl, (await token(baseUrl, bound)).access_token)
        expect([refused.status, JSON.parse(refused.text)]).toMatchObject([
          403,
          {
            error: {
              code: "operation_not_allowed",
              message: `The operator who made this client did not allow rerank (category rerank). It can be allowed by the operator of the gateway, or by the owner of the account.`
            }
          }
        ])
      })
      expect((yield* accounts.get(account)).balance).toBe(before.balance)
      expect((yield* accounts.get(other.id)).balance).toBeLessThan(otherBefore.balance)
      expect((yield* grants.list(other.id)).map(({ id }) => id)).toEqual([foreign.grant])
    })
  )

  it.effect("is never asked: an amount above which somebody is asked is refused", () =>
    Effect.gen(function* () {
      const { grants } = yield* OAuthGateway
      const { grant } = yield* machine()
      const refused = yield* Effect.flip(grants.change(grant, { askAbove: micro(1n) }))
      expect(refused.message).toBe(`${grant} is a service account: there is nobody to ask.`)
      expect(yield* grants.change(grant, { askAbove: null, dayLimit: micro(5n) })).toMatchObject({ dayLimit: 5n })
    })
  )

  it.effect("introspects and gives up its own tokens, not those of another, and stays", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      const [made, other] = [yield* machine(), yield* machine()]
      yield* Effect.promise(async () => {
        const server = await TestClient.discover(baseUrl)
        const as = ({ id, secret }: Made) => new TestClient(server, { client_id: id }, oauth.ClientSecretBasic(secret))
        const { access_token } = await token(baseUrl, made)
        expect(await as(made).introspect(access_token)).toMatchObject({
          active: true,
          client_id: made.id,
          scope: "use"
        })
        expect(await as(other).introspect(access_token)).toEqual({ active: false })
        await as(other)
          .revoke(access_token)
          .catch(() => {})
        expect((await call(baseUrl, access_token)).status).toBe(200)
        await as(made).revoke(access_token)
        expect((await call(baseUrl, access_token)).status).toBe(401)
        expect((await call(baseUrl, (await token(baseUrl, made)).access_token)).status).toBe(200)
      })
    })
  )

  it.effect("cannot ask a person, and nobody can register one", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      const made = yield* machine()
      yield* Effect.promise(async () => {
        const server = await TestClient.discover(baseUrl)
        const client = new TestClient(server, { client_id: made.id })
        const page = await fetch(await client.address(oauth.generateRandomCodeVerifier()), { redirect: "manual" })
        expect(page.status).toBe(400)
        const registered = TestClient.register(baseUrl, {
          grant_types: ["authorization_code", "client_credentials"],
          token_endpoint_auth_method: "client_secret_basic"
        })
        expect(await refusal(registered)).toEqual([400, "invalid_client_metadata"])
        const person = await TestClient.register(baseUrl, { token_endpoint_auth_method: "client_secret_basic" })
        const known = { id: person.client.client_id, secret: String(person.client.client_secret) }
        expect(await refusal(token(baseUrl, known))).toEqual([400, "invalid_request"])
      })
    })
  )
})

it.live("wrong secrets are slowed down by address and client, and the right one always passes", () =>
  Effect.gen(function* () {
    const { baseUrl } = yield* OAuthGateway
    const made = yield* machine()
    yield* Effect.promise(async () => {
      const wrong = { id: made.id, secret: "wrong" }
      const guesses = await Promise.all(Array.from({ length: 20 }, () => refusal(token(baseUrl, wrong))))
      expect(guesses.filter(([status]) => status === 401)).toHaveLength(10)
      expect(guesses.filter(([status]) => status === 429)).toHaveLength(10)
      const ask = (secret: string) =>
        fetch(`${baseUrl}/oauth/token`, {
          method: "POST",
          body: new URLSearchParams({ grant_type: "client_credentials", client_id: made.id, client_secret: secret })
        })
      const limited = await ask("wrong")
      expect([limited.status, Number(limited.headers.get("retry-after")) > 0]).toEqual([429, true])
      expect((await ask(made.secret)).status).toBe(200)
    })
  }).pipe(Effect.provide(OAuthGateway.layer()))
)

it.live("a call under way when the machine is revoked is charged once, and no other follows", () =>
  Effect.gen(function* () {
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const ranking = JSON.stringify({ results: [{ index: 0, relevance_score: 1 }], usage: { total_tokens: 200 } })
    const { port, received } = yield* httpUpstream((res) => {
      void released.then(() => res.writeHead(200, { "content-type": "application/json" }).end(ranking))
    })
    yield* Effect.gen(function* () {
      const { baseUrl, grants } = yield* OAuthGateway
      const made = yield* machine()
      const { access_token } = yield* Effect.promise(() => token(baseUrl, made))
      const under = call(baseUrl, access_token)
      while (received.length === 0) yield* Effect.sleep(5)
      yield* grants.revoke(made.grant)
      expect((yield* Effect.promise(() => call(baseUrl, access_token))).status).toBe(401)
      release()
      expect((yield* Effect.promise(() => under)).status).toBe(200)
      expect(received).toHaveLength(1)
      expect((yield* grants.list()).find(({ id }) => id === made.grant)?.spent).toBeGreaterThan(0n)
    }).pipe(Effect.provide(OAuthGateway.layer({ providers: { rerank: providerAt(port, { protocol: "json" }) } })))
  }).pipe(Effect.scoped)
)
