import { describe, expect, it } from "@effect/vitest"
import {
  AnswerInvalid,
  call,
  chatCompletionsStream,
  InputInvalid,
  OutcomeUnknown,
  rerank,
  TransportFailed
} from "@tollgate/client"
import { byStatus } from "@tollgate/contract/errors/ApiError"
import { rerank as operation } from "@tollgate/contract/operations/rerank"
import { deepResearch } from "@tollgate/contract/operations/deepResearch"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as fc from "fast-check"
import { fail, json, question, ranking, respond, scripted, Unsent } from "./scripted.ts"

const failing = (handler: Parameters<typeof scripted>[0]) =>
  Effect.flip(rerank(question).pipe(Effect.provide(scripted(handler).layer)))

/** The error of an answer. If the call may have run, it is the cause of `OutcomeUnknown`. */
const answerError = (handler: Parameters<typeof scripted>[0]) =>
  Effect.map(failing(handler), (error) => (error instanceof OutcomeUnknown ? error.cause : error))

const tagOf = (status: number): string => {
  const declared = operation.errors.find((known) => known === status)
  return declared === undefined ? "UnexpectedStatus" : byStatus[declared].name
}

describe("an error answer", () => {
  const bodies: ReadonlyArray<readonly [string, Record<string, string>, string, Record<string, unknown>]> = [
    [
      "openai",
      json,
      `{"error":{"message":"No.","type":"t","param":null,"code":"c"}}`,
      { message: "No.", type: "t", code: "c" }
    ],
    [
      "a plain text error",
      json,
      `{"error":"No.","code":"c","request_id":"r"}`,
      { message: "No.", code: "c", requestId: "r" }
    ],
    ["flat", json, `{"code":"c","message":"No.","request_id":"r"}`, { message: "No.", code: "c", requestId: "r" }],
    [
      "anthropic",
      json,
      `{"type":"error","error":{"type":"t","message":"No."},"request_id":"r"}`,
      { message: "No.", type: "t", requestId: "r" }
    ],
    ["gemini", json, `{"error":{"code":400,"message":"No.","status":"S"},"code":"c"}`, { message: "No.", code: "c" }],
    ["problem+json", { "content-type": "application/problem+json" }, `{"message":"No."}`, { message: "No." }],
    ["HTML", { "content-type": "text/html", "x-request-id": "req_1" }, "<h1>No</h1>", { requestId: "req_1" }],
    [
      "JSON that calls itself HTML",
      { "content-type": "text/html", "x-request-id": "req_1" },
      `{"error":"No."}`,
      { requestId: "req_1" }
    ],
    ["nothing", {}, "", {}],
    ["broken JSON", json, `{"error":`, {}],
    ["null", json, "null", {}],
    ["a number", json, "5", {}]
  ]

  for (const status of [
    300, 301, 304, 400, 401, 402, 403, 404, 405, 409, 413, 418, 422, 429, 451, 500, 501, 502, 503, 504, 599
  ]) {
    it.effect(`${status} is ${tagOf(status)} whatever the body is`, () =>
      Effect.gen(function* () {
        for (const [name, headers, text, expected] of bodies) {
          const body = status === 304 ? "" : text
          const error = yield* answerError(
            respond(status, status === 304 ? null : body, { ...headers, "x-extra": "kept", "retry-after": "7" })
          )
          expect(error, name).toMatchObject({
            _tag: tagOf(status),
            operation: "rerank",
            status,
            body,
            retryAfter: 7000,
            headers: { ...headers, "x-extra": "kept" },
            ...(status === 304 ? {} : { message: `HTTP ${status}`, ...expected })
          })
        }
      })
    )
  }

  it.effect("takes the request id from the header before the body", () =>
    Effect.gen(function* () {
      const body = `{"error":"No.","request_id":"body"}`
      expect(yield* answerError(respond(500, body, { ...json, "x-request-id": "header" }))).toMatchObject({
        requestId: "header"
      })
      expect(yield* answerError(respond(500, body, json))).toMatchObject({ requestId: "body" })
      expect(yield* answerError(respond(500, "{}", json))).not.toHaveProperty("requestId")
      expect(yield* answerError(respond(500, "{}", json))).not.toHaveProperty("retryAfter")
    })
  )

  it.effect("says whether the call may have run", () =>
    Effect.gen(function* () {
      const outcome = (status: number, code?: string) =>
        Effect.map(
          failing(respond(status, JSON.stringify({ error: { message: "No.", code } }), json)),
          (error) => error.outcome
        )
      expect(yield* outcome(402)).toBe("not executed")
      expect(yield* outcome(500)).toBe("unknown")
      expect(yield* outcome(502)).toBe("unknown")
      expect(yield* outcome(502, "upstream_unreachable")).toBe("not executed")
      expect(yield* outcome(503, "upstream_unreachable")).toBe("not executed")
      expect(yield* outcome(502, "upstream_failed")).toBe("unknown")
      expect(yield* outcome(503, "billing_unavailable")).toBe("not executed")
      expect(yield* outcome(500, "billing_unavailable")).toBe("unknown")
    })
  )

  it.effect("whatever bytes arrive, the call fails with a typed error that keeps them", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 400, max: 599 }),
          fc.oneof(fc.string(), fc.json()),
          fc.constantFrom("application/json", "text/html", "", "application/json; charset=utf-8", "image/png"),
          async (status, body, contentType) => {
            const error = await Effect.runPromise(answerError(respond(status, body, { "content-type": contentType })))
            expect(error).toMatchObject({
              _tag: tagOf(status),
              status,
              body: new TextDecoder().decode(new TextEncoder().encode(body))
            })
          }
        )
      )
    )
  )
})

it.effect("an input that is no object is named, and nothing is sent", () =>
  Effect.gen(function* () {
    const { layer, sent } = scripted(respond(200, JSON.stringify(ranking), json))
    for (const input of ["hello", 3]) {
      expect(yield* Effect.flip(rerank(input as never).pipe(Effect.provide(layer)))).toMatchObject({
        _tag: "InputInvalid",
        message: "The input must be an object"
      })
    }
    expect(sent).toEqual([])
  })
)

describe("a page that is not the gateway's", () => {
  const page = (status: number) => respond(status, "<h1>Blocked</h1>", { "content-type": "text/html; charset=utf-8" })
  const from = "probably from a proxy: check baseUrl"

  it.effect.each([
    [403, `HTTP 403, an HTML page, ${from}`],
    [404, `HTTP 404, an HTML page, ${from}`],
    [502, `HTTP 502, an HTML page, ${from}`],
    [200, `Expected JSON, the answer is text/html; charset=utf-8, ${from}`]
  ] as const)("with status %i: the error says so", ([status, message]) =>
    Effect.gen(function* () {
      expect(yield* answerError(page(status))).toMatchObject({ status, message })
      expect((yield* failing(page(status))).message).toContain(message)
      const error = yield* Effect.flip(
        Stream.runDrain(chatCompletionsStream({ model: "m", messages: [] })).pipe(
          Effect.provide(scripted(page(status)).layer)
        )
      )
      expect(error.message).toContain(from)
    })
  )
})

describe("a successful status that does not hold the answer", () => {
  const html = "<html>Please sign in</html>"
  const whole = JSON.stringify(ranking)
  for (const [name, status, body, headers] of [
    ["HTML", 200, html, { "content-type": "text/html" }],
    ["JSON that calls itself HTML", 200, whole, { "content-type": "text/html" }],
    ["JSON of no stated type", 200, new TextEncoder().encode(whole), {}],
    ["JSON lines", 200, whole, { "content-type": "application/jsonl" }],
    ["nothing", 200, "", json],
    ["no content", 204, "", {}],
    ["truncated JSON", 200, whole.slice(0, -5), json],
    ["two documents", 200, whole + whole, json],
    ["another shape", 200, `{"results":[]}`, json],
    ["a list", 200, "[]", json],
    ["null", 200, "null", json],
    ["a score that is text", 200, whole.replace("0.9", `"0.9"`), json],
    ["an error", 200, `{"error":{"message":"No."}}`, json]
  ] as const) {
    it.effect(`${name} is AnswerInvalid, marked as executed, with the body`, () =>
      Effect.gen(function* () {
        const extra = {
          "x-request-id": "req_1",
          "x-tollgate-cost-state": "settled",
          "x-tollgate-cost-micros-usd": "12"
        }
        const error = yield* failing(respond(status, body, { ...headers, ...extra }))
        expect(error).toBeInstanceOf(AnswerInvalid)
        expect(error).toMatchObject({
          _tag: "AnswerInvalid",
          operation: "rerank",
          status,
          outcome: "executed",
          requestId: "req_1",
          charge: { state: "settled", micros: 12, usd: "0.000012" },
          body: typeof body === "string" ? body : whole,
          headers
        })
        expect(error.message).not.toBe("")
      })
    )
  }

  it.effect("keeps undeclared fields of a valid answer", () =>
    Effect.gen(function* () {
      const { layer } = scripted(
        respond(200, JSON.stringify({ ...ranking, id: "x", meta: { a: [1] } }), {
          "content-type": "application/vnd.api+json; charset=utf-8"
        })
      )
      expect(yield* rerank(question).pipe(Effect.provide(layer))).toEqual({ ...ranking, id: "x", meta: { a: [1] } })
    })
  )
})

describe("a transport that fails", () => {
  it.effect("before anything was sent proves that nothing ran", () =>
    Effect.map(failing(fail(new Unsent("ECONNREFUSED"))), (error) => {
      expect(error).toBeInstanceOf(TransportFailed)
      expect(error).toMatchObject({ outcome: "not executed", operation: "rerank" })
      expect(error.message).toContain("ECONNREFUSED")
    })
  )

  it.effect("after that leaves it unknown", () =>
    Effect.map(failing(fail(new Error("ECONNRESET"))), (error) =>
      expect(error).toMatchObject({ _tag: "OutcomeUnknown", cause: { _tag: "TransportFailed", outcome: "unknown" } })
    )
  )

  it.effect("in the middle of the body leaves it unknown, also after a good status", () =>
    Effect.gen(function* () {
      for (const status of [200, 500]) {
        const body = new ReadableStream({
          pull: (controller) => {
            controller.enqueue(new TextEncoder().encode(`{"model":`))
            controller.error(new Error("ECONNRESET"))
          }
        })
        expect(yield* failing(respond(status, body, json))).toMatchObject({
          _tag: "OutcomeUnknown",
          cause: { _tag: "TransportFailed", outcome: "unknown" }
        })
      }
    })
  )
})

describe("input that does not fit", () => {
  const circular: Record<string, unknown> = { ...question }
  circular.self = circular
  const inputs: ReadonlyArray<readonly [string, unknown]> = [
    ["undefined", undefined],
    ["null", null],
    ["a string", "query"],
    ["no documents", { query: "q" }],
    ["an empty list", { query: "q", documents: [] }],
    ["an empty query", { query: "", documents: ["a"] }],
    ["a number among documents", { query: "q", documents: ["a", 5] }],
    ["a fractional top_n", { ...question, top_n: 1.5 }],
    ["top_n of NaN", { ...question, top_n: Number.NaN }],
    ["a bigint in an extra field", { ...question, extra: 1n }],
    ["a circle", circular]
  ]
  for (const [name, input] of inputs) {
    it.effect(`${name} is InputInvalid and nothing is sent`, () =>
      Effect.gen(function* () {
        const { layer, sent } = scripted(respond(200, JSON.stringify(ranking), json))
        const error = yield* Effect.flip(rerank(input as typeof question).pipe(Effect.provide(layer)))
        expect(error).toBeInstanceOf(InputInvalid)
        expect(error).toMatchObject({ operation: "rerank", outcome: "not executed" })
        expect(error.message).toMatch(/^.+$/)
        expect(sent).toEqual([])
      })
    )
  }

  it.effect("an operation whose path is pending says that it must be bound, and is called once it is", () =>
    Effect.gen(function* () {
      const research = call(deepResearch)
      const pending = scripted(respond(200, "{}", json))
      const error = yield* Effect.flip(research({}).pipe(Effect.provide(pending.layer)))
      expect(error).toMatchObject({ _tag: "InputInvalid", outcome: "not executed" })
      expect(error.message).toContain(`bindings: { "${deepResearch.id}": { path: "/…" } }`)
      expect(pending.sent).toEqual([])
      const bound = scripted(respond(200, "{}", json), { bindings: { [deepResearch.id]: { path: "/v1/research" } } })
      yield* research({}).pipe(Effect.provide(bound.layer))
      expect(bound.sent[0]?.url.pathname).toBe("/v1/research")
    })
  )
})
