import { describe, expect, it } from "@effect/vitest"
import { chatCompletions, chatCompletionsStream, quote, rerank } from "@tollgate/client"
import { log, type LogOptions } from "@tollgate/client/log"
import { type Ended, observe } from "@tollgate/client/observe"
import { clientOf } from "@tollgate/client/promises/createClient"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { vi } from "vitest"
import { answer, attempts, inOrder, refusal } from "./attempts.ts"
import { credential, json, question, ranking, respond, scripted } from "./scripted.ts"
import { collect, data, events } from "./streamScripted.ts"

type Handler = Parameters<typeof scripted>[0]

const charged = answer(200, ranking, {
  "x-tollgate-cost-micros-usd": "40",
  "x-tollgate-cost-state": "settled",
  "x-request-id": "req_1"
})

/** A client that writes its log into `lines`. */
const logging = (handler: Handler, options: LogOptions = {}) => {
  const lines: Array<string> = []
  return { lines, ...scripted(handler, { log: log({ ...options, write: (line) => lines.push(line) }) }) }
}

describe("the log of a client", () => {
  it.effect("says what a call is, why it is tried again, and what it cost", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const options = { log: log({ write: (line) => lines.push(line) }) }
      yield* attempts(
        rerank({ ...question, model: "r1" }),
        inOrder(refusal(503, "billing_unavailable"), charged),
        options
      )
      expect(lines.map((line) => line.replace(/\d+ ms/g, "… ms"))).toEqual([
        "tollgate 1 rerank r1: POST gateway.invalid:80",
        "tollgate 1 rerank r1: attempt 1 failed: Unavailable 503 billing_unavailable, not executed; tries again in … ms",
        "tollgate 1 rerank r1: 200, … ms, 2 attempts, charge $0.00004 settled, request req_1"
      ])
    })
  )

  it.effect("says why a call failed, and that a quote costs nothing", () =>
    Effect.gen(function* () {
      const { layer, lines } = logging(refusal(402, "insufficient_balance"))
      yield* Effect.exit(Effect.provide(rerank(question), layer))
      yield* Effect.exit(Effect.provide(quote(rerank, question), layer))
      expect(lines.filter((line) => line.includes("failed")).map((line) => line.replace(/\d+ ms/g, "… ms"))).toEqual([
        "tollgate 1 rerank: failed: OverBudget 402 insufficient_balance, not executed, … ms, 1 attempt, not charged",
        "tollgate 2 quote rerank: failed: UnexpectedStatus 402 insufficient_balance, not executed, … ms, 1 attempt, not charged"
      ])
    })
  )

  it.effect("shows no body and no credential, and no line of somebody else's", () =>
    Effect.gen(function* () {
      const echo = JSON.stringify({ ...ranking, said: "ANSWER", model: `m ${credential}` })
      const handlers = [
        respond(200, echo, { ...json, "x-request-id": `id ${credential}` }),
        respond(400, JSON.stringify({ error: { message: `ANSWER ${credential}`, code: `c ${credential}` } }), {
          ...json,
          "x-request-id": `id ${credential}`
        })
      ]
      for (const handler of handlers) {
        const { layer, lines } = logging(handler)
        yield* Effect.exit(Effect.provide(rerank({ query: "PROMPT", documents: ["PROMPT"], model: "a\nb" }), layer))
        yield* Effect.exit(Effect.provide(chatCompletions({ model: "m", messages: [] }), layer))
        expect(lines.length).toBeGreaterThan(3)
        expect(lines.join("|")).not.toMatch(/PROMPT|ANSWER|\n/)
        expect(lines.join("|")).not.toContain(credential)
      }
    })
  )

  it.effect("shows bodies if it is asked to, without the credential, also if an answer is cut within it", () =>
    Effect.gen(function* () {
      const whole = logging(respond(200, JSON.stringify({ ...ranking, said: `ANSWER ${credential}` }), json), {
        bodies: true
      })
      yield* Effect.provide(rerank({ query: "PROMPT", documents: ["d"] }), whole.layer)
      expect(whole.lines.join("|")).toMatch(/sends .*PROMPT.*receives .*ANSWER \[credential\]/)
      const text = data({ choices: [{ delta: { content: `ANSWER ${credential}` } }] }, { choices: [] })
      const cut = text.indexOf(credential) + 20
      const lines: Array<string> = []
      const streamed = events([text.slice(0, cut), text.slice(cut)], {
        log: log({ bodies: true, write: (line) => lines.push(line) })
      })
      yield* collect(Stream.provide(chatCompletionsStream({ model: "m", messages: [] }), streamed.layer))
      expect(lines.join("|")).toMatch(/receives .*ANSWER \[credential\]/)
      expect([...whole.lines, ...lines].join("|")).not.toContain(credential.slice(3, 20))
    })
  )

  it.effect("does not take the place of observers", () =>
    Effect.gen(function* () {
      const ended: Array<Ended> = []
      const { layer, lines } = logging(charged)
      const observed = observe(() => ({ ended: (call) => void ended.push(call) }))
      yield* rerank(question).pipe(Effect.provide(layer), Effect.provide(observed))
      expect([ended.length, lines.length]).toEqual([1, 2])
    })
  )

  it("goes to standard error", async () => {
    const error = vi.spyOn(console, "error").mockImplementation(() => {})
    const client = clientOf(scripted(charged, { log: log() }).layer)
    await client.rerank(question)
    expect(error.mock.calls.map(([line]) => String(line).split(":")[0])).toEqual([
      "tollgate 1 rerank",
      "tollgate 1 rerank"
    ])
    error.mockRestore()
    await client.close()
  })
})
