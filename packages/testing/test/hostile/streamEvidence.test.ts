import { describe, expect, it } from "@effect/vitest"
import { clean, type Given, leftOver, operations, withUpstream } from "@tollgate/testing/hostile/evidence"
import { askServed } from "@tollgate/testing/hostile/askServed"
import { servedTo, streamProviders } from "@tollgate/testing/hostile/Served"
import { calls, reservedTotal, streams } from "@tollgate/testing/models"
import { httpUpstream } from "@tollgate/testing/upstream"
import * as Effect from "effect/Effect"

const events = "text/event-stream"
const html = "<!doctype html>\n\n<html><body>" + "All is well.\n\n".repeat(1_000) + "</body></html>"

const protocols = {
  openai: "openai",
  responses: "openai",
  anthropic: "anthropic",
  gemini: "gemini",
  "gemini, as an array": "gemini"
}

const styles = Object.entries(streams).map(([name, { body, operation, path }]) => {
  const isArray = name === "gemini, as an array"
  return {
    name,
    isArray,
    type: isArray ? "application/json" : events,
    called: {
      operation,
      path,
      protocol: protocols[name as keyof typeof protocols],
      // The caller asks for the usage, so that the gateway removes nothing.
      request: JSON.parse(
        body("abcdefgh", name === "openai" ? { stream_options: { include_usage: true } } : {})
      ) as object,
      right: "",
      price: 0
    }
  }
})

const streamOf = (name: string, data: ReadonlyArray<string>): string =>
  name === "gemini, as an array" ? `[${data.join(",")}]` : data.map((line) => `data: ${line}\n\n`).join("")

/** No protocol streams like this. */
const wrong = (isArray: boolean): Readonly<Record<string, string>> => ({
  "a page": html,
  nothing: "",
  "white space": "\n\n \n\n",
  ...(isArray ? {} : { "an error that is no event": '{"error":{"message":"overloaded"}}' }),
  "events of another shape": isArray ? "[{},{},7]" : "data: {}\n\ndata: []\n\ndata: 7\n\n",
  "half an event": isArray ? '[{"cand' : 'data: {"choices":[{"delta":{"content":"Hello',
  "usage alone": isArray
    ? '[{"usageMetadata":{"promptTokenCount":1000,"candidatesTokenCount":1000}}]'
    : 'data: {"usage":{"prompt_tokens":1000,"completion_tokens":1000,"output_tokens":1000},"usageMetadata":{"promptTokenCount":1000}}\n\n',
  ...(isArray
    ? { "an empty list": "[]" }
    : {
        comments: ": hello\n\n: still there\n\n",
        "a last event alone": "data: [DONE]\n\n",
        "another last event alone": 'event: message_stop\ndata: {"type":"message_stop"}\n\n',
        "a third last event alone": 'data: {"type":"response.completed"}\n\n'
      })
})

for (const { called, isArray, name, type } of styles) {
  describe(`an upstream's stream with status 200: ${name}`, () => {
    it.live("that is not of its protocol is not delivered and costs nothing", () =>
      withUpstream(called, (send) =>
        Effect.gen(function* () {
          const given: Array<readonly [string, Given]> = Object.entries(wrong(isArray)).flatMap(([what, body]) => [
            [what, { body, type }],
            [`${what}, called a page`, { body, type: "text/html" }]
          ])
          for (const [what, { body, type }] of given) {
            const answer = yield* send({ body, ...(type === undefined ? {} : { type }) })
            expect([answer.status, answer.headers["content-type"]], what).toEqual([502, "application/json"])
            expect(answer.text, what).toContain("answer is not delivered")
            expect(answer.headers["x-tollgate-cost-micros-usd"], what).toBe(undefined)
            expect(answer.call, what).toMatchObject({ state: "released", charged: 0, cost_state: null })
          }
          expect(yield* leftOver).toEqual(clean)
        })
      )
    )

    it.live("that is an error is answered with its status, and costs nothing", () =>
      withUpstream(called, (send) =>
        Effect.gen(function* () {
          const given = isArray
            ? ['[{"error":{"code":503}}]', '{"error":{"message":"overloaded","code":503}}']
            : ['event: error\ndata: {"type":"error","error":{"code":503}}\n\n']
          for (const body of given) {
            const answer = yield* send({ body, ...(type === undefined ? {} : { type }) })
            expect([answer.status, answer.headers["content-type"]]).toEqual([503, "application/json"])
            expect(answer.call).toMatchObject({ state: "released", charged: 0, cost_state: null })
          }
          expect(yield* leftOver).toEqual(clean)
        })
      )
    )
  })
}

interface Pieces {
  readonly start: ReadonlyArray<string>
  /** 12 bytes: 3 tokens. */
  readonly text: string
  readonly reasoning: string
  readonly end: (input: string, output: string) => ReadonlyArray<string>
  readonly endWithoutUsage: ReadonlyArray<string>
  /** A report on the way, of 10 tokens in and 200 out. */
  readonly onTheWay: string
}

const candidate = (rest: string) => `{"candidates":[{${rest}}]}`
const gemini: Pieces = {
  start: [],
  text: candidate('"content":{"parts":[{"text":"Hello world!"}]}'),
  reasoning: candidate('"content":{"parts":[{"thought":true,"text":"Hello world!"}]}'),
  end: (input, output) => [
    `{"candidates":[{"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":${input},"candidatesTokenCount":${output}}}`
  ],
  endWithoutUsage: [candidate('"finishReason":"STOP"')],
  onTheWay: '{"usageMetadata":{"promptTokenCount":10,"thoughtsTokenCount":200}}'
}
const pieces: Readonly<Record<string, Pieces>> = {
  openai: {
    start: ['{"choices":[{"index":0,"delta":{"role":"assistant"}}]}'],
    text: '{"choices":[{"index":0,"delta":{"content":"Hello world!"}}]}',
    reasoning: '{"choices":[{"index":0,"delta":{"reasoning_content":"Hello world!","reasoning":"Hello world!"}}]}',
    end: (input, output) => [
      '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
      `{"choices":[],"usage":{"prompt_tokens":${input},"completion_tokens":${output}}}`,
      "[DONE]"
    ],
    endWithoutUsage: ['{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}', "[DONE]"],
    onTheWay:
      '{"choices":[{"index":0,"delta":{}}],"usage":{"prompt_tokens":10,"completion_tokens":0,"completion_tokens_details":{"reasoning_tokens":200}}}'
  },
  responses: {
    start: ['{"type":"response.created","response":{"status":"in_progress","output":[],"usage":null}}'],
    text: '{"type":"response.output_text.delta","delta":"Hello world!"}',
    reasoning: '{"type":"response.reasoning_summary_text.delta","delta":"Hello world!"}',
    end: (input, output) => [
      `{"type":"response.completed","response":{"output":[],"usage":{"input_tokens":${input},"output_tokens":${output}}}}`
    ],
    endWithoutUsage: ['{"type":"response.completed","response":{"output":[],"usage":null}}'],
    onTheWay:
      '{"type":"response.in_progress","response":{"usage":{"input_tokens":10,"output_tokens":0,"output_tokens_details":{"reasoning_tokens":200}}}}'
  },
  anthropic: {
    start: ['{"type":"message_start","message":{"usage":{"input_tokens":10,"output_tokens":1}}}'],
    text: '{"type":"content_block_delta","delta":{"type":"text_delta","text":"Hello world!"}}',
    reasoning: '{"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"Hello world!"}}',
    end: (input, output) => [
      `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":${input},"output_tokens":${output}}}`,
      '{"type":"message_stop"}'
    ],
    endWithoutUsage: ['{"type":"message_delta","delta":{"stop_reason":"end_turn"}}', '{"type":"message_stop"}'],
    onTheWay: '{"type":"message_delta","delta":{},"usage":{"output_tokens":200}}'
  },
  gemini,
  "gemini, as an array": gemini
}

for (const { called, name, type } of styles) {
  const { end, endWithoutUsage, onTheWay, reasoning, start, text } = pieces[name] ?? gemini
  const send = (data: ReadonlyArray<string>): Given => ({ type, body: streamOf(name, data) })

  describe(`a stream: ${name}`, () => {
    it.live("is charged by the usage at its end, and by its text if that usage is impossible", () =>
      withUpstream(called, (ask) =>
        Effect.gen(function* () {
          const { call } = yield* ask(send([...start, text, ...end("10", "2")]))
          expect([call.cost_state, call.charged]).toEqual(["settled", 64])
          const counted = (yield* ask(send([...start, reasoning, text, ...endWithoutUsage]))).call
          expect(counted.cost_state).toBe("estimated")
          // 6 tokens out, and a request of less than 100 bytes.
          expect(counted.charged).toBeGreaterThanOrEqual(102 + 6)
          expect(counted.charged).toBeLessThan(102 + 75)
          for (const [input, output] of [
            ["-1", "5"],
            ["5", "1.5"],
            ["5", '"100000"'],
            ["5", "9007199254740991"],
            ["5", "9007199254740992"]
          ] as const) {
            const { call } = yield* ask(send([...start, reasoning, text, ...end(input, output)]))
            expect([call.cost_state, call.charged], output).toEqual(["estimated", counted.charged])
          }
          expect(yield* leftOver).toEqual(clean)
        })
      )
    )

    it.live("without a content type is the one that was asked for, and so is a whole answer", () =>
      withUpstream(called, (ask) =>
        Effect.gen(function* () {
          const body = streamOf(name, [...start, text, ...end("10", "2")])
          const { call, headers, status, text: got } = yield* ask({ type: null, body })
          expect([status, headers["content-type"], call.charged]).toEqual([200, type, 64])
          expect(got).toContain("Hello world!")
          const whole = Object.entries(operations).find(([style]) => style === name)?.[1]
          if (whole !== undefined) {
            const answer = yield* ask({ type: null, body: whole.right })
            expect([answer.status, answer.text, answer.call.charged]).toEqual([200, whole.right, 64])
          }
          const page = yield* ask({ type: null, body: html })
          expect([page.status, page.call]).toEqual([502, expect.objectContaining({ state: "released", charged: 0 })])
          expect(yield* leftOver).toEqual(clean)
        })
      )
    )

    it.live("that ends without a last event is charged for the tokens reported on the way, reasoning included", () =>
      withUpstream(called, (ask) =>
        Effect.gen(function* () {
          const open = (data: ReadonlyArray<string>) => ({ type, body: streamOf(name, data).replace(/\]$/, "") })
          const { call } = yield* ask(open([...start, onTheWay, text]))
          expect([call.state, call.cost_state, call.charged]).toEqual(["settled", "estimated", 30 + 3_400])
          expect(yield* leftOver).toEqual(clean)
        })
      )
    )
  })
}

describe("an upstream's stream that breaks before its first event", () => {
  it.live("may have cost something: the call ends unknown, and its money is free", () =>
    Effect.gen(function* () {
      const { port } = yield* httpUpstream((res) => {
        res.writeHead(200, { "content-type": events }).flushHeaders()
        res.socket?.destroySoon()
      })
      yield* Effect.gen(function* () {
        const { body, path } = streams.openai
        const answer = yield* askServed(path, body("Why?", {}))
        expect([answer.status, answer.text]).toEqual([200, expect.stringContaining("upstream_failed")])
        expect((yield* calls).map(({ charged, state }) => [state, charged])).toEqual([["unknown", 0]])
        expect(yield* reservedTotal).toBe(0)
      }).pipe(Effect.provide(servedTo(streamProviders(port))))
    }).pipe(Effect.scoped)
  )
})
