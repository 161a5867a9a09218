import { describe, expect, it, layer } from "@effect/vitest"
import { completion, pausedUpstream } from "@tollgate/testing/hostile/pausedUpstream"
import { providerAt, type Served, servedTo } from "@tollgate/testing/hostile/Served"
import { calls } from "@tollgate/testing/models"
import {
  bearer,
  initialize,
  inSession,
  mcpHeaders,
  type Posted,
  request,
  rpc,
  send
} from "@tollgate/testing/tools/agent"
import { servedSandbox } from "@tollgate/testing/tools/served"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

type Headers = Readonly<Record<string, string>>

/** The text of the one block of a result, without what differs after a call that was charged. */
const textIn = ({ messages }: Posted): unknown => {
  const [block] = (messages.at(-1)?.result?.["content"] ?? []) as ReadonlyArray<{ readonly text: string }>
  return block?.text.replaceAll(/(?:req_|chatcmpl-)[0-9a-z]+|"(?:left|limits)":\{.*$/g, "…")
}

const rerank = { operation_id: "rerank", arguments: { query: "q", documents: ["a", "b"] }, max_price_usd: 0.01 }

const inputs: ReadonlyArray<readonly [string, unknown]> = [
  ["use", rerank],
  ["use", { ...rerank, max_price_usd: "0.01" }],
  ["use", { ...rerank, arguments: JSON.stringify(rerank.arguments) }],
  ["use", { ...rerank, max_price_usd: 0.000_000_001 }],
  ["use", { ...rerank, max_price_usd: undefined }],
  ["use", { ...rerank, max_price_usd: -1 }],
  ["use", { ...rerank, arguments: { query: "q", documents: '\u2028 ü \ud83d\ude00 \\ " \u0000' } }],
  ["use", { ...rerank, arguments: { query: "q", documents: ["word ".repeat(20_000)] } }],
  ["use", { ...rerank, arguments: { query: 5 } }],
  ["use", { ...rerank, maxPrice: 1 }],
  ["use", { ...rerank, wait_seconds: 1_000 }],
  ["use", { operation_id: "models.list" }],
  ["use", { operation_id: "nothing", max_price_usd: 1 }],
  ["use", { operation_id: "x".repeat(5_000) }],
  ["use", { operation_id: null }],
  ["use", {}],
  ["use", undefined],
  ["use", null],
  ["use", []],
  ["use", "text"],
  [
    "use",
    {
      operation_id: "chat.completions",
      arguments: { model: "sandbox", stream: true, max_tokens: 5, messages: [{ role: "user", content: "Why?" }] },
      max_price_usd: 1
    }
  ],
  ["batch_use", { calls: [rerank, { operation_id: "models.list" }, { operation_id: "nothing" }], max_total_usd: 0.02 }],
  ["batch_use", { calls: [rerank] }],
  ["batch_use", { calls: [] }],
  ["batch_use", { calls: "all" }],
  ["search", { query: "rerank documents" }],
  ["search", { query: "rerank", limit: 1e9 }],
  ["search", { query: 5 }],
  ["get_details", { operation_id: "rerank" }],
  ["get_details", { operation_id: "nothing" }],
  ["list_categories", {}],
  ["list_categories", { more: 1 }],
  ["rm", {}],
  ["__proto__", {}],
  ["", {}]
]

const revisions = ["2025-11-25", "2025-06-18", "2025-03-26"]

layer(servedSandbox({}, { origins: ["https://inspector.example"] }), { excludeTestServices: true })(
  "a tool call",
  (it) => {
    it.effect("has the same answer in every revision, as JSON and as events", () =>
      Effect.gen(function* () {
        const sessions = yield* Effect.forEach(revisions, (revision) =>
          Effect.map(initialize(revision), ({ session }) => inSession(session, revision))
        )
        for (const [name, input] of inputs) {
          const { body, headers } = request("tools/call", { name, arguments: input })
          const expected = yield* send(body, { ...headers, ...bearer })
          expect(expected.status, body).toBe(200)
          for (const [i, session] of sessions.entries()) {
            const params = { name, arguments: input }
            const answer = yield* send(rpc("tools/call", params), session)
            const { error } = answer.messages[0] ?? {}
            expect([textIn(answer), error], body).toEqual([textIn(expected), expected.messages[0]?.error])
            expect(answer.headers.get("mcp-protocol-version")).toBe(revisions[i])
            if (error !== undefined) continue
            const _meta = { progressToken: "p" }
            const events = yield* send(rpc("tools/call", { ...params, _meta }), session)
            expect(events.headers.get("content-type")).toBe("text/event-stream")
            expect(textIn(events), body).toEqual(textIn(expected))
          }
        }
        const { body, headers } = request("tools/call", { name: "use", arguments: rerank })
        const origin = "https://inspector.example"
        const fromPage = yield* send(body, { ...headers, ...bearer, origin })
        expect([fromPage.status, fromPage.headers.get("access-control-allow-origin")]).toEqual([200, origin])
      })
    )

    it.effect("that is malformed is refused in the words of JSON-RPC, whatever its headers", () =>
      Effect.gen(function* () {
        const { session } = yield* initialize()
        const params = { name: "list_categories", arguments: {} }
        const { body, headers } = request("tools/call", params)
        const stateless = { ...headers, ...bearer }
        const about = (name: string) => `io.modelcontextprotocol/${name}`
        const { _meta: meta } = (JSON.parse(body) as { params: { _meta: Record<string, unknown> } }).params
        const withMeta = (more: object) => rpc("tools/call", { ...params, _meta: { ...meta, ...more } })
        const refused: ReadonlyArray<readonly [number, number, string, Headers]> = [
          [400, -32700, body.slice(0, -1), stateless],
          [400, -32600, body.replace('"2.0"', '"1.0"'), stateless],
          [400, -32600, "[]", stateless],
          [400, -32000, `[${body}]`, stateless],
          [400, -32600, body.replace(/"id":\d+/, '"id":null'), stateless],
          [400, -32600, body.replace(/"id":\d+/, `"id":"${"x".repeat(257)}"`), stateless],
          [400, -32602, withMeta({ [about("protocolVersion")]: undefined }), stateless],
          [400, -32602, withMeta({ [about("clientCapabilities")]: undefined }), stateless],
          [400, -32020, withMeta({ [about("protocolVersion")]: "2025-11-25" }), stateless],
          [400, -32020, body, { ...stateless, "mcp-method": "tools/list" }],
          [400, -32020, body, { ...stateless, "mcp-name": "use" }],
          [400, -32020, body, { ...mcpHeaders, ...bearer }],
          [
            400,
            -32022,
            body.replaceAll("2026-07-28", "2020-01-01"),
            { ...stateless, "mcp-protocol-version": "2020-01-01" }
          ],
          [200, -32602, body.replace('"arguments":{}', '"arguments":[]'), stateless],
          [400, -32020, body, inSession(session)],
          [400, -32020, rpc("tools/call", params), inSession(session, "2025-06-18")],
          [400, -32600, rpc("initialize", {}), inSession(session)],
          [400, -32600, rpc("tools/call", params), { ...mcpHeaders, ...bearer }],
          [200, -32602, rpc("tools/call", { ...params, _meta: 5 }), inSession(session)],
          [200, -32602, rpc("tools/call"), inSession(session)],
          [200, -32601, rpc("server/discover"), inSession(session)],
          [404, -32601, body.replace("tools/call", "ping"), { ...stateless, "mcp-method": "ping" }]
        ]
        for (const [status, code, each, given] of refused) {
          const answer = yield* send(each, given)
          expect([answer.status, answer.messages[0]?.error?.code], `${each} ${JSON.stringify(given)}`).toEqual([
            status,
            code
          ])
        }
        const encoded = { ...stateless, "mcp-name": "=?base64?bGlzdF9jYXRlZ29yaWVz?=" }
        expect((yield* send(body, encoded)).status).toBe(200)
        for (const type of ["application/json; charset=utf-8", "Application/JSON"]) {
          expect((yield* send(body, { ...stateless, "content-type": type })).status).toBe(200)
        }
        expect((yield* send(body, { ...stateless, accept: "text/event-stream ,application/json;q=0.5" })).status).toBe(
          200
        )
        for (const accept of ["application/json", "*/*", "application/json, text/event-stream;q=0"]) {
          expect((yield* send(body, { ...stateless, accept })).status).toBe(406)
        }
      })
    )

    it.effect("is answered among others of a batch, in which only what is wrong is refused", () =>
      Effect.gen(function* () {
        const { session } = yield* initialize("2025-03-26")
        const call = rpc("tools/call", { name: "list_categories" }, "a")
        const note = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })
        const { messages } = yield* send(
          `[${rpc("ping")},5,${call},${note},${rpc("nope", {}, 2)}]`,
          inSession(session, "2025-03-26")
        )
        expect(messages).toMatchObject([
          { id: 1, result: {} },
          { id: null, error: { code: -32600 } },
          { id: "a", result: { isError: false } },
          { id: 2, error: { code: -32601 } }
        ])
        expect((yield* send(`[${note}]`, inSession(session, "2025-03-26"))).status).toBe(202)
      })
    )
  }
)

describe("a call in a session", () => {
  const chat = {
    operation_id: "chat.completions",
    arguments: { model: "sandbox", max_tokens: 50, messages: [{ role: "user", content: "Why?" }] },
    max_price_usd: 1
  }
  const cancelled = (params: object) => JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params })

  /** A call that is answered with JSON and one with events, stopped while the upstream has not answered. */
  const stopped = (stop: (session: string) => Effect.Effect<unknown, never, Served>) =>
    Effect.gen(function* () {
      const upstream = yield* pausedUpstream
      return yield* Effect.gen(function* () {
        const { session } = yield* initialize()
        const call = (id: string, more: object) =>
          Effect.forkChild(send(rpc("tools/call", { name: "use", arguments: chat, ...more }, id), inSession(session)))
        const json = yield* call("json", {})
        const events = yield* call("events", { _meta: { progressToken: 1 } })
        yield* upstream.arrived(2)
        yield* stop(session)
        yield* upstream.answer(completion(10, 20))
        const answers = [yield* Fiber.join(json), yield* Fiber.join(events)] as const
        expect((yield* calls).map(({ state }) => state)).toEqual(["settled", "settled"])
        return answers
      }).pipe(Effect.provide(servedTo({ "chat.completions": providerAt(upstream.port, { protocol: "openai" }) })))
    }).pipe(Effect.scoped)

  it.live("that is cancelled is carried to its end and gets no answer", () =>
    Effect.gen(function* () {
      const [json, events] = yield* stopped((session) =>
        Effect.gen(function* () {
          for (const requestId of ["json", "events"]) {
            expect((yield* send(cancelled({ requestId }), inSession(session))).status).toBe(202)
          }
        })
      )
      for (const { status, text } of [json, events]) expect([status, text]).toEqual([200, ""])
    })
  )

  it.live("goes on if the cancellation is refused or names another call", () =>
    Effect.gen(function* () {
      const [json, events] = yield* stopped((session) =>
        Effect.gen(function* () {
          const other = yield* initialize()
          for (const requestId of ["json", "events"]) {
            yield* send(cancelled({ requestId: `not ${requestId}` }), inSession(session))
            yield* send(cancelled({ requestId, reason: 5 }), inSession(session))
            yield* send(cancelled({ requestId }), { ...inSession(session), accept: "*/*" })
            yield* send(cancelled({ requestId }), inSession(other.session))
          }
        })
      )
      for (const { status, text } of [json, events]) {
        expect([status, text]).toEqual([200, expect.stringContaining('"isError":false')])
      }
    })
  )

  it.live("that ends while the call runs gets the answer that there is no such session", () =>
    Effect.gen(function* () {
      const [json, events] = yield* stopped((session) => send("", inSession(session), "DELETE"))
      expect([json.status, json.text]).toEqual([404, expect.stringContaining("no such session")])
      expect([events.status, events.text]).toEqual([200, ""])
    })
  )
})
