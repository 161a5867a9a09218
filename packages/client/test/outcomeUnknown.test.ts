import { describe, expect, it } from "@effect/vitest"
import {
  chatCompletions,
  chatCompletionsStream,
  createClient,
  OutcomeUnknown,
  Policy,
  rerank,
  usage
} from "@tollgate/client"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { answer, attempts, inOrder, refusal } from "./attempts.ts"
import { credential, fail, question, respond } from "./scripted.ts"
import { data } from "./streamScripted.ts"

const chat = { model: "m", messages: [{ role: "user" as const, content: "Hello" }] }
const dropped = fail(new Error("ECONNRESET"))
const stream = Stream.runDrain(chatCompletionsStream(chat))
const sse = { "content-type": "text/event-stream" }
const cost = ": cost_micros_usd=12 cost_state=settled\n\n"

describe("a billed call whose outcome is not known has its key, so that no retry of the app pays twice", () => {
  for (const [name, call, handler, sends] of [
    ["every answer was dropped", chatCompletions(chat), dropped, 4],
    ["the server failed", chatCompletions(chat), refusal(500), 1],
    ["the gateway failed", chatCompletions(chat), refusal(500, "internal_error"), 1],
    ["a proxy gave up waiting", chatCompletions(chat), refusal(408), 1],
    ["the charge is not recorded yet", chatCompletions(chat), refusal(503, "settlement_pending"), 4],
    ["the first refusal came after a dropped answer", chatCompletions(chat), inOrder(dropped, refusal(401)), 2],
    [
      "an answer was dropped, and then a proxy found no route",
      chatCompletions(chat),
      inOrder(dropped, refusal(404)),
      2
    ],
    [
      "the gateway went away after a dropped answer",
      chatCompletions(chat),
      inOrder(dropped, refusal(503, "shutting_down")),
      4
    ],
    ["the stream's head was dropped", stream, dropped, 1],
    ["the server failed before the stream began", stream, refusal(500), 1],
    ["the charge of the stream is not recorded yet", stream, refusal(503, "settlement_pending"), 1],
    ["another stream with its key is in flight", stream, refusal(409, "idempotency_in_flight"), 1],
    ["the stream ended before its first event", stream, respond(200, "", sse), 1],
    ["the stream began with an error", stream, respond(200, data({ error: { message: "No." } }), sse), 1]
  ] as const) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const made = yield* attempts<unknown, unknown>(call, handler)
        expect(made.count).toBe(sends)
        const failure = made.result._tag === "Failure" ? made.result.failure : undefined
        expect(failure).toBeInstanceOf(OutcomeUnknown)
        expect(failure).toMatchObject({
          operation: "chat.completions",
          outcome: "unknown",
          idempotencyKey: expect.stringMatching(/^[0-9a-f]{32}$/)
        })
        expect(new Set(made.keys)).toEqual(new Set([(failure as OutcomeUnknown).idempotencyKey]))
      })
    )
  }
})

describe("what a program's own functions do", () => {
  const secondDies = () => {
    let runs = 0
    return (first: Effect.Effect<string>) => (runs++ === 0 ? first : Effect.die(new Error("the vault is shut")))
  }
  const dies = secondDies()
  const hookDies = secondDies()

  it.effect.each([
    ["credential", { credential: Effect.suspend(() => dies(Effect.succeed(credential))) }],
    ["hook", { beforeRequest: () => Effect.as(hookDies(Effect.succeed("")), {}) }]
  ] as const)("does not lose the key: a %s dies after a dropped answer", ([, options]) =>
    Effect.gen(function* () {
      const made = yield* attempts(rerank(question), dropped, options)
      expect(made.count).toBe(1)
      expect(made.result).toMatchObject({ failure: { _tag: "OutcomeUnknown", idempotencyKey: made.keys[0] } })
    })
  )

  const cyclic = new Error("round and round")
  cyclic.cause = cyclic
  const unreadable = Object.defineProperty(new Error("no"), "details", { get: () => expect.fail("unreadable") })

  it.each([
    ["nothing", undefined],
    ["null", null],
    ["a symbol", Symbol("no")],
    ["a message that is no text", { message: Object.create(null) as unknown }],
    ["an error that cannot be read", unreadable],
    ["an error that causes itself", cyclic]
  ])("does not lose the key: `fetch` throws %s", async (_, thrown) => {
    const fetch = () => Promise.reject(thrown)
    const client = createClient({ credential, baseUrl: "http://gateway.invalid", retry: Policy.none, fetch })
    const error: unknown = await client.rerank(question).catch((error: unknown) => error)
    expect(error).toMatchObject({ _tag: "OutcomeUnknown", idempotencyKey: expect.any(String) })
    expect((error as Error).message).toContain("The connection broke")
    await client.close()
  })
})

describe("an outcome is known", () => {
  for (const [name, call, handler, tag] of [
    ["if nothing was sent", rerank(question), refusal(401), "Unauthenticated"],
    [
      "if a failure says what the call cost",
      rerank(question),
      answer(500, {}, { "x-tollgate-cost-state": "none" }),
      "ServerFault"
    ],
    ["if the answer is not valid", rerank(question), answer(200, []), "AnswerInvalid"],
    ["if the first event is not valid", stream, respond(200, data("no JSON"), sse), "EventInvalid"],
    [
      "if the error of a stream says what it cost",
      stream,
      respond(200, data({ error: { message: "No." } }) + cost, sse),
      "StreamFailed"
    ],
    ["of a call that is free", usage({ start_time: 1 }), dropped, "TransportFailed"]
  ] as const) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const made = yield* attempts<unknown, unknown>(call, handler)
        expect(made.result).toMatchObject({ failure: { _tag: tag } })
      })
    )
  }

  it.effect("if the first event is not valid: the call ran", () =>
    Effect.gen(function* () {
      const made = yield* attempts(stream, respond(200, data("no JSON"), sse))
      expect(made.result).toMatchObject({ failure: { outcome: "executed", events: 0 } })
    })
  )
})
