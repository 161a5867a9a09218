import { describe, expect, it, layer } from "@effect/vitest"
import { Served } from "@tollgate/testing/hostile/Served"
import { tenant } from "@tollgate/testing/hostile/tenants"
import { key, type Options, TestGateway } from "@tollgate/testing/TestGateway"
import {
  ask,
  bearer,
  callTool,
  initialize,
  inSession,
  mcpHeaders,
  request,
  rpc,
  send
} from "@tollgate/testing/tools/agent"
import { servedSandbox } from "@tollgate/testing/tools/served"
import * as Effect from "effect/Effect"

const settings: Options["tools"] = {
  origins: ["https://inspector.example"],
  sessions: { perOwner: 3, inAll: 10 }
}

const sandboxed = <A, E, R>(test: Effect.Effect<A, E, R>, options?: Options) =>
  Effect.provide(test, servedSandbox(options))

/** The tool server still answers. */
const isWell = Effect.map(ask("tools/list"), ({ status }) => expect(status).toBe(200))

layer(servedSandbox({}, settings), { excludeTestServices: true })("the tool server", (it) => {
  describe("without a valid credential", () => {
    it.effect("every request to the tool server is refused with a challenge", () =>
      Effect.gen(function* () {
        const { body, headers } = request("tools/list")
        for (const method of ["POST", "GET", "DELETE", "PUT"]) {
          const none = yield* send(body, headers, method)
          expect([none.status, none.headers.get("www-authenticate")]).toEqual([401, "Bearer"])
          const wrong = yield* send(body, { ...headers, authorization: "Bearer tg_wrong" }, method)
          expect([wrong.status, wrong.headers.get("www-authenticate")]).toEqual([401, "Bearer"])
        }
        const started = yield* initialize("2025-11-25", {})
        expect([started.status, started.session]).toEqual([401, ""])
        expect(started.messages[0]?.error?.data).toMatchObject({ code: "missing_credential" })
      })
    )

    it.effect("a key in the query or in the headers of other SDKs is not read", () =>
      Effect.gen(function* () {
        const { body, headers } = request("tools/list")
        const { baseUrl } = yield* Served
        const inQuery = yield* Effect.promise(() =>
          fetch(`${baseUrl}/mcp?key=${key}`, { method: "POST", headers, body })
        )
        expect(inQuery.status).toBe(401)
        const hint = (place: string) => `${place} is not read on this path. Send it as Authorization`
        expect(yield* Effect.promise(() => inQuery.text())).toContain(hint("A key in the query (?key=)"))
        for (const place of ["x-api-key", "x-goog-api-key"]) {
          const { messages, status } = yield* send(body, { ...headers, [place]: key })
          expect([status, messages[0]?.error?.message]).toEqual([401, expect.stringContaining(hint(place))])
        }
      })
    )
  })

  describe("a page of another origin", () => {
    const own = "http://gateway.invalid"

    it.effect("cannot call the tools, whatever it sends", () =>
      Effect.gen(function* () {
        const { port } = yield* Served
        for (const origin of ["https://evil.example", "null", `${own}.evil.example`, `http://127.0.0.1:${port}`]) {
          const answer = yield* ask("tools/list", {}, { ...bearer, origin })
          expect([answer.status, answer.headers.get("access-control-allow-origin")], origin).toEqual([403, null])
          expect((yield* send("", { origin, "access-control-request-method": "POST" }, "OPTIONS")).status).toBe(403)
        }
      })
    )

    it.effect("can, if the operator lists it, and the gateway's own pages can", () =>
      Effect.gen(function* () {
        for (const origin of [own, "https://inspector.example"]) {
          const answer = yield* ask("tools/list", {}, { ...bearer, origin })
          expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, origin])
          const preflight = yield* send("", { origin, "access-control-request-method": "POST" }, "OPTIONS")
          expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, origin])
        }
      })
    )
  })

  describe("a session", () => {
    it.effect("belongs to the key that started it, and ends when it is deleted", () =>
      Effect.gen(function* () {
        const { session } = yield* initialize()
        const list = (headers: Readonly<Record<string, string>>) => send(rpc("tools/list"), headers)
        expect((yield* list(inSession(session))).status).toBe(200)
        const other = yield* tenant("other")
        expect((yield* list({ ...inSession(session), ...other })).status).toBe(404)
        expect((yield* send("", { ...inSession(session), ...other }, "DELETE")).status).toBe(404)
        expect((yield* list(inSession("00000000-0000-4000-8000-000000000000"))).status).toBe(404)
        expect((yield* send("", inSession(session), "DELETE")).status).toBe(204)
        expect((yield* list(inSession(session))).status).toBe(404)
      })
    )

    it.effect("that was idle the longest ends when a key has too many, and no other key's does", () =>
      Effect.gen(function* () {
        const other = yield* tenant("other")
        const theirs = yield* initialize("2025-11-25", other)
        const sessions: Array<string> = []
        for (let i = 0; i < 5; i++) sessions.push((yield* initialize()).session)
        const statuses = yield* Effect.forEach(sessions, (session) => send(rpc("tools/list"), inSession(session)))
        expect(statuses.map(({ status }) => status)).toEqual([404, 404, 200, 200, 200])
        expect((yield* send(rpc("tools/list"), { ...inSession(theirs.session), ...other })).status).toBe(200)
      })
    )

    it.effect("is bounded in all, and in what it keeps of its start", () =>
      Effect.gen(function* () {
        const first = yield* initialize()
        for (const name of ["a", "b", "c", "d"]) {
          const headers = yield* tenant(name)
          yield* Effect.repeat(initialize("2025-11-25", headers), { times: 2 })
        }
        expect((yield* send(rpc("tools/list"), inSession(first.session))).status).toBe(404)
        const clientInfo = { name: "x".repeat(20_000), version: "1" }
        const large = rpc("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo })
        expect((yield* send(large, { ...mcpHeaders, ...bearer })).status).toBe(400)
      })
    )

    it.effect("of each older revision lists and calls the tools", () =>
      Effect.gen(function* () {
        for (const version of ["2025-11-25", "2025-06-18", "2025-03-26"]) {
          const { messages, session } = yield* initialize(version)
          expect(messages[0]?.result?.["protocolVersion"]).toBe(version)
          const called = yield* send(
            rpc("tools/call", { name: "list_categories", arguments: {} }),
            inSession(session, version)
          )
          expect(called.messages[0]?.result?.["isError"]).toBe(false)
        }
        expect((yield* initialize("1999-01-01")).messages[0]?.result?.["protocolVersion"]).toBe("2025-11-25")
      })
    )
  })

  describe("header rules", () => {
    it.effect("content type, accepted types, revision, method and name must fit", () =>
      Effect.gen(function* () {
        const { body, headers } = request("tools/call", { name: "list_categories", arguments: {} })
        const status = (more: Readonly<Record<string, string>>) =>
          Effect.map(send(body, { ...headers, ...bearer, ...more }), (answer) => answer.status)
        expect(yield* status({})).toBe(200)
        expect(yield* status({ "content-type": "text/plain" })).toBe(415)
        expect(yield* status({ accept: "application/json" })).toBe(406)
        expect(yield* status({ "mcp-protocol-version": "2020-01-01" })).toBe(400)
        expect(yield* status({ "mcp-method": "tools/list" })).toBe(400)
        expect(yield* status({ "mcp-name": "use" })).toBe(400)
        const { session } = yield* initialize()
        const list = (more: Readonly<Record<string, string>>) =>
          Effect.map(send(rpc("tools/list"), { ...inSession(session), ...more }), (answer) => answer.status)
        expect(yield* list({ "mcp-protocol-version": "2025-06-18" })).toBe(400)
        expect(yield* list({ "mcp-protocol-version": "nonsense" })).toBe(400)
        expect((yield* send(rpc("tools/list"), { ...mcpHeaders, ...bearer })).status).toBe(400)
        expect((yield* send("", { ...bearer, accept: "text/event-stream" }, "GET")).status).toBe(405)
        expect((yield* send("", bearer, "PATCH")).status).toBe(405)
        const { body: none, headers: few } = request("tools/list")
        const sentences: ReadonlyArray<readonly [number, string, string, Readonly<Record<string, string>>]> = [
          [405, "with POST", "GET", {}],
          [406, "header Accept must name", "POST", { ...few, accept: "*/*" }],
          [415, "header Content-Type must be", "POST", { ...few, "content-type": "text/plain" }],
          [404, "no such session", "POST", inSession("00000000-0000-4000-8000-000000000000")],
          [400, "MCP-Session-Id", "DELETE", {}],
          [403, "this origin", "POST", { ...few, origin: "https://evil.example" }]
        ]
        for (const [status, sentence, method, more] of sentences) {
          const answer = yield* send(none, { ...bearer, ...more }, method)
          expect([answer.status, answer.messages[0]?.error?.message]).toEqual([
            status,
            expect.stringContaining(sentence)
          ])
        }
        const { baseUrl } = yield* Served
        const withQuery = yield* Effect.promise(() =>
          fetch(`${baseUrl}/mcp?x=1`, { method: "POST", headers: { ...headers, ...bearer }, body })
        )
        expect(withQuery.status).toBe(200)
      })
    )
  })

  describe("hostile messages", () => {
    const statusOf = (body: string, headers: Readonly<Record<string, string>> = {}) =>
      Effect.map(send(body, { ...mcpHeaders, ...bearer, ...headers }), ({ status }) => status)

    it.effect("batches, ids and bodies are bounded, and nesting does no harm", () =>
      Effect.gen(function* () {
        const { session } = yield* initialize("2025-03-26")
        const old = inSession(session, "2025-03-26")
        const members = (count: number) =>
          `[${Array.from({ length: count }, (_, id) => rpc("ping", {}, id)).join(",")}]`
        const batch = yield* send(members(20), old)
        expect([batch.status, batch.messages.length]).toEqual([200, 20])
        expect(yield* statusOf(members(21), old)).toBe(400)
        expect(yield* statusOf(members(10_000), old)).toBe(400)
        expect(yield* statusOf(members(2), inSession((yield* initialize()).session))).toBe(400)
        expect(yield* statusOf(rpc("ping", {}, "x".repeat(10_000)))).toBe(400)
        expect(yield* statusOf(rpc("tools/list", { padding: "x".repeat(20_000) }))).toBe(400)

        const { body, headers } = request("tools/call", { name: "use", arguments: { padding: "x".repeat(5_000_000) } })
        expect(yield* statusOf(body, headers)).toBe(413)
        const escaped = (count: number) =>
          request("tools/call", { name: "use", arguments: { operation_id: 5, padding: "\n".repeat(count) } })
        const many = escaped(500_001)
        const refused = yield* send(many.body, { ...many.headers, ...bearer })
        expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("500000 escaped characters")])
        const fewer = escaped(499_999)
        expect(yield* statusOf(fewer.body, fewer.headers)).toBe(200)
        for (const bad of ["", "{", "null", "[]", "[".repeat(60_000), "\u0000", '"text"']) {
          expect(yield* statusOf(bad), bad.slice(0, 10)).toBeLessThan(500)
        }
        const marker = "nested"
        const deep = request("tools/call", {
          name: "use",
          arguments: { operation_id: "rerank", arguments: { query: "q", documents: marker }, max_price_usd: 1 }
        })
        const large = yield* callTool("use", {
          operation_id: "rerank",
          arguments: { query: "q", documents: ["word ".repeat(200_000)] },
          max_price_usd: 1
        })
        expect(large.isError).toBe(false)
        const nested = deep.body.replace(`"${marker}"`, "[".repeat(25_000) + "]".repeat(25_000))
        const answer = yield* send(nested, { ...deep.headers, ...bearer })
        expect([answer.status, answer.messages[0]?.result?.["isError"]]).toEqual([200, true])
        yield* isWell
      })
    )

    it.effect("what is not JSON, or no message, is refused in plain words", () =>
      Effect.gen(function* () {
        for (const bad of ["", "{", "\u0000", "nonsense"]) {
          const { messages, status, text } = yield* send(bad, { ...mcpHeaders, ...bearer })
          expect([status, messages[0]?.id, messages[0]?.error?.code], bad).toEqual([400, null, -32700])
          expect(text).not.toContain("_tag")
        }
        const { session } = yield* initialize()
        for (const bad of ["null", "[]", '"text"', '{"jsonrpc":"2.0","id":{},"method":"ping"}', "{}"]) {
          for (const headers of [{ ...mcpHeaders, ...bearer }, inSession(session)]) {
            const { messages, status, text } = yield* send(bad, headers)
            expect([status, messages[0]?.error?.code], bad).toEqual([400, -32600])
            expect(text).not.toContain("_tag")
          }
        }
        expect((yield* ask("tools/destroy")).text).not.toContain("_tag")
      })
    )

    it.effect("unknown methods and tools are protocol errors, and unknown fields are tool errors", () =>
      Effect.gen(function* () {
        expect((yield* ask("tools/destroy")).messages[0]?.error?.code).toBe(-32601)
        const { session } = yield* initialize()
        for (const method of ["tools/destroy", "__proto__", "constructor", "resources/unsubscribe"]) {
          const { messages } = yield* send(rpc(method, { uri: "a:b" }), inSession(session))
          expect(messages[0]?.error?.code, method).toBe(-32601)
        }
        expect((yield* ask("tools/call", { name: "rm", arguments: {} })).messages[0]?.error?.code).toBe(-32602)
        for (const input of [
          { __proto__: null, query: 5 },
          { query: "x", limit: 1e9 },
          { query: "x", more: 1 }
        ]) {
          expect((yield* callTool("search", input)).content["error"]).toMatchObject({ code: "invalid_arguments" })
        }
        for (const operation_id of ["__proto__", "constructor", "../admin", "x".repeat(200)]) {
          const { content } = yield* callTool("use", { operation_id, max_price_usd: 1 })
          expect(content["error"]).toMatchObject({ code: "unknown_operation" })
        }
      })
    )
  })
})

describe("a credential", () => {
  it.live("guessing is slowed down by address, and does not lock a known key out", () =>
    sandboxed(
      Effect.gen(function* () {
        yield* isWell
        const guess = ask("tools/list", {}, { authorization: "Bearer tg_guess" })
        while ((yield* guess).status !== 429) expect((yield* guess).status).not.toBe(200)
        yield* isWell
      })
    )
  )
})

describe("requests per minute", () => {
  it.live("count the free tools and all other messages", () =>
    sandboxed(
      Effect.gen(function* () {
        const { account, accounts } = yield* TestGateway
        yield* accounts.change(account, { rpm: 6 })
        const first = yield* callTool("search", { query: "rerank" })
        expect(first.content["limits"]).toMatchObject({ requests: { limit: 6, remaining: 5 } })
        yield* ask("tools/list")
        yield* callTool("use", { operation_id: "models.list" })
        yield* callTool("use", { operation_id: "nothing" })
        yield* callTool("get_details", { operation_id: "rerank" })
        yield* callTool("list_categories", {})
        const refused = yield* callTool("search", { query: "rerank" })
        expect([refused.isError, refused.content["error"]]).toEqual([
          true,
          expect.objectContaining({ code: "rate_limit_exceeded", repeat: "safe" })
        ])
        const list = yield* ask("tools/list")
        expect([list.status, Number(list.headers.get("retry-after"))]).toEqual([429, expect.any(Number)])
      }),
      { limits: true }
    )
  )
})
