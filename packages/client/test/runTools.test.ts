import { describe, expect, it } from "@effect/vitest"
import { chatCompletions, generateContent, messages, responses } from "@tollgate/client"
import { runTools, tool, ToolFailed } from "@tollgate/client/runTools"
import { type ScriptedGateway, scriptedGateway } from "@tollgate/client/testing"
import * as Data from "effect/Data"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { anthropicStyle, chat, geminiStyle, responsesStyle } from "./modelAnswers.ts"
import { answers, asks, City, loop, micros, on, paris, weather } from "./runToolsScripted.ts"

/** The messages that the last call added to the question. */
const added = (gateway: ScriptedGateway) => {
  const input = gateway.calls(chatCompletions).at(-1)?.input as typeof chat.input | undefined
  return input?.messages.slice(1) as ReadonlyArray<Record<string, unknown>>
}

describe("a model uses a tool and answers, in each protocol", () => {
  it.effect("OpenAI", () => {
    const gateway = scriptedGateway()
    chat.answer(gateway, asks(paris), answers)
    return Effect.gen(function* () {
      const result = yield* runTools(chatCompletions, [weather], chat.input)
      expect(result).toMatchObject({ text: "It is warm", finish: "stop" })
      expect(micros(result)).toBe(30_000)
      expect(result.steps.map((step) => [step.number, micros(step), step.uses])).toEqual([
        [1, 10_000, [{ name: "weather", arguments: { city: "Paris" }, output: { city: "Paris", degrees: 21 } }]],
        [2, 20_000, []]
      ])
      const [first] = gateway.calls(chatCompletions)
      expect(first?.input).toMatchObject({
        tools: [
          {
            type: "function",
            function: {
              name: "weather",
              description: "The weather in a city",
              parameters: { type: "object", required: ["city"] }
            }
          }
        ]
      })
      expect(added(gateway)).toMatchObject([
        { role: "assistant", tool_calls: [{ id: "id_weather" }] },
        { role: "tool", tool_call_id: "id_weather", content: '{"city":"Paris","degrees":21}' }
      ])
      gateway.check()
    }).pipe(on(gateway))
  })

  it.effect("OpenAI's Responses", () => {
    const gateway = scriptedGateway()
    responsesStyle.answer(gateway, asks(paris), answers)
    return Effect.gen(function* () {
      const result = yield* runTools(responses, [weather], responsesStyle.input)
      expect(result).toMatchObject({ text: "It is warm", finish: "stop" })
      const [first, second] = gateway.calls(responses)
      expect(first?.input).toMatchObject({
        tools: [{ type: "function", name: "weather", parameters: { type: "object" }, strict: false }]
      })
      expect((second?.input as { readonly input?: unknown } | undefined)?.input).toMatchObject([
        { role: "user" },
        { type: "reasoning", encrypted_content: "e" },
        { type: "function_call", call_id: "id_weather" },
        { type: "function_call_output", call_id: "id_weather", output: '{"city":"Paris","degrees":21}' }
      ])
      gateway.check()
    }).pipe(on(gateway))
  })

  it.effect("Anthropic, also if it pauses its turn", () => {
    const gateway = scriptedGateway()
    anthropicStyle.answer(gateway, { text: "Let me see", finish: "pause" }, asks(paris), answers)
    return Effect.gen(function* () {
      const result = yield* runTools(messages, [weather], anthropicStyle.input)
      expect(result.text).toBe("It is warm")
      const [first, , last] = gateway.calls(messages)
      expect(first?.input).toMatchObject({ tools: [{ name: "weather", input_schema: { type: "object" } }] })
      expect((last?.input as typeof anthropicStyle.input | undefined)?.messages.slice(1)).toMatchObject([
        { role: "assistant", content: [{ type: "text", text: "Let me see" }] },
        { role: "assistant", content: [{ type: "tool_use", id: "id_weather" }] },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "id_weather", content: '{"city":"Paris","degrees":21}' }]
        }
      ])
    }).pipe(on(gateway))
  })

  it.effect("Gemini", () => {
    const gateway = scriptedGateway()
    geminiStyle.answer(gateway, asks(paris), answers)
    return Effect.gen(function* () {
      const result = yield* runTools(generateContent, [weather], geminiStyle.input)
      expect(result.text).toBe("It is warm")
      const [first, last] = gateway.calls(generateContent)
      expect(first?.input.body).toMatchObject({
        tools: [{ functionDeclarations: [{ name: "weather", parametersJsonSchema: { type: "object" } }] }]
      })
      expect((last?.input as typeof geminiStyle.input | undefined)?.body.contents.slice(1)).toMatchObject([
        { role: "model", parts: [{ functionCall: { name: "weather" } }] },
        {
          role: "user",
          parts: [{ functionResponse: { name: "weather", response: { output: { city: "Paris", degrees: 21 } } } }]
        }
      ])
    }).pipe(on(gateway))
  })
})

describe("tools that are asked for together", () => {
  it.effect("run at the same time, and their results keep the order", () => {
    const gateway = scriptedGateway()
    chat.answer(gateway, asks({ name: "a", arguments: {} }, { name: "b", arguments: {} }), answers)
    return Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const a = tool({
        name: "a",
        schema: Schema.Struct({ x: Schema.optionalKey(Schema.String) }),
        run: () => Effect.as(Deferred.await(started), "first")
      })
      const b = tool({
        name: "b",
        schema: Schema.Struct({ x: Schema.optionalKey(Schema.String) }),
        run: () => Effect.as(Deferred.succeed(started, undefined), "second")
      })
      const { steps } = yield* loop([a, b])
      expect(steps[0]?.uses.map(({ output }) => output)).toEqual(["first", "second"])
      expect(
        added(gateway)
          .slice(1)
          .map(({ content }) => content)
      ).toEqual(["first", "second"])
    }).pipe(on(gateway))
  })
})

describe("a tool that fails", () => {
  class Closed extends Data.TaggedError("Closed")<{ readonly message: string }> {}
  const closed = tool({
    name: "weather",
    schema: City,
    run: () => Effect.fail(new Closed({ message: "closed today" }))
  })

  for (const [what, tools, requested, told] of [
    ["fails", [closed], paris, "closed today"],
    [
      "rejects",
      [tool({ name: "weather", schema: City, run: () => Promise.reject(new Error("no network")) })],
      paris,
      "no network"
    ],
    [
      "throws",
      [
        tool({
          name: "weather",
          schema: City,
          run: () => {
            throw new Error("broken")
          }
        })
      ],
      paris,
      "broken"
    ],
    ["returns what is not JSON", [tool({ name: "weather", schema: City, run: async () => 1n })], paris, "BigInt"],
    ["gets invalid arguments", [weather], { name: "weather", arguments: { city: 7 } }, "city: "],
    ["gets arguments that are not JSON", [weather], { name: "weather", arguments: "{city" }, "not valid"],
    ["does not exist", [weather], { name: "climate", arguments: {} }, "no such tool"]
  ] as const) {
    it.effect(`the model is told if it ${what}, and the loop goes on`, () => {
      const gateway = scriptedGateway()
      chat.answer(gateway, asks(requested), answers)
      return Effect.gen(function* () {
        const { steps, text } = yield* loop(tools)
        expect(text).toBe("It is warm")
        expect(steps[0]?.uses[0]?.error).toContain(told)
        expect(String(added(gateway)[1]?.["content"])).toMatch(/^\{"error":/)
        expect(String(added(gateway)[1]?.["content"])).toContain(told)
      }).pipe(on(gateway))
    })
  }

  it.effect("Anthropic and Gemini are told in their own way", () => {
    const gateway = scriptedGateway()
    anthropicStyle.answer(gateway, asks(paris), answers)
    geminiStyle.answer(gateway, asks(paris), answers)
    return Effect.gen(function* () {
      yield* runTools(messages, [closed], anthropicStyle.input)
      expect(JSON.stringify(gateway.calls(messages)[1]?.input)).toContain('"content":"closed today","is_error":true')
      yield* runTools(generateContent, [closed], geminiStyle.input)
      expect(JSON.stringify(gateway.calls(generateContent)[1]?.input)).toContain('"response":{"error":"closed today"}')
    }).pipe(on(gateway))
  })

  it.effect("stops the loop if asked to, with the step that was paid for", () => {
    const gateway = scriptedGateway()
    chat.answer(gateway, asks(paris), answers)
    return Effect.gen(function* () {
      const error = yield* Effect.flip(loop([closed], { onToolError: "stop" }))
      if (!(error instanceof ToolFailed)) throw error
      expect(error).toMatchObject({ tool: "weather", message: "closed today", cause: { _tag: "Closed" } })
      expect([error.steps.length, micros(error)]).toEqual([1, 10_000])
      // Resuming tells the model, and goes on without paying for the first step again.
      const { resume } = error
      expect((yield* runTools(chatCompletions, [closed], resume.input as typeof chat.input)).text).toBe("It is warm")
      gateway.check()
    }).pipe(on(gateway))
  })
})
