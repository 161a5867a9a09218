import { expect, it, layer } from "@effect/vitest"
import { Audit } from "@tollgate/gateway"
import { providerAt } from "@tollgate/testing/hostile/Served"
import { call } from "@tollgate/testing/oauth/call"
import { TestClient } from "@tollgate/testing/oauth/client"
import { OAuthGateway } from "@tollgate/testing/oauth/OAuthGateway"
import { ask, callTool } from "@tollgate/testing/tools/agent"
import { httpUpstream } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { SqlClient } from "effect/sql/SqlClient"

const gateway = Layer.provideMerge(OAuthGateway.served, OAuthGateway.layer({ server: { hasConsole: true } }))
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

const tokenFor = (baseUrl: string, resource: string, scope = "use usage", limit = "5") =>
  Effect.promise(
    async () => (await (await TestClient.register(baseUrl)).signIn({ resource, scope, limit })).access_token
  )

interface Found {
  readonly operation_id: string
}

const rerank = {
  operation_id: "rerank",
  arguments: { query: "river mountain sea", documents: ["river mountain sea shore ".repeat(50)] },
  max_price_usd: 1
}

layer(gateway, { excludeTestServices: true, timeout: "30 seconds" })("the tools", (it) => {
  it.effect("lead who has no token to the authorization server, with their own resource", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      const { headers, status } = yield* ask("tools/list", {}, {})
      expect(status).toBe(401)
      const url = /resource_metadata="([^"]+)"/.exec(headers.get("www-authenticate") ?? "")?.[1] ?? ""
      const document = yield* Effect.promise(async () => (await fetch(url)).json() as Promise<unknown>)
      expect(document).toMatchObject({ resource: `${baseUrl}/mcp`, authorization_servers: [baseUrl] })
    })
  )

  it.effect("take a token for them, and one for the whole gateway", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      const forTools = yield* tokenFor(baseUrl, `${baseUrl}/mcp`)
      const forAll = yield* tokenFor(baseUrl, baseUrl)
      for (const token of [forTools, forAll]) {
        expect((yield* callTool("use", rerank, bearer(token))).isError).toBe(false)
      }
      expect((yield* Effect.promise(() => call(baseUrl, forTools))).status).toBe(401)
      expect((yield* Effect.promise(() => call(baseUrl, forAll))).status).toBe(200)
    })
  )

  it.effect("need the scope `use` for a call", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* OAuthGateway
      const token = yield* tokenFor(baseUrl, `${baseUrl}/mcp`, "usage")
      const { headers, status } = yield* ask("tools/call", { name: "use", arguments: rerank }, bearer(token))
      expect(status).toBe(403)
      const challenge = headers.get("www-authenticate")
      expect(challenge).toContain('error="insufficient_scope", scope="usage use"')
      expect(challenge).toContain(`resource_metadata="${baseUrl}/.well-known/oauth-protected-resource/mcp"`)
      const report = { operation_id: "usage", arguments: {}, max_price_usd: 0 }
      expect((yield* ask("tools/call", { name: "use", arguments: report }, bearer(token))).status).toBe(200)
    })
  )

  it.effect("show only what the grant allows, and say where more can be allowed", () =>
    Effect.gen(function* () {
      const { account, baseUrl, grants } = yield* OAuthGateway
      const token = yield* tokenFor(baseUrl, `${baseUrl}/mcp`)
      const [grant] = yield* grants.list(account)
      const ask = (tool: string, input: object) =>
        Effect.map(callTool(tool, { ...input }, bearer(token)), ({ content }) => content)
      const search = (query: string, category?: string) =>
        Effect.map(ask("search", { query, limit: 50, ...(category === undefined ? {} : { category }) }), (content) => ({
          note: content["note"],
          ids: (content["results"] as ReadonlyArray<Found>).map(({ operation_id }) => operation_id)
        }))
      const where = `More can be allowed by the owner of the account at ${baseUrl}/grants.`

      const before = yield* search("create a video")
      expect([before.ids[0], before.note]).toEqual(["video.create", undefined])
      yield* grants.change(grant?.id ?? "", { allowed: { categories: ["rerank"], operations: ["embeddings"] } })
      const after = yield* search("create a video")
      expect(before.ids.length).toBeGreaterThan(after.ids.length)
      expect(after.ids.filter((id) => !/^(?:rerank|embeddings|usage|account|task)/.test(id))).toEqual([])
      expect(after.note).toMatch(/^Not allowed by this grant: video\.create, [A-Z]/)
      expect(after.note).toContain(where)
      expect(yield* search("sort documents by relevance")).toMatchObject({ note: undefined })
      expect((yield* search("", "models")).ids).toEqual(["embeddings"])
      expect((yield* search("", "models")).note).toMatch(
        /Not allowed by this grant: \d+ operations of this category\. /
      )
      // A category in which nothing is allowed is not said to be unknown.
      expect((yield* search("traffic", "finance")).note).not.toContain("no category of this name")

      const page = yield* ask("list_categories", {})
      const categories = page["categories"] as ReadonlyArray<Readonly<Record<string, unknown>>>
      expect(categories.map(({ name, operations }) => [name, operations])).toEqual([
        ["account", 3],
        ["models", 1],
        ["rerank", 2],
        ["video", 1]
      ])
      expect(page["note"]).toBe(`What this grant does not allow is left out. ${where}`)

      const refused = { code: "operation_not_allowed", message: expect.stringContaining(baseUrl) as unknown }
      const video = { operation_id: "video.create" }
      expect(yield* ask("get_details", video)).toMatchObject({ error: refused })
      expect(yield* ask("get_details", { operation_id: "embeddings" })).toMatchObject({ details: {} })
      expect(yield* ask("use", { ...video, arguments: { prompt: "a river" }, max_price_usd: 1 })).toMatchObject({
        error: refused
      })
      expect(JSON.stringify(yield* ask("use", { operation_id: "video.creat" }))).not.toContain("video.create")
    })
  )
})

it.live("100 `use` calls at once on a grant that can pay for one: one is executed and charged", () =>
  Effect.gen(function* () {
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    const answer = JSON.stringify({ model: "m", results: [], usage: { total_tokens: 200 } })
    const { port, received } = yield* httpUpstream((res) => {
      void released.then(() => res.writeHead(200, { "content-type": "application/json" }).end(answer))
    })
    yield* Effect.gen(function* () {
      const { account, baseUrl, grants, sql } = yield* OAuthGateway
      const token = yield* tokenFor(baseUrl, `${baseUrl}/mcp`, "use", "0.0001")
      let refused = 0
      const results = yield* Effect.forEach(
        Array.from({ length: 100 }),
        () =>
          Effect.tap(callTool("use", rerank, bearer(token)), ({ isError }) =>
            Effect.sync(() => {
              // The call that is executed holds its reservation until all others are decided.
              if (isError && ++refused === 99) release()
            })
          ),
        { concurrency: "unbounded" }
      )
      expect(results.filter(({ isError }) => !isError)).toHaveLength(1)
      expect(results.filter(({ content }) => JSON.stringify(content).includes("balance_reserved"))).toHaveLength(99)
      const refusal = results.find(({ isError }) => isError)?.content["error"] as Readonly<Record<string, string>>
      expect(refusal["what_to_do"]).toMatch(/^Calls under way have reserved the money/)
      expect(received).toHaveLength(1)
      const [grant] = yield* grants.list(account)
      expect(grant?.spent).toBeGreaterThan(0n)
      expect(grant?.spent).toBeLessThanOrEqual(100n)
      expect((yield* Effect.provideService(Audit.run, SqlClient, sql)).differences).toEqual([])
    }).pipe(
      Effect.provide(
        Layer.provideMerge(
          OAuthGateway.served,
          OAuthGateway.layer({ providers: { rerank: providerAt(port, { protocol: "json" }) } })
        )
      )
    )
  }).pipe(Effect.scoped)
)
