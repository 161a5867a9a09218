import { describe, expect, it } from "@effect/vitest"
import {
  chatCompletions,
  chatCompletionsStream,
  type Client,
  generateContent,
  messages,
  quote,
  responses
} from "@tollgate/client"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { json, respond, scripted } from "./scripted.ts"

/** As a program without types may write it. */
const chat = (fields: object) => ({ model: "m", messages: [{ role: "user" as const, content: "?" }], ...fields })
const gemini = (fields: object) => ({
  path: { model: "m" },
  body: { contents: [{ role: "user" as const, parts: [{ text: "?" }] }], ...fields }
})

type Called = Effect.Effect<unknown, unknown, Client>

const outcome = (called: Called) => {
  const answer = { choices: [], output: [], content: [], candidates: [] }
  const { layer, sent } = scripted(respond(200, JSON.stringify(answer), json))
  return Effect.map(Effect.result(called.pipe(Effect.provide(layer))), (result) => ({ result, sent: sent.length }))
}

describe("a misspelt limit of the output is refused before anything is sent", () => {
  it.effect.each<[string, Called, string, string]>([
    ["a call", chatCompletions(chat({ max_token: 5 })), "max_token", "max_tokens"],
    ["a stream", Stream.runDrain(chatCompletionsStream(chat({ maxTokens: 5 }))), "maxTokens", "max_tokens"],
    ["a quote", quote(chatCompletions, chat({ max_tokesn: 5 })), "max_tokesn", "max_tokens"],
    [
      "a longer name",
      chatCompletions(chat({ max_completion_token: 5 })),
      "max_completion_token",
      "max_completion_tokens"
    ],
    ["Anthropic's", messages(chat({ max_tokens: 5, max_token: 5 }) as never), "max_token", "max_tokens"],
    [
      "responses",
      responses({ model: "m", input: "?", maxOutputTokens: 5 } as never),
      "maxOutputTokens",
      "max_output_tokens"
    ],
    [
      "Gemini's",
      generateContent(gemini({ generationConfig: { maxOutputToken: 5 } })),
      "maxOutputToken",
      "maxOutputTokens"
    ],
    ["an object around it", generateContent(gemini({ generationConfg: {} })), "generationConfg", "generationConfig"]
  ])("%s", ([, called, wrong, meant]) =>
    Effect.gen(function* () {
      expect(yield* outcome(called)).toMatchObject({
        result: {
          failure: {
            _tag: "InputInvalid",
            outcome: "not executed",
            message: `${wrong}: did you mean ${meant}? The option \`extra\` sends it as it is`
          }
        },
        sent: 0
      })
    })
  )
})

describe("what is sent", () => {
  it.effect.each<[string, Called]>([
    ["the field in extra", chatCompletions(chat({}), { extra: { max_token: 5 } })],
    ["both limits", chatCompletions(chat({ max_tokens: 5, max_completion_tokens: 5 }))],
    ["fields of other models", chatCompletions(chat({ min_tokens: 1, max_time: 3, top_k: 4, tokens: 5 }))],
    ["Gemini's other spelling", generateContent(gemini({ generation_config: { max_output_tokens: 5 } }))]
  ])("%s", ([, called]) =>
    Effect.gen(function* () {
      expect(yield* outcome(called)).toMatchObject({ result: { _tag: "Success" }, sent: 1 })
    })
  )
})
