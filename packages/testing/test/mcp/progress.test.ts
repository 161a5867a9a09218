import { describe, expect, it } from "@effect/vitest"
import { usd } from "@tollgate/contract/Money"
import { Served } from "@tollgate/testing/hostile/Served"
import { post, sellingTools } from "@tollgate/testing/mcp/soldTools"
import { toolUpstream, type ToolReply } from "@tollgate/testing/mcp/toolUpstream"
import { calls } from "@tollgate/testing/models"
import { key } from "@tollgate/testing/TestGateway"
import { callTool } from "@tollgate/testing/tools/agent"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

const done = { content: [{ type: "text", text: "done" }] }
const sold = [{ id: "tools.work", tool: "work" }]
const events = { accept: "text/event-stream" }

const inSteps = (end: (reply: ToolReply) => void) => (reply: ToolReply) => {
  reply.progress(1, 3, "one")
  reply.progress(2, 3)
  // Progress that goes back is no progress.
  reply.progress(1)
  end(reply)
}

const steps =
  'event: progress\ndata: {"progress":1,"total":3,"message":"one"}\n\nevent: progress\ndata: {"progress":2,"total":3}\n\n'

const ends = Effect.map(calls, (rows) => rows.map(({ charged, state }) => [state, Number(charged)]))

describe("a caller who accepts an event stream", () => {
  it.live("gets progress, then the result, and its cost", () =>
    Effect.gen(function* () {
      const server = yield* toolUpstream({ tools: { work: { call: inSteps(({ result }) => result(done)) } } })
      yield* Effect.gen(function* () {
        const answer = yield* post("tools.work", {}, events)
        expect(answer.headers.get("content-type")).toMatch(/^text\/event-stream/)
        expect(answer.text).toBe(
          `${steps}event: result\ndata: ${JSON.stringify(done)}\n\n: cost_micros_usd=2000 cost_state=settled\n\n`
        )
        expect(yield* ends).toEqual([["settled", 2000]])
      }).pipe(Effect.provide(sellingTools(sold, [server.port])))
    }).pipe(Effect.scoped)
  )

  it.live("gets events of a new call where others get a kept answer", () =>
    Effect.gen(function* () {
      const server = yield* toolUpstream({ tools: { work: { call: ({ result }) => result(done) } } })
      const use = { "x-tollgate-cache": "use" }
      const kept = { seconds: 60, share: 0n }
      yield* Effect.gen(function* () {
        const asked = (headers: Readonly<Record<string, string>>) =>
          Effect.map(post("tools.work", {}, { ...use, ...headers }), ({ headers, text }) => [
            headers.get("x-tollgate-cache")?.replace(/;.*/, ""),
            text.startsWith("event: result\n")
          ])
        expect(yield* asked({})).toEqual(["miss", false])
        expect(yield* asked({})).toEqual(["hit", false])
        expect(yield* asked(events)).toEqual(["miss", true])
        expect(yield* asked({})).toEqual(["hit", false])
        expect(yield* ends).toHaveLength(4)
      }).pipe(Effect.provide(sellingTools([{ id: "tools.work", tool: "work", kept }], [server.port])))
    }).pipe(Effect.scoped)
  )

  it.live("gets one event from a tool that reports no progress", () =>
    Effect.gen(function* () {
      const server = yield* toolUpstream({ tools: { work: { call: ({ result }) => result(done) } } })
      yield* Effect.gen(function* () {
        expect((yield* post("tools.work", {}, events)).text).toMatch(/^event: result\n/)
      }).pipe(Effect.provide(sellingTools(sold, [server.port])))
    }).pipe(Effect.scoped)
  )

  it.live("pays by the field of the result that the price names", () =>
    Effect.gen(function* () {
      const result = { ...done, structuredContent: { credits: 3 } }
      const server = yield* toolUpstream({ tools: { work: { call: inSteps((reply) => reply.result(result)) } } })
      const price = {
        contract: "answer_field",
        perUnit: usd("0.001"),
        field: ["structuredContent", "credits"],
        most: 10
      } as const
      yield* Effect.gen(function* () {
        yield* post("tools.work", {}, events)
        yield* post("tools.work", {})
        expect(yield* ends).toEqual([
          ["settled", 3000],
          ["settled", 3000]
        ])
      }).pipe(Effect.provide(sellingTools([{ id: "tools.work", tool: "work", price }], [server.port])))
    }).pipe(Effect.scoped)
  )

  it.live("is not told the upstream's credential by a tool that failed, with events or without", () =>
    Effect.gen(function* () {
      const token = "upstream-secret-0123456789"
      const wrong = { content: [{ type: "text", text: `wrong key ${token}` }], isError: true }
      const server = yield* toolUpstream({ tools: { work: { call: inSteps(({ result }) => result(wrong)) } } })
      const credential = { header: "authorization", value: Redacted.make(`Bearer ${token}`) }
      yield* Effect.gen(function* () {
        for (const headers of [events, {}]) {
          const { text } = yield* post("tools.work", {}, headers)
          expect(text).toContain("wrong key [redacted]")
          expect(text).not.toContain(token)
        }
      }).pipe(Effect.provide(sellingTools(sold, [server.port], { credential })))
    }).pipe(Effect.scoped)
  )

  it.live("pays nothing for a tool that fails after it began, and the call is unknown if it breaks off", () =>
    Effect.gen(function* () {
      let end = ({ result }: ToolReply) => result({ ...done, isError: true })
      const server = yield* toolUpstream({ tools: { work: { call: inSteps((reply) => end(reply)) } } })
      yield* Effect.gen(function* () {
        expect((yield* post("tools.work", {}, events)).text).toContain('event: result\ndata: {"content"')
        end = ({ error }) => error(-32603, "no")
        expect((yield* post("tools.work", {}, events)).text).toMatch(/event: error\ndata: .*The tool failed: no/)
        end = ({ response }) => void response.destroy()
        expect((yield* post("tools.work", {}, events)).text).toContain("The connection to the upstream broke")
        expect(yield* ends).toEqual([
          ["settled", 0],
          ["released", 0],
          ["unknown", 0]
        ])
      }).pipe(Effect.provide(sellingTools(sold, [server.port])))
    }).pipe(Effect.scoped)
  )

  it.live("does not learn whether a tool that creates something has run, if it fails after it began", () =>
    Effect.gen(function* () {
      const server = yield* toolUpstream({ tools: { work: { call: inSteps(({ error }) => error(-32603, "no")) } } })
      const create = { id: "tools.work", tool: "work", replay: "create" } as const
      yield* Effect.gen(function* () {
        yield* post("tools.work", {}, events)
        expect(yield* ends).toEqual([["unknown", 0]])
      }).pipe(Effect.provide(sellingTools([create], [server.port])))
    }).pipe(Effect.scoped)
  )

  it.live("gets an error as such if the tool is refused before it began", () =>
    Effect.gen(function* () {
      const server = yield* toolUpstream({ tools: { work: { call: ({ error }) => error(-32602, "city is missing") } } })
      yield* Effect.gen(function* () {
        const answer = yield* post("tools.work", {}, events)
        expect([answer.status, answer.headers.get("content-type")]).toEqual([400, "application/json"])
        expect(answer.text).toContain("city is missing")
      }).pipe(Effect.provide(sellingTools(sold, [server.port])))
    }).pipe(Effect.scoped)
  )
})

describe("a caller who leaves during progress", () => {
  const leaving = Effect.gen(function* () {
    const { baseUrl } = yield* Served
    yield* Effect.promise(async () => {
      const leave = new AbortController()
      const answer = await fetch(`${baseUrl}/apis/v1/tools/tools.work`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...events },
        body: "{}",
        signal: leave.signal
      })
      const { value } = (await answer.body?.getReader().read()) ?? {}
      expect(new TextDecoder().decode(value)).toMatch(/^event: progress/)
      leave.abort()
    })
  })

  it.live("pays for the result that the tool still gives, and the tool is not canceled", () =>
    Effect.gen(function* () {
      const begun: Array<ToolReply> = []
      const server = yield* toolUpstream({
        tools: { work: { call: (reply) => (reply.progress(1), void begun.push(reply)) } }
      })
      yield* Effect.gen(function* () {
        yield* leaving
        for (const { result } of begun) result(done)
        yield* Effect.repeat(ends, { until: ([end]) => end?.[0] === "settled" })
        expect(yield* ends).toEqual([["settled", 2000]])
        expect(server.methods()).not.toContain("notifications/cancelled")
      }).pipe(Effect.provide(sellingTools(sold, [server.port])))
    }).pipe(Effect.scoped)
  )

  it.live("has an unknown call if only the result would tell the price, and it does not come", () =>
    Effect.gen(function* () {
      const begun: Array<ToolReply> = []
      const server = yield* toolUpstream({
        tools: { work: { call: (reply) => (reply.progress(1), void begun.push(reply)) } }
      })
      const price = { contract: "answer_field", perUnit: usd("0.001"), field: ["credits"], most: 10 } as const
      yield* Effect.gen(function* () {
        yield* leaving
        for (const { response } of begun) response.destroy()
        yield* Effect.repeat(ends, { until: ([end]) => end !== undefined && end[0] !== "open" })
        expect(yield* ends).toEqual([["unknown", 0]])
      }).pipe(Effect.provide(sellingTools([{ id: "tools.work", tool: "work", price }], [server.port])))
    }).pipe(Effect.scoped)
  )

  it.live("cancels a free call at the server", () =>
    Effect.gen(function* () {
      const server = yield* toolUpstream({ tools: { work: { call: ({ progress }) => progress(1) } } })
      const free = { id: "tools.work", tool: "work", price: { contract: "free" }, replay: "free" } as const
      yield* Effect.gen(function* () {
        yield* leaving
        while (!server.methods().includes("notifications/cancelled")) yield* Effect.sleep("5 millis")
      }).pipe(Effect.provide(sellingTools([free], [server.port])))
    }).pipe(Effect.scoped)
  )
})

describe("an agent with a progress token", () => {
  it.live("is told the tool's own progress", () =>
    Effect.gen(function* () {
      const server = yield* toolUpstream({ tools: { work: { call: inSteps(({ result }) => result(done)) } } })
      yield* Effect.gen(function* () {
        const call = { operation_id: "tools.work", arguments: {}, max_price_usd: 1 }
        const { content, progress } = yield* callTool("use", call, undefined, "token")
        expect(progress).toMatchObject([
          { progressToken: "token", progress: 1, total: 3, message: "one" },
          { progressToken: "token", progress: 2, total: 3 }
        ])
        expect(content).toMatchObject({ status: 200, body: done })
      }).pipe(Effect.provide(sellingTools(sold, [server.port])))
    }).pipe(Effect.scoped)
  )
})
