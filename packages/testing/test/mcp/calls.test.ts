import { describe, expect, it } from "@effect/vitest"
import { post, sellingTools } from "@tollgate/testing/mcp/soldTools"
import { toolUpstream, type ToolUpstreamOptions } from "@tollgate/testing/mcp/toolUpstream"
import { callTool } from "@tollgate/testing/tools/agent"
import { calls } from "@tollgate/testing/models"
import { providerCredential } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

const text = (words: string) => ({ content: [{ type: "text", text: words }] })

const echo = {
  echo: { call: ({ arguments: given, result }) => result(text(String(given["message"]))) }
} satisfies ToolUpstreamOptions["tools"]

const sold = [{ id: "tools.echo", tool: "echo" }]

const codeOf = (body: string): unknown =>
  (JSON.parse(body) as { readonly error?: { readonly code?: unknown } }).error?.code

const revisions = ["2025-11-25", "2026-07-28"] as const

describe("a tool that is sold", () => {
  for (const revision of revisions) {
    it.live(`is called over HTTP, and through use with a cap, at a server of ${revision}`, () =>
      Effect.gen(function* () {
        const server = yield* toolUpstream({ tools: echo, revision })
        yield* Effect.gen(function* () {
          const answer = yield* post("tools.echo", { message: "hello" })
          expect(answer.text).toBe(JSON.stringify(text("hello")))
          expect(answer).toMatchObject({ status: 200, cost: "2000" })
          const call = { operation_id: "tools.echo", arguments: { message: "again" } }
          expect((yield* callTool("use", call)).content).toMatchObject({ error: { code: "max_price_required" } })
          const used = yield* callTool("use", { ...call, max_price_usd: 0.01 })
          expect(used.content).toMatchObject({ status: 200, body: text("again"), cost: { usd: "0.002" } })
        }).pipe(Effect.provide(sellingTools(sold, [server.port])))
        const begun = revision === "2025-11-25" ? "initialize" : "server/discover"
        expect(server.methods().filter((method) => method === begun)).toHaveLength(1)
        if (revision === "2025-11-25") expect(server.methods().at(-1)).toBe("DELETE")
      }).pipe(Effect.scoped)
    )
  }

  it.live("keeps arguments and results byte for byte, whatever they hold", () =>
    Effect.gen(function* () {
      const result = `{
        "content": [ {"type":"image","data":"AA==","mimeType":"image/png","_meta":{"n":12345678901234567890}},
          {"type":"audio","data":"AA==","mimeType":"audio/wav"}, {"type":"resource_link","uri":"a:b","name":"n"},
          {"type":"resource","resource":{"uri":"a:b","text":"t"}}, {"type":"of the future","x":1.0} ],
        "structuredContent": {"id": 9007199254740993}, "_meta": {"a/b": 1}, "more": true }`
      let raw = ""
      const server = yield* toolUpstream({
        tools: {
          echo: {
            call: (reply) => {
              raw = reply.raw
              reply.progress(1)
              reply.text(`"result":${result}`)
            }
          }
        }
      })
      yield* Effect.gen(function* () {
        expect((yield* post("tools.echo", '{"id": 9007199254740993, "f": 1.0}')).text).toBe(result)
        expect(raw).toContain('"arguments":{"id": 9007199254740993, "f": 1.0}')
      }).pipe(Effect.provide(sellingTools(sold, [server.port])))
    }).pipe(Effect.scoped)
  )

  it.live.each(revisions)("gets large arguments byte for byte, and its headers, at a server of %s", (revision) =>
    Effect.gen(function* () {
      let raw = ""
      const headers: Array<unknown> = []
      const server = yield* toolUpstream({
        revision,
        before: (message, _, received) => {
          if (message.method === "tools/call") headers.push(received.headers["mcp-param-city"])
          return false
        },
        tools: {
          echo: {
            inputSchema: { type: "object", properties: { city: { type: "string", "x-mcp-header": "City" }, text: {} } },
            call: (reply) => {
              raw = reply.raw
              reply.result(text("ok"))
            }
          }
        }
      })
      yield* Effect.gen(function* () {
        const given = `{"n": 1.0, "text": "${"x".repeat(400_000)}", "city" : "Bern"}`
        expect(yield* post("tools.echo", given)).toMatchObject({ status: 200, cost: "2000" })
        expect(raw.includes(`"arguments":${given}`)).toBe(true)
        expect(headers).toEqual([revision === "2026-07-28" ? "Bern" : undefined])
      }).pipe(Effect.provide(sellingTools(sold, [server.port])))
    }).pipe(Effect.scoped)
  )

  it.live("costs nothing if it failed, also if its result is too large to be parsed for that", () =>
    Effect.gen(function* () {
      const large = "x".repeat(1_000_000)
      const server = yield* toolUpstream({
        tools: {
          echo: { call: ({ arguments: { failed }, result }) => result({ ...text(large), isError: failed === true }) }
        }
      })
      yield* Effect.gen(function* () {
        expect(yield* post("tools.echo", { failed: false })).toMatchObject({ status: 200, cost: "2000" })
        expect(yield* post("tools.echo", { failed: true })).toMatchObject({ status: 200, cost: "0" })
        const use = { operation_id: "tools.echo", arguments: { failed: false }, max_price_usd: 1 }
        const { content } = yield* callTool("use", use)
        expect(content).toMatchObject({ status: 200, truncated: true, body_encoding: "json", cost: { usd: "0.002" } })
        const size = JSON.stringify(content["body"]).length
        expect(size).toBeGreaterThan(262_000)
        expect(size).toBeLessThan(262_300)
        expect(content["note"]).toContain(`${JSON.stringify({ ...text(large), isError: false }).length} bytes`)
        const batch = yield* callTool("batch_use", { calls: Array.from({ length: 6 }, () => use), max_total_usd: 6 })
        const results = batch.content["results"] as ReadonlyArray<Readonly<Record<string, unknown>>>
        const lengths = results.map(({ body }) => JSON.stringify(body).length).toSorted((a, b) => a - b)
        expect(lengths.map((length) => Math.round(length / 10_000))).toEqual([0, 0, 26, 26, 26, 26])
        expect(batch.content["charged_usd"]).toBe("0.012")
      }).pipe(Effect.provide(sellingTools(sold, [server.port])))
    }).pipe(Effect.scoped)
  )

  it.live.each([
    ["a whole answer", false],
    ["events", true]
  ] as const)("has large results byte for byte, which are not parsed on the way: by %s", ([, byEvents]) =>
    Effect.gen(function* () {
      const many = Array.from({ length: 40_000 }, (_, i) => `"n${i}": ${i}.0`).join()
      const result = `{ "content": [], "structuredContent": {"result": {"isError": true}, ${many}}, "isError" : false }`
      const server = yield* toolUpstream({
        tools: {
          echo: {
            call: ({ response, text }) => {
              if (byEvents) response.writeHead(200, { "content-type": "text/event-stream" }).write(": first\n\n")
              text(`"result":${result}`)
            }
          }
        }
      })
      yield* Effect.gen(function* () {
        const parsed: Array<number> = []
        const { parse } = JSON
        JSON.parse = (text: string, ...more: []) => (parsed.push(text.length), parse(text, ...more) as unknown)
        const answer = yield* Effect.ensuring(
          post("tools.echo", {}),
          Effect.sync(() => (JSON.parse = parse))
        )
        expect(answer).toMatchObject({ status: 200, cost: "2000" })
        expect(answer.text === result).toBe(true)
        expect(Math.max(...parsed)).toBeLessThan(result.length)
      }).pipe(Effect.provide(sellingTools(sold, [server.port])))
    }).pipe(Effect.scoped)
  )

  it.live("is called over one connection again and again, also if the server answers by events", () =>
    Effect.gen(function* () {
      const ports = new Set<number | undefined>()
      const server = yield* toolUpstream({
        tools: {
          echo: {
            call: ({ response, result }) => {
              ports.add(response.socket?.remotePort)
              response.writeHead(200, { "content-type": "text/event-stream" })
              result(text("a"))
            }
          }
        }
      })
      yield* Effect.gen(function* () {
        for (let i = 0; i < 5; i++) expect((yield* post("tools.echo", {})).status).toBe(200)
        expect(ports.size).toBe(1)
      }).pipe(Effect.provide(sellingTools(sold, [server.port])))
    }).pipe(Effect.scoped)
  )

  it.live("costs nothing if it reports that it failed, and an agent sees an error", () =>
    Effect.gen(function* () {
      const failed = { ...text("no such city"), isError: true }
      const server = yield* toolUpstream({ tools: { echo: { call: ({ result }) => result(failed) } } })
      yield* Effect.gen(function* () {
        expect(yield* post("tools.echo", {})).toMatchObject({ status: 200, cost: "0", text: JSON.stringify(failed) })
        const used = yield* callTool("use", { operation_id: "tools.echo", arguments: {}, max_price_usd: 1 })
        expect(used.isError).toBe(true)
        expect(used.content).toMatchObject({ body: failed, error: { code: "tool_failed" }, cost: { micros_usd: 0 } })
        expect(yield* calls).toMatchObject([{ state: "settled" }, { state: "settled" }])
      }).pipe(Effect.provide(sellingTools(sold, [server.port])))
    }).pipe(Effect.scoped)
  )

  it.live("answers a JSON-RPC error in the operation's family, without the upstream's credential", () =>
    Effect.gen(function* () {
      let code = 0
      const server = yield* toolUpstream({
        tools: { echo: { call: ({ error }) => error(code, `you sent ${providerCredential}`) } }
      })
      const credential = { header: "authorization", value: Redacted.make(providerCredential) }
      yield* Effect.gen(function* () {
        const meanings = [
          [-32602, 400, "invalid_request"],
          [-32603, 503, "upstream_failed"],
          [-32000, 503, "upstream_failed"],
          [-32601, 503, "upstream_misconfigured"]
        ] as const
        for (const [sent, status, kind] of meanings) {
          code = sent
          const answer = yield* post("tools.echo", {})
          expect([answer.status, codeOf(answer.text), answer.cost ?? "0"]).toEqual([status, kind, "0"])
          expect(answer.text).not.toContain("upstream-own-credential")
        }
        expect(server.received.at(-1)?.headers.authorization).toBe(providerCredential)
      }).pipe(Effect.provide(sellingTools(sold, [server.port], { credential })))
    }).pipe(Effect.scoped)
  )

  it.live("is refused and costs nothing when the server does not offer it any more", () =>
    Effect.gen(function* () {
      const tools: ToolUpstreamOptions["tools"] = { ...echo }
      const server = yield* toolUpstream({ tools })
      yield* Effect.gen(function* () {
        expect((yield* post("tools.echo", { message: "a" })).status).toBe(200)
        delete tools["echo"]
        const answer = yield* post("tools.echo", { message: "b" })
        expect([answer.status, codeOf(answer.text)]).toEqual([503, "upstream_misconfigured"])
        expect(answer.text).toContain("does not offer the tool")
        expect(yield* calls).toMatchObject([{ state: "settled" }, { state: "released" }])
      }).pipe(Effect.provide(sellingTools(sold, [server.port])))
    }).pipe(Effect.scoped)
  )
})
