import { describe, expect, it, layer } from "@effect/vitest"
import { completion, heldUpstream } from "@tollgate/testing/hostile/heldUpstream"
import { providerAt, type Served, servedTo } from "@tollgate/testing/hostile/Served"
import { calls } from "@tollgate/testing/models"
import { TestGateway } from "@tollgate/testing/TestGateway"
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
import { httpUpstream } from "@tollgate/testing/upstream"
import { servedSandbox } from "@tollgate/testing/tools/served"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

// The gateway answers ordinary calls of tools itself, and leaves all others to the MCP server. Nobody can tell which did.

type Headers = Readonly<Record<string, string>>

/** Means the same as the usual header, and only the MCP server reads it. */
const byServer = { accept: "application/json;q=1, text/event-stream;q=1" }

/** Differ between two requests, whoever answers. */
const ownId = /(?:req_|chatcmpl-)[0-9a-z]+/g

/** Differs after a call that was charged. */
const left = /left\\*":\{\\*"usd\\*":\\*"[\d.]+/g

const shown = ({ headers, status, text }: Posted) => {
  const seen = Object.fromEntries(headers)
  delete seen["date"]
  delete seen["keep-alive"]
  delete seen["x-request-id"]
  delete seen["content-length"]
  return { status, headers: seen, text: text.replace(ownId, "…").replace(left, "…") }
}

/** Sends a body both ways. Returns what both answered. */
const both = Effect.fnUntraced(function* (body: string, headers: Headers) {
  const direct = yield* send(body, headers)
  const served = yield* send(body, headers["accept"] === mcpHeaders.accept ? { ...headers, ...byServer } : headers)
  expect(shown(direct), body.slice(0, 300)).toEqual(shown(served))
  return direct
})

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
    it.effect("has the same answer from the gateway and from the MCP server, without a session", () =>
      Effect.gen(function* () {
        for (const [name, input] of inputs) {
          const { body, headers } = request("tools/call", { name, arguments: input })
          yield* both(body, { ...headers, ...bearer })
          const asProgram = request("tools/call", { name, arguments: input }, { "tollgate/structured": true })
          yield* both(asProgram.body, { ...headers, ...bearer })
        }
        const { body, headers } = request("tools/call", { name: "use", arguments: rerank })
        const origin = "https://inspector.example"
        const fromPage = yield* both(body, { ...headers, ...bearer, origin })
        expect([fromPage.status, fromPage.headers.get("access-control-allow-origin")]).toEqual([200, origin])
      })
    )

    it.effect("has the same answer from both in a session of each revision", () =>
      Effect.gen(function* () {
        for (const revision of revisions) {
          const { session } = yield* initialize(revision)
          for (const [name, input] of inputs) {
            const asProgram = rpc("tools/call", { name, arguments: input, _meta: { "tollgate/structured": true } })
            yield* both(asProgram, inSession(session, revision))
            const body = rpc("tools/call", { name, arguments: input })
            const answer = yield* both(body, inSession(session, revision))
            expect(answer.headers.get("mcp-protocol-version")).toBe(revision)
          }
        }
      })
    )

    it.effect("that is malformed or has other headers has the same answer from both", () =>
      Effect.gen(function* () {
        const { session } = yield* initialize()
        const ended = yield* initialize()
        yield* send("", inSession(ended.session), "DELETE")
        const params = { name: "list_categories", arguments: {} }
        const { body, headers } = request("tools/call", params)
        const { _meta: meta } = (JSON.parse(body) as { params: { _meta: Record<string, unknown> } }).params
        const stateless = { ...headers, ...bearer }
        const withMeta = (more: object, less?: string) => {
          const given: Record<string, unknown> = { ...meta, ...more }
          if (less !== undefined) delete given[less]
          return rpc("tools/call", { ...params, _meta: given })
        }
        const about = (name: string) => `io.modelcontextprotocol/${name}`
        const bodies = [
          body,
          body.replace('"2.0"', '"1.0"'),
          body.replace('"jsonrpc":"2.0",', ""),
          body.replace('"name":', '"name":1,"named":'),
          `[${body}]`,
          `[${body},${body}]`,
          `${body.slice(0, -1)},"discard":true}`,
          `${body.slice(0, -1)},"result":1}`,
          `${body.slice(0, -1)},"__proto__":{"id":5}}`,
          body.slice(0, -1),
          body.replace('"arguments":{}', '"arguments":{"__proto__":{"query":1}}'),
          body.replace('"arguments":{}', '"arguments":[]'),
          body.replace('"arguments":{},', ""),
          ...[1.5, -0, 2 ** 60, "", "\u2028", "x".repeat(256), "x".repeat(257), null, true, {}].map((id) =>
            JSON.stringify({ ...(JSON.parse(body) as object), id })
          ),
          JSON.stringify({ ...(JSON.parse(body) as object), id: undefined }),
          withMeta({}, about("protocolVersion")),
          withMeta({}, about("clientCapabilities")),
          withMeta({}, about("clientInfo")),
          withMeta({ [about("protocolVersion")]: "2025-11-25" }),
          withMeta({ [about("clientCapabilities")]: { roots: {}, sampling: { tools: {} }, elicitation: { form: 1 } } }),
          withMeta({ [about("clientCapabilities")]: { roots: {}, sampling: { tools: {} }, other: 1 } }),
          withMeta({ [about("clientInfo")]: { name: "x" } }),
          withMeta({ [about("logLevel")]: "loud" }),
          withMeta({ [about("logLevel")]: "debug", traceparent: 5 }),
          withMeta({ progressToken: {} }),
          withMeta({ progressToken: "p" }),
          rpc("tools/call", { ...params, _meta: meta, inputResponses: 5 }),
          rpc("tools/call", { ...params, _meta: meta, requestState: "s", task: { ttl: 5 } }),
          rpc("tools/call", { ...params, _meta: [] }),
          rpc("tools/call", { ...params, _meta: {} }),
          rpc("tools/call", { ...params, task: { ttl: 5 } }),
          rpc("tools/call", params),
          rpc("tools/call", [params]),
          rpc("tools/call")
        ]
        const contexts: ReadonlyArray<Headers> = [
          stateless,
          { ...stateless, "mcp-method": "tools/list" },
          { ...stateless, "mcp-name": "use" },
          { ...stateless, "mcp-name": "=?base64?bGlzdF9jYXRlZ29yaWVz?=" },
          { ...stateless, "mcp-protocol-version": "2025-11-25" },
          { ...stateless, "mcp-protocol-version": "2020-01-01" },
          { ...stateless, "mcp-session-id": session },
          { ...stateless, origin: "https://evil.example" },
          { ...mcpHeaders, ...bearer },
          { ...mcpHeaders, ...bearer, "mcp-session-id": session },
          inSession(session),
          inSession(session, "2025-06-18"),
          inSession(session, "2026-07-28"),
          inSession(ended.session)
        ]
        for (const context of contexts) for (const each of bodies) yield* both(each, context)
        // An address may send 60 wrong keys, and one more each second: which of two gets it would be a matter of luck.
        const wrongKey = { ...stateless, authorization: "Bearer tg_wrong" }
        for (const each of bodies.slice(0, 20)) expect((yield* both(each, wrongKey)).status).toBe(401)
        const types = ["application/json; charset=utf-8", "Application/JSON", "text/plain", "application/json; q=0"]
        for (const type of types) yield* both(body, { ...stateless, "content-type": type })
        expect((yield* both(body, { ...stateless, accept: "text/event-stream ,application/json" })).status).toBe(200)
        for (const accept of ["application/json", "*/*", "application/json, text/event-stream;q=0"]) {
          expect((yield* send(body, { ...stateless, accept })).status).toBe(406)
        }
      })
    )
  }
)

describe("an answer of bytes", () => {
  it.live("has the same blocks from both, alone and in a batch", () =>
    Effect.gen(function* () {
      let type = ""
      const upstream = yield* httpUpstream((res) => void res.writeHead(422, { "content-type": type }).end("\x01\xff"))
      yield* Effect.gen(function* () {
        const snapshot = { operation_id: id, arguments: { ticker: "ACME" }, max_price_usd: 0.01 }
        const sessions = yield* Effect.forEach(revisions, (revision) => initialize(revision))
        for (type of ["image/png", "audio/wav; rate=8000", "application/pdf", "text/plain"]) {
          for (const [name, input] of [
            ["use", snapshot],
            ["batch_use", { calls: [snapshot, snapshot], max_total_usd: 1 }]
          ] as const) {
            const { body, headers } = request("tools/call", { name, arguments: input })
            const blocks = type === "text/plain" ? 0 : name === "use" ? 1 : 2
            const { messages } = yield* both(body, { ...headers, ...bearer })
            expect(messages[0]?.result?.["content"]).toHaveLength(1 + blocks)
            for (const [i, { session }] of sessions.entries()) {
              yield* both(rpc("tools/call", { name, arguments: input }), inSession(session, revisions[i]))
            }
          }
        }
      }).pipe(Effect.provide(servedTo({ [id]: providerAt(upstream.port, { protocol: "json" }) })))
    }).pipe(Effect.scoped)
  )

  const id = "financial.metrics_snapshot"
})

describe("a limit of requests", () => {
  it.live("counts a call once, whoever answers it", () =>
    Effect.gen(function* () {
      const { account, accounts } = yield* TestGateway
      yield* accounts.change(account, { rpm: 3 })
      const { body, headers } = request("tools/call", { name: "use", arguments: { operation_id: "models.list" } })
      const left = (more: Headers) =>
        Effect.map(send(body, { ...headers, ...bearer, ...more }), ({ text }) => /remaining\\":(\d)/.exec(text)?.[1])
      expect([yield* left({}), yield* left(byServer), yield* left({})]).toEqual(["2", "1", "0"])
      expect((yield* send(body, { ...headers, ...bearer })).text).toContain("rate_limit_exceeded")
    }).pipe(Effect.provide(servedSandbox({ limits: true })))
  )
})

describe("a call in a session", () => {
  const chat = {
    operation_id: "chat.completions",
    arguments: { model: "sandbox", max_tokens: 50, messages: [{ role: "user", content: "Why?" }] },
    max_price_usd: 1
  }
  const cancelled = (params: object) => JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params })

  /** A call for each way, stopped while the upstream has not answered. Returns both answers. */
  const stopped = (stop: (session: string) => Effect.Effect<unknown, never, Served>) =>
    Effect.gen(function* () {
      const upstream = yield* heldUpstream
      return yield* Effect.gen(function* () {
        const { session } = yield* initialize()
        const call = (id: string, more: Headers) =>
          Effect.forkChild(
            send(rpc("tools/call", { name: "use", arguments: chat }, id), { ...inSession(session), ...more })
          )
        const direct = yield* call("direct", {})
        const served = yield* call("served", byServer)
        yield* upstream.arrived(2)
        yield* stop(session)
        yield* upstream.answer(completion(10, 20))
        const answers = [shown(yield* Fiber.join(direct)), shown(yield* Fiber.join(served))] as const
        expect((yield* calls).map(({ state }) => state)).toEqual(["settled", "settled"])
        return answers
      }).pipe(Effect.provide(servedTo({ "chat.completions": providerAt(upstream.port, { protocol: "openai" }) })))
    }).pipe(Effect.scoped)

  it.live("that is cancelled is carried to its end and gets no answer, whoever runs it", () =>
    Effect.gen(function* () {
      const [direct, served] = yield* stopped((session) =>
        Effect.gen(function* () {
          for (const requestId of ["direct", "served"]) {
            expect((yield* send(cancelled({ requestId }), inSession(session))).status).toBe(202)
          }
        })
      )
      expect([direct.status, direct.text]).toEqual([200, ""])
      expect(direct).toEqual(served)
    })
  )

  it.live("goes on if the cancellation is refused or names another call", () =>
    Effect.gen(function* () {
      const [direct, served] = yield* stopped((session) =>
        Effect.gen(function* () {
          const other = yield* initialize()
          for (const requestId of ["direct", "served"]) {
            yield* send(cancelled({ requestId: `not ${requestId}` }), inSession(session))
            yield* send(cancelled({ requestId, reason: 5 }), inSession(session))
            yield* send(cancelled({ requestId }), { ...inSession(session), accept: "*/*" })
            yield* send(cancelled({ requestId }), inSession(other.session))
          }
        })
      )
      expect([direct.status, direct.text]).toEqual([200, expect.stringContaining('"isError":false')])
      expect({ ...direct, text: direct.text.replace("direct", "served") }).toEqual(served)
    })
  )

  it.live("that ends while the call runs gets the answer that there is no such session", () =>
    Effect.gen(function* () {
      const [direct, served] = yield* stopped((session) => send("", inSession(session), "DELETE"))
      expect([direct.status, direct.text]).toEqual([404, expect.stringContaining("no such session")])
      expect(direct).toEqual(served)
    })
  )
})
