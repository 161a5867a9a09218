import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { count } from "../src/text/tokens.ts"
import { bills, eventsOf, post, styles, talk, weather, withBillingLog } from "./talk.ts"

interface Response {
  readonly candidates: ReadonlyArray<{
    readonly index: number
    readonly finishReason?: string
    readonly content: {
      readonly role: string
      readonly parts: ReadonlyArray<{ text?: string; functionCall?: { name: string; args: Record<string, unknown> } }>
    }
  }>
  readonly usageMetadata: Record<
    "promptTokenCount" | "candidatesTokenCount" | "totalTokenCount" | "cachedContentTokenCount",
    number
  >
}

const { body, path } = styles.gemini
const array = "/v1beta/models/sandbox:streamGenerateContent"
const question = "Which river in Africa is the longest?"
const ask = (more: object = {}, headers: Record<string, string> = {}) =>
  Effect.map(talk<Response>(path, body(question, more), headers), (answer) => answer.body)
const textOf = ({ candidates }: Response) => candidates[0]!.content.parts.map(({ text }) => text).join("")
const tools = [{ functionDeclarations: [{ name: "weather", parameters: { ...weather, type: "OBJECT" } }] }]

describe("gemini", () => {
  it.effect("an answer has Gemini's format and bills its reported usage", () =>
    withBillingLog(
      Effect.gen(function* () {
        const answer = yield* ask()
        const [input, output] = [3 + count(question), count(textOf(answer))]
        expect(answer).toMatchObject({
          candidates: [{ index: 0, finishReason: "STOP", content: { role: "model" } }],
          usageMetadata: { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output },
          modelVersion: "sandbox",
          responseId: expect.any(String)
        })
        expect(answer.usageMetadata).not.toHaveProperty("cachedContentTokenCount")
        expect(textOf(answer)).toMatch(/river|Africa|longest/)
        const billed = { input, output, cacheRead: 0, cacheWrite: 0 }
        expect(yield* bills).toEqual([{ operation: "models.generate_content", billed }])
      })
    )
  )

  it.effect("output limits and stop sequences work in both spellings", () =>
    withBillingLog(
      Effect.gen(function* () {
        const whole = textOf(yield* ask())
        for (const limited of [
          { generationConfig: { maxOutputTokens: 5 } },
          { generation_config: { max_output_tokens: 5 } }
        ]) {
          const answer = yield* ask(limited)
          expect(answer.candidates[0]!.finishReason).toBe("MAX_TOKENS")
          expect(answer.usageMetadata.candidatesTokenCount).toBe(5)
          expect(whole.startsWith(textOf(answer))).toBe(true)
        }
        const word = whole.split(" ")[3]!
        const stopped = yield* ask({ generationConfig: { stopSequences: [word] } })
        expect(textOf(stopped)).toBe(whole.slice(0, whole.indexOf(word)).trimEnd())
        const two = yield* ask({ generationConfig: { candidateCount: 2 } })
        expect(two.candidates.map(({ index }) => index)).toEqual([0, 1])
        const json = yield* ask({
          generationConfig: { responseMimeType: "application/json", responseSchema: { ...weather, type: "OBJECT" } }
        })
        expect(Object.keys(JSON.parse(textOf(json)) as object)).toEqual(["city", "unit"])
        expect((yield* ask({ system_instruction: { parts: [{ text: "be brief" }] } })).usageMetadata).toMatchObject({
          promptTokenCount: 3 + count(question) + 2
        })
      })
    )
  )

  it.effect("it calls a function and quotes its result", () =>
    withBillingLog(
      Effect.gen(function* () {
        const called = yield* ask({ tools })
        expect(called.candidates[0]).toMatchObject({
          finishReason: "STOP",
          content: { parts: [{ functionCall: { name: "weather", args: { unit: expect.stringMatching(/^[cf]$/) } } }] }
        })
        const none = { tools, toolConfig: { functionCallingConfig: { mode: "NONE" } } }
        expect(textOf(yield* ask(none))).toMatch(/river|Africa|longest/)
        const two = [{ function_declarations: [{ name: "a" }, { name: "b" }] }]
        const allowed = { function_calling_config: { mode: "ANY", allowed_function_names: ["b"] } }
        const chosen = yield* ask({ tools: two, tool_config: allowed })
        expect(chosen.candidates[0]!.content.parts[0]!.functionCall).toEqual({ name: "b", args: {} })
        const contents = [
          { role: "user", parts: [{ text: question }] },
          { role: "model", parts: [{ functionCall: { name: "weather", args: {} } }] },
          { role: "user", parts: [{ functionResponse: { name: "weather", response: { length: [6650, "km"] } } }] }
        ]
        expect(textOf(yield* ask({ tools, contents }))).toContain("6650 km")
      })
    )
  )

  it.effect("cached tokens are part of the prompt", () =>
    withBillingLog(
      Effect.gen(function* () {
        const prompt = (yield* ask()).usageMetadata.promptTokenCount
        const { usageMetadata } = yield* ask({}, { "x-tollgate-scenario": "cached; tokens=4" })
        expect(usageMetadata).toMatchObject({ promptTokenCount: prompt, cachedContentTokenCount: 4 })
        expect((yield* bills).at(-1)!.billed).toMatchObject({ input: prompt - 4, cacheRead: 4 })
      })
    )
  )

  it.effect("a stream reports usage so far, as events or as one array", () =>
    withBillingLog(
      Effect.gen(function* () {
        const whole = yield* ask()
        const sse = yield* post(`${array}?key=x&alt=sse`, body(question))
        const json = yield* post(array, body(question))
        expect([sse.headers["content-type"], json.headers["content-type"]]).toEqual([
          "text/event-stream",
          "application/json"
        ])
        const events = eventsOf(sse.text).map(({ data }) => JSON.parse(data) as Response)
        const items = JSON.parse(json.text) as ReadonlyArray<Response>
        for (const responses of [events, items]) {
          expect(responses.map(textOf).join("")).toBe(textOf(whole))
          let output = 0
          for (const response of responses) {
            output += count(textOf(response))
            expect(response.usageMetadata.candidatesTokenCount).toBe(output)
          }
          expect(responses.at(-1)!.usageMetadata).toEqual(whole.usageMetadata)
          expect(responses.map(({ candidates }) => candidates[0]!.finishReason)).toEqual([
            ...responses.slice(1).map(() => undefined),
            "STOP"
          ])
        }
        const [atOnce, ...streamed] = yield* bills
        for (const { billed, operation } of streamed)
          expect([operation, billed]).toEqual(["models.stream_generate_content", atOnce!.billed])
      })
    )
  )

  it.effect("a stream has each function call in one event", () =>
    withBillingLog(
      Effect.gen(function* () {
        const items = JSON.parse((yield* post(array, body(question, { tools }))).text) as ReadonlyArray<Response>
        const calls = items.flatMap(({ candidates }) => candidates[0]!.content.parts[0]!.functionCall ?? [])
        expect(calls).toEqual([(yield* ask({ tools })).candidates[0]!.content.parts[0]!.functionCall])
      })
    )
  )
})
