import { describe, expect, it } from "@effect/vitest"
import { clean, type Given, leftOver, operations, withUpstream } from "@tollgate/testing/hostile/evidence"
import * as Effect from "effect/Effect"

const html = "<!doctype html><html><body>" + "All is well. ".repeat(5_000) + "</body></html>"

const openAiError = '{"error":{"message":"overloaded","type":"server_error","param":null,"code":null}}'

/** No operation answers like this. */
const wrong: Readonly<Record<string, Given>> = {
  "a page that is called JSON": { body: html },
  nothing: { body: "" },
  "white space": { body: " \n" },
  "an OpenAI error": { body: openAiError },
  "an error as text": { body: '{"error":"overloaded"}' },
  "an error beside usage": {
    body: '{"error":{"message":"overloaded"},"usage":{"prompt_tokens":1000,"completion_tokens":1000,"input_tokens":1000,"output_tokens":1000,"total_tokens":1000}}'
  }
}

/** Wrong for operations whose shape is known. Of the others any body proves that the call was answered. */
const otherShapes: Readonly<Record<string, Given>> = {
  "a page": { type: "text/html; charset=utf-8", body: html },
  null: { body: "null" },
  "a text": { body: '"ok"' },
  "a number": { body: "200" },
  "another protocol's stream": { type: "application/octet-stream", body: 'data: {"choices":[]}\n\n' },
  "an empty object": { body: "{}" },
  "an empty list": { body: "[]" },
  "usage alone": {
    body: '{"usage":{"prompt_tokens":9,"completion_tokens":9,"input_tokens":9,"output_tokens":9,"total_tokens":9},"usageMetadata":{"promptTokenCount":9}}'
  },
  "fields of other types": {
    body: '{"choices":"x","content":"x","candidates":{},"results":3,"code":{},"comments":{"length":9},"tweets":null}'
  },
  "lists of other things": {
    body: '{"choices":[1],"content":[null],"candidates":["x"],"results":["x"],"code":null,"comments":[1,2,3],"tweets":[[]]}'
  }
}

for (const [name, operation] of Object.entries(operations)) {
  describe(`an upstream's answer with status 200: ${name}`, () => {
    const isKnown = !name.startsWith("per request,") || name.endsWith("is known")
    const others: Readonly<Record<string, Given>> = {
      ...otherShapes,
      "the answer as a page": { type: "text/html", body: operation.right },
      "the answer as plain text": { type: "text/plain", body: operation.right }
    }
    const answers: Readonly<Record<string, Given>> = {
      ...wrong,
      ...(isKnown ? others : {}),
      "half of the answer": { body: operation.right.slice(0, -4) },
      "the answer twice": { body: operation.right + operation.right }
    }

    it.live("that is not what it answers is not delivered and costs nothing", () =>
      withUpstream(operation, (send) =>
        Effect.gen(function* () {
          for (const [what, given] of Object.entries(answers)) {
            const answer = yield* send(given)
            expect([answer.status, answer.headers["content-type"]], what).toEqual([502, "application/json"])
            expect(answer.text, what).toContain("answer is not delivered")
            expect(answer.headers["x-should-retry"], what).toBe("false")
            expect(
              [answer.headers["x-tollgate-cost-state"], answer.headers["x-tollgate-cost-micros-usd"]],
              what
            ).toEqual(["none", undefined])
            expect(answer.call, what).toMatchObject({ state: "released", charged: 0, cost_state: null })
          }
          expect(yield* leftOver).toEqual(clean)
        })
      )
    )

    it.live("that declares a failure is handed on unchanged and costs nothing", () =>
      withUpstream(operation, (send) =>
        Effect.gen(function* () {
          for (const body of ['{"success":false,"message":"no"}', '{"success":false,"error":"no"}']) {
            const { call, status, text } = yield* send({ body })
            expect([status, text, call.charged]).toEqual([200, body, 0])
          }
          expect(yield* leftOver).toEqual(clean)
        })
      )
    )

    it.live("that is right is charged", () =>
      withUpstream(operation, (send) =>
        Effect.gen(function* () {
          for (const type of ["application/json", "application/json; charset=UTF-8"]) {
            const answer = yield* send({ body: operation.right, type })
            expect(answer.headers).toMatchObject({
              "x-tollgate-cost-state": "settled",
              "x-tollgate-cost-micros-usd": String(operation.price)
            })
            expect(answer.call).toMatchObject({ state: "settled", charged: operation.price, cost_state: "settled" })
          }
          expect(yield* leftOver).toEqual(clean)
        })
      )
    )
  })
}

// 3 USD per million tokens in, 17 out. "Hello world!" is 12 bytes: 3 tokens.
const completions = {
  openai: {
    answer: (usage: string) => `{"choices":[{"message":{"content":"Hello world!"}}]${usage}}`,
    report: (input: string, output: string) => `,"usage":{"prompt_tokens":${input},"completion_tokens":${output}}`,
    partial: ',"usage":{"completion_tokens":100}',
    outputPrice: 1_700
  },
  anthropic: {
    answer: (usage: string) => `{"content":[{"type":"text","text":"Hello world!"}]${usage}}`,
    report: (input: string, output: string) => `,"usage":{"input_tokens":${input},"output_tokens":${output}}`,
    partial: ',"usage":{"output_tokens":100}',
    outputPrice: 1_700
  },
  gemini: {
    answer: (usage: string) => `{"candidates":[{"content":{"parts":[{"text":"Hello world!"}]}}]${usage}}`,
    report: (input: string, output: string) =>
      `,"usageMetadata":{"promptTokenCount":${input},"candidatesTokenCount":${output}}`,
    partial: ',"usageMetadata":{"candidatesTokenCount":100}',
    outputPrice: 1_700
  }
} as const

for (const [name, { answer: answerWith, outputPrice, partial, report }] of Object.entries(completions)) {
  const operation = operations[name as keyof typeof completions]

  describe(`a completion: ${name}`, () => {
    it.live("without a possible usage is charged by counting its text, and marked as estimated", () =>
      withUpstream(operation, (send) =>
        Effect.gen(function* () {
          const counted = yield* send({ body: answerWith("") })
          expect(counted.headers["x-tollgate-cost-state"]).toBe("estimated")
          expect(counted.call).toMatchObject({ state: "settled", cost_state: "estimated" })
          // 3 tokens out, and a request of less than 100 bytes.
          expect(counted.call.charged).toBeGreaterThan(51)
          expect(counted.call.charged).toBeLessThan(51 + 75)
          for (const [input, output] of [
            ["-1", "5"],
            ["5", "1.5"],
            ["5", '"100000"'],
            ["9007199254740993", "5"],
            ["5", "1e300"],
            ["5", "9007199254740991"],
            ["true", "[7]"]
          ] as const) {
            const { call } = yield* send({ body: answerWith(report(input, output)) })
            expect([call.cost_state, call.charged], `${input} ${output}`).toEqual(["estimated", counted.call.charged])
          }
          expect(yield* leftOver).toEqual(clean)
        })
      )
    )

    it.live("with a part of its usage is counted for the rest", () =>
      withUpstream(operation, (send) =>
        Effect.gen(function* () {
          const counted = yield* send({ body: answerWith("") })
          const { call } = yield* send({ body: answerWith(partial) })
          expect([call.cost_state, call.charged]).toEqual(["estimated", counted.call.charged - 51 + outputPrice])
        })
      )
    )
  })
}

describe("a reseller's answer", () => {
  it.live.each(['{"code":200.0}', '{"code":2e2}', '{"code":"200"}', '{"code":404,"error":{"message":"gone"}}'])(
    "%s is a failure that is handed on, because its code is not the integer 200",
    (body) =>
      withUpstream(operations.reseller, (send) =>
        Effect.gen(function* () {
          const { call, text } = yield* send({ body })
          expect([text, call.charged]).toEqual([body, 0])
        })
      )
  )

  it.live.each(['{"data":{"code":200}}', '[{"code":200}]', '{"code":null,"data":{}}'])(
    "%s has no code, and is not delivered",
    (body) =>
      withUpstream(operations.reseller, (send) =>
        Effect.gen(function* () {
          const { call, status } = yield* send({ body })
          expect([status, call.charged]).toEqual([502, 0])
        })
      )
  )
})

describe("an answer that is pending", () => {
  it.live("proves a price per call whatever it is", () =>
    withUpstream(operations["per request, a shape that is not known"], (send) =>
      Effect.gen(function* () {
        for (const given of [{ type: "text/csv", body: "a,b" }, { body: "null" }, { body: "[1]" }]) {
          const { call, text } = yield* send(given)
          expect([text, call.charged]).toEqual([given.body, 10_000])
        }
        expect(yield* leftOver).toEqual(clean)
      })
    )
  )
})

describe("a page of comments", () => {
  it.live("costs nothing if it is empty, and by its length otherwise", () =>
    withUpstream(operations.comments, (send) =>
      Effect.gen(function* () {
        const charged = []
        for (const count of [0, 1, 50]) {
          const comments = Array.from({ length: count }, (_, i) => ({ id: String(i) }))
          charged.push((yield* send({ body: JSON.stringify({ comments }) })).call.charged)
        }
        expect(charged).toEqual([0, 1_880, 94_000])
        expect(yield* leftOver).toEqual(clean)
      })
    )
  )
})
