import { describe, expect, it } from "@effect/vitest"
import * as Names from "@tollgate/contract/Names"
import type { AnswerPart, Conversation, Message, Shape } from "@tollgate/protocols/Conversation"
import { codecs } from "@tollgate/protocols/codecs"
import type { Json } from "@tollgate/protocols/json"
import { Lost } from "@tollgate/protocols/losses"
import { Description } from "@tollgate/sandbox"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import { type Call, calls, priced, priceOf } from "@tollgate/testing/models"
import { countOf } from "@tollgate-tooling/programs/counts.ts"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { request } from "node:http"

// A coding agent: a long prompt with cache marks, many tools, a conversation that grows, and streams that break off or that it
// leaves. Each call's charge is compared with what the upstream's own log makes of it.

const turns = countOf("AGENT_TURNS", 25, 100)

const sandbox = Description.routes(Names.defaults)
const providerOf = (operation: string) => {
  const target = sandbox.find((route) => route.operation === operation)?.to[0]
  if (target === undefined) throw new Error(operation)
  return target.provider
}

const upstreams = {
  chat: { ...providerOf("chat.completions"), lacks: ["responses"] },
  responses: { ...providerOf("chat.completions"), lacks: ["chat"] },
  messages: providerOf("messages"),
  generateContent: providerOf("models.generate_content")
} satisfies Record<Shape, unknown>

const addresses: Readonly<Record<Shape, (isStream: boolean) => string>> = {
  chat: () => "/v1/chat/completions",
  responses: () => "/v1/responses",
  messages: () => "/v1/messages",
  generateContent: (isStream) =>
    `/v1beta/models/sandbox:${isStream ? "streamGenerateContent?alt=sse" : "generateContent"}`
}

const operations = [
  "chat.completions",
  "responses",
  "messages",
  "models.generate_content",
  "models.stream_generate_content"
]

const hostFor = (upstream: Shape) =>
  Host.layerNode.pipe(
    Layer.provideMerge(
      TestGateway.layer({
        operations: priced,
        routes: operations.map((operation) => ({
          operation,
          to: [{ provider: upstreams[upstream], weight: 1, lossy: "drop" }]
        }))
      })
    )
  )

const tools = Array.from({ length: 40 }, (_, i) => ({
  name: `tool_${i}`,
  description: `Does thing ${i} in a file of the project`,
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] }
}))

const cache = { type: "ephemeral" }
const system = [{ type: "text" as const, text: "You write programs, and read before you write. ".repeat(40), cache }]

const conversationOf = (messages: ReadonlyArray<Message>, turn: number, isStream: boolean): Conversation => ({
  model: "sandbox",
  system,
  messages,
  tools,
  toolChoice: turn % 3 === 0 ? "required" : "none",
  limit: 400,
  isStream,
  own: []
})

/** What the agent's next message holds: the results of what was called, or more work. */
const next = (answered: ReadonlyArray<AnswerPart>, turn: number): Message => {
  const results = answered.flatMap((part) =>
    part.type === "call"
      ? [{ type: "result" as const, id: part.id, parts: [{ type: "text" as const, text: `File ${turn}` }] }]
      : []
  )
  return {
    role: "user",
    parts: results.length > 0 ? results : [{ type: "text", text: `Now step ${turn}: why do rivers bend?`, cache }]
  }
}

/** The parts that the events of a stream brought. */
const partsOf = (shape: Shape, text: string): ReadonlyArray<AnswerPart> => {
  const reader = codecs[shape].reader()
  const parts: Array<AnswerPart> = []
  for (const [, data = ""] of text.matchAll(/^data: (\{.*)$/gm)) {
    for (const event of reader.next(JSON.parse(data) as Json)) {
      const last = parts.at(-1)
      if (event.type === "open" && event.part === "text") parts.push({ type: "text", text: "" })
      else if (event.type === "open" && event.part === "call") {
        parts.push({ type: "call", id: event.id, name: event.name, arguments: "" })
      } else if (event.type === "more" && last?.type === "text") {
        parts[parts.length - 1] = { ...last, text: last.text + event.text }
      } else if (event.type === "more" && last?.type === "call") {
        parts[parts.length - 1] = { ...last, arguments: last.arguments + event.text }
      }
    }
  }
  return parts
}

const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }

/** Reads a few chunks and leaves. */
const leave = (path: string, body: string) =>
  Effect.flatMap(Host, ({ baseUrl }) =>
    Effect.callback<void>((resume) => {
      let seen = 0
      const req = request(`${baseUrl}${path}`, { method: "POST", headers })
      const end = () => {
        req.destroy()
        resume(Effect.void)
      }
      req.on("error", () => {})
      req.on("response", (res) => {
        res.on("error", () => {})
        res.on("data", () => {
          if (++seen === 3) end()
        })
        res.on("end", end)
      })
      req.end(body)
    })
  )

const scenarios: Readonly<Record<number, string>> = { 2: "cached; tokens=200", 4: "reset; after=6", 6: "no-usage" }

const ended = Effect.gen(function* () {
  for (;;) {
    const all = yield* calls
    if (all.every(({ state }) => state !== "open")) return all
    yield* Effect.sleep("5 millis")
  }
})

const work = Effect.fnUntraced(function* (caller: Shape) {
  const codec = codecs[caller]
  let messages: ReadonlyArray<Message> = [next([], 0)]
  for (let turn = 0; turn < turns; turn++) {
    const isStream = turn % 2 === 0
    const path = addresses[caller](isStream)
    const body = JSON.stringify({
      ...codec.writeRequest(conversationOf(messages, turn, isStream), new Lost(), { limit: 400 }),
      ...(caller === "responses" ? { store: false } : {})
    })
    const event = turn % 8
    if (event === 0 && turn > 0) {
      yield* leave(path, body)
      continue
    }
    const scenario = scenarios[event]
    const answer = yield* ask(
      "POST",
      path,
      { ...headers, ...(scenario === undefined ? {} : { "x-tollgate-scenario": scenario }) },
      body
    )
    if (event === 4) continue
    expect(answer.status, answer.text).toBe(200)
    const parts = isStream ? partsOf(caller, answer.text) : codec.readAnswer(JSON.parse(answer.text) as Json).parts
    expect(parts.length).toBeGreaterThan(0)
    messages = [...messages.slice(-20), { role: "assistant" as const, parts }, next(parts, turn + 1)]
    // A history does not begin with a result.
    const first = messages.findIndex(({ parts, role }) => role === "user" && parts.every(({ type }) => type === "text"))
    messages = messages.slice(Math.max(0, first))
  }
})

const shapes = Object.keys(upstreams) as ReadonlyArray<Shape>

describe("a coding agent", () => {
  for (const caller of shapes) {
    for (const upstream of shapes.filter((shape) => shape !== caller)) {
      it.live(`${turns} turns in ${caller} by an upstream of ${upstream}: the bill is the upstream's`, () =>
        Effect.gen(function* () {
          yield* work(caller)
          const charged = new Map((yield* ended).map((call) => [call.id, call]))
          const { billingLog } = yield* TestGateway
          let exact = 0
          for (const { billed, requestId } of yield* billingLog.entries) {
            const call: Call | undefined = charged.get(requestId ?? "")
            expect(call?.state).toBe("settled")
            if (call?.cost_state !== "settled") continue
            exact++
            expect(call.charged).toBe(Number((priceOf(billed) + 500n) / 1000n))
          }
          expect(charged.size).toBe(turns)
          expect(exact).toBeGreaterThan(turns / 2)
        }).pipe(Effect.provide(hostFor(upstream)))
      )
    }
  }
})
