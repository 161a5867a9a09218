import { describe, expect, it } from "@effect/vitest"
import { Host, key, TestGateway } from "@tollgate/testing"
import { ask } from "@tollgate/testing/ask"
import { completion } from "@tollgate/testing/hostile/pausedUpstream"
import { providerAt } from "@tollgate/testing/hostile/Served"
import { priced, streams } from "@tollgate/testing/models"
import { httpUpstream } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import type { ServerResponse } from "node:http"

const secret = "upstream-secret-0123456789"
const page = (res: ServerResponse) => void res.writeHead(200, { "content-type": "text/html" }).end(`<p>${secret}</p>`)
const events = (text: string) => (res: ServerResponse) =>
  void res.writeHead(200, { "content-type": "text/event-stream" }).end(text)

const text = JSON.stringify({ model: "sandbox", messages: [{ role: "user", content: "Why?" }] })

/** Sends a call for each answer of the upstream, in order, and returns what the gateway logged. */
const logged = (body: string, answers: ReadonlyArray<(res: ServerResponse) => void>, pause = 0) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const capture = Logger.layer([Logger.map(Logger.formatJson, (line) => void lines.push(line))])
    let next = 0
    const { port } = yield* httpUpstream((res) => answers[next++]?.(res))
    const credential = { header: "authorization", value: Redacted.make(`Bearer ${secret}`) }
    const provider = providerAt(port, { name: "theirs", protocol: "openai", credential })
    const gateway = TestGateway.layer({ operations: priced, providers: { "chat.completions": provider } })
    yield* Effect.gen(function* () {
      for (const _ of answers) {
        const { text } = yield* ask("POST", "/v1/chat/completions", { authorization: `Bearer ${key}` }, body)
        expect(text).not.toContain("<p>")
        yield* TestClock.adjust(pause)
      }
    }).pipe(Effect.provide(Host.layerNode.pipe(Layer.provideMerge(gateway), Layer.provideMerge(capture))))
    return lines.flatMap((line) => {
      const { level, message } = JSON.parse(line) as { readonly level: string; readonly message: unknown }
      return level === "WARN" && Array.isArray(message) && line.includes("proves no cost") ? [message] : []
    })
  }).pipe(Effect.scoped)

const line = (answers: number) => [
  "an upstream's answer proves no cost and is not delivered",
  { operation: "chat.completions", provider: "theirs", answers, requestId: expect.stringMatching(/^req_/) }
]

describe("an operator reads in the log that an upstream's answers are not delivered", () => {
  it.effect("once a minute at most, with their number, and nothing of what was answered", () =>
    Effect.gen(function* () {
      const lines = yield* logged(text, Array(7).fill(page), 15_000)
      expect(lines).toEqual([line(1), line(4)])
      expect(JSON.stringify(lines)).not.toContain(secret)
    })
  )

  it.effect("if a stream is not one of the protocol", () =>
    Effect.gen(function* () {
      expect(yield* logged(streams.openai.body("Why?"), [events("data: <p>All is well.</p>\n\n")])).toEqual([line(1)])
    })
  )

  it.effect("but not if an answer is billed, or a stream ends with an error", () =>
    Effect.gen(function* () {
      expect(yield* logged(text, [completion(10, 20)])).toEqual([])
      const begun = 'data: {"choices":[{"index":0,"delta":{"role":"assistant"}}]}\n\n'
      const error = events(`${begun}data: {"error":{"message":"overloaded"}}\n\n`)
      expect(yield* logged(streams.openai.body("Why?"), [error])).toEqual([])
    })
  )
})
