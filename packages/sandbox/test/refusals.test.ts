import { describe, expect, it } from "@effect/vitest"
import { defaults } from "@tollgate/contract/Names"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { router } from "../src/Route.ts"
import { protocols } from "../src/protocols.ts"
import { bills, post, type Style, styleNames, styles, withBillingLog } from "./talk.ts"

const shapes: Readonly<Record<Style, (status: number) => unknown>> = {
  chat: () => ({ error: { message: expect.any(String), type: "invalid_request_error" } }),
  research: () => ({ error: { message: expect.any(String), type: "invalid_request_error" } }),
  responses: () => ({ error: { message: expect.any(String), type: "invalid_request_error" } }),
  messages: (status) => ({
    type: "error",
    error: { type: status === 404 ? "not_found_error" : "invalid_request_error", message: expect.any(String) }
  }),
  gemini: (status) => ({
    error: { code: status, status: status === 404 ? "NOT_FOUND" : "INVALID_ARGUMENT", message: expect.any(String) }
  })
}

const refused = (style: Style, body: unknown, status = 400, path: string = styles[style].path) =>
  Effect.map(post(path, body), (answer) => {
    const text = typeof body === "string" ? body : JSON.stringify(body)
    expect([answer.status, JSON.parse(answer.text)], text.slice(0, 200)).toMatchObject([status, shapes[style](status)])
  })

const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`

const bad: Readonly<Record<Style, ReadonlyArray<object>>> = {
  chat: [
    { messages: undefined },
    { messages: [] },
    { messages: "hi" },
    { messages: [null] },
    { messages: [{ role: "user" }] },
    { messages: [{ role: "user", content: null }] },
    { messages: [{ role: "user", content: 1 }] },
    { messages: [{ role: "user", content: {} }] },
    { messages: [{ role: "user", content: [1] }] },
    { messages: [{ role: "user", content: [{ type: "smell" }] }] },
    { messages: [{ role: "nobody", content: "hi" }] },
    { model: undefined },
    { model: 1 },
    { max_tokens: -1 },
    { max_tokens: 0 },
    { max_tokens: 1.5 },
    { max_completion_tokens: "7" },
    { n: 0 },
    { n: 1e9 },
    { n: -1 },
    { stop: "" },
    { stop: [""] },
    { stop: Array(100).fill("x") },
    { stream: "yes" },
    { tools: {} },
    { tools: [{ type: "function" }] },
    { tools: [], tool_choice: { type: "function", function: { name: "x" } } },
    { response_format: { type: "xml" } }
  ],
  research: [{ messages: undefined }, { messages: [] }, { n: 1e9 }],
  responses: [
    { input: undefined },
    { input: [] },
    { input: [null] },
    { input: [{ role: "user" }] },
    { input: [{ role: "user", content: [{ type: "smell" }] }] },
    { input: [{ role: "nobody", content: "hi" }] },
    { input: [{ type: "function_call_output", call_id: "c" }] },
    { input: [{ type: "item_reference", id: "msg_1" }] },
    { instructions: 1 },
    { model: undefined },
    { max_output_tokens: 0 },
    { max_output_tokens: "7" },
    { stream: "yes" },
    { tools: [{ type: "function" }] },
    { tools: [], tool_choice: { type: "function", name: "x" } },
    { text: { format: { type: "xml" } } }
  ],
  messages: [
    { max_tokens: undefined },
    { max_tokens: 0 },
    { max_tokens: -5 },
    { max_tokens: "5" },
    { messages: undefined },
    { messages: [] },
    { messages: [{ role: "system", content: "hi" }] },
    { messages: [{ role: "user", content: [] }] },
    { messages: [{ role: "user", content: [{ type: "text" }] }] },
    { messages: [{ role: "user", content: [{ type: "smell" }] }] },
    { system: 1 },
    { stop_sequences: "x" },
    { tools: [{}] },
    { tool_choice: { type: "tool", name: "x" } }
  ],
  gemini: [
    { contents: undefined },
    { contents: [] },
    { contents: "hi" },
    { contents: [{}] },
    { contents: [{ parts: [] }] },
    { contents: [{ parts: [{}] }] },
    { contents: [{ parts: [{ text: 1 }] }] },
    { contents: [{ role: "nobody", parts: [{ text: "x" }] }] },
    { generationConfig: { maxOutputTokens: -1 } },
    { generationConfig: { candidateCount: 1e9 } },
    { generation_config: { max_output_tokens: 0 } },
    { generationConfig: 1 },
    { tools: [{ functionDeclarations: [{}] }] }
  ]
}

describe.each(styleNames)("%s", (style) => {
  const { body, path, stream, streamed } = styles[style]

  it.effect("an invalid body is refused in the protocol's format and not billed", () =>
    withBillingLog(
      Effect.gen(function* () {
        for (const text of ["", "{", "null", "[]", "1", '"x"', "{}", '{"__proto__":{"messages":[]}}', deep])
          yield* refused(style, text)
        for (const more of bad[style]) {
          yield* refused(style, body("hi", more))
          yield* refused(style, body("hi", { ...streamed, ...more }), 400, stream)
        }
        expect(yield* bills).toEqual([])
      })
    )
  )

  it.effect("an unknown model is a 404", () =>
    withBillingLog(
      Effect.gen(function* () {
        for (const model of ["rerank", "sandbox-video", "x".repeat(5000), "__proto__", "Sandbox"])
          yield* refused(style, body("hi", { model }), 404, path.replace("/sandbox:", `/${model}:`))
        const openai = yield* post(styles.chat.path, styles.chat.body("hi", { model: "gpt" }))
        expect(JSON.parse(openai.text)).toMatchObject({ error: { code: "model_not_found", param: "model" } })
      })
    )
  )

  it.effect("the general scenarios work", () =>
    withBillingLog(
      Effect.gen(function* () {
        const asked = (scenario: string, more: object = {}) =>
          post(path, body("hi", more), { "x-tollgate-scenario": scenario })
        const whole = yield* asked("")
        const teapot = yield* asked("status; code=404; after=3")
        expect([teapot.status, teapot.headers["retry-after"]]).toEqual([404, "3"])
        expect(JSON.parse(teapot.text)).toMatchObject(shapes[style](404) as object)
        expect((yield* asked("html")).text).toBe("<html>Welcome</html>")
        expect(yield* bills).toHaveLength(1)
        expect((yield* asked("truncated")).text).toBe(whole.text.slice(0, whole.text.length / 2))
        expect((yield* asked("no-usage")).text).not.toContain('"usage')
        expect((yield* Effect.exit(asked("reset")))._tag).toBe("Failure")
        expect(yield* bills).toHaveLength(4)
        for (const scenario of ["stall", "stall; after=1"]) {
          const fiber = yield* Effect.forkChild(asked(scenario))
          yield* TestClock.adjust("1 days")
          expect(fiber.pollUnsafe()).toBeUndefined()
          yield* Fiber.interrupt(fiber)
        }
        expect(yield* bills).toHaveLength(4)
      })
    )
  )
})

describe("malformed input", () => {
  const value = fc.jsonValue({ depthSize: "small" })
  const words = fc.constantFrom("user", "assistant", "tool", "text", "model", "tool_result", "function", "__proto__")
  const part = fc.oneof(
    value,
    fc.record({ type: words, text: fc.oneof(fc.string(), value), content: value, functionCall: value })
  )
  const message = fc.record({ role: words, content: fc.oneof(fc.string(), fc.array(part)), parts: fc.array(part) })
  const tool = fc.oneof(
    fc.record({ type: fc.constant("function"), function: fc.record({ name: fc.string(), parameters: value }) }),
    fc.record({ name: fc.string(), input_schema: value }),
    fc.record({ functionDeclarations: fc.array(fc.record({ name: fc.string(), parameters: value })) })
  )
  const body = fc.record(
    {
      messages: fc.oneof(value, fc.array(message, { maxLength: 3 })),
      contents: fc.oneof(value, fc.array(message, { maxLength: 3 })),
      system: value,
      prompt: fc.oneof(fc.string(), value),
      tools: fc.oneof(value, fc.array(tool, { maxLength: 2 })),
      tool_choice: value,
      n: fc.oneof(fc.integer(), value),
      max_tokens: fc.oneof(fc.nat(100), value),
      stop: fc.oneof(fc.string(), value),
      stream: fc.oneof(fc.boolean(), value),
      generationConfig: value,
      response_format: value
    },
    { requiredKeys: [] }
  )

  it.effect("is always answered with 200 or 400", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...Object.values(styles).map(({ stream }) => stream), "/v1/images/generations"),
          body,
          fc.constantFrom({}, { messages: [{ role: "user", content: "hi" }], max_tokens: 9 }),
          async (path, sent, valid) => {
            const { status, text } = await Effect.runPromise(
              withBillingLog(post(path, { model: "sandbox", ...sent, ...valid }))
            )
            expect([200, 400]).toContain(status)
            expect(text).not.toBe("")
          }
        ),
        { numRuns: 400 }
      )
    )
  )
})

describe("the router", () => {
  const find = router(protocols, { ...defaults, social_b: "pictures", reseller: "shop" })

  it("fills in the names and reads parameters from the path", () => {
    expect(find("GET", "/apis/v1/pictures/post/comments?url=x")).toBeDefined()
    expect(find("GET", "/apis/v1/social_b/post/comments")).toBeUndefined()
    expect(find("POST", "/v1beta/models/a%20b:c:generateContent")?.parameters).toEqual({ model: "a b:c" })
    expect(find("POST", "/v1beta/models/a:streamGenerateContent?alt=sse")?.parameters).toEqual({ model: "a" })
  })

  it.each([
    ["GET", "/v1/chat/completions"],
    ["POST", "/v1beta/models/:generateContent"],
    ["POST", "/v1beta/models/a/b:generateContent"],
    ["POST", "/v1beta/models/%E0%A4%A:generateContent"],
    ["POST", "/v1beta/models/a:generateContents"],
    ["POST", "/v1/rerank/"],
    ["GET", "__proto__"],
    ["", ""]
  ])("finds no route for %s %s", (method, url) => expect(find(method, url)).toBeUndefined())
})
