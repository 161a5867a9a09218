import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ask } from "./ask.ts"
import { bills, eventsOf, post, styles, talk, withBillingLog } from "./talk.ts"

describe("models", () => {
  it.effect("are listed in both formats, free of charge", () =>
    withBillingLog(
      Effect.gen(function* () {
        const list = (path: string) => Effect.map(ask({}, {}, { path, method: "GET" }), ({ text }) => JSON.parse(text))
        const openai = (yield* list("/v1/models")) as { object: string; data: ReadonlyArray<{ id: string }> }
        const gemini = (yield* list("/v1beta/models")) as { models: ReadonlyArray<{ name: string }> }
        expect(openai.object).toBe("list")
        expect(openai.data.map(({ id }) => id)).toEqual(["sandbox", "sandbox-video", "rerank"])
        expect(openai.data[0]).toMatchObject({ object: "model", created: expect.any(Number), owned_by: "sandbox" })
        expect(gemini.models.map(({ name }) => name)).toEqual([
          "models/sandbox",
          "models/sandbox-video",
          "models/rerank"
        ])
        expect(yield* bills).toEqual([])
      })
    )
  )
})

describe("deep research", () => {
  const { body, path } = styles.research
  interface Answer {
    readonly citations: ReadonlyArray<string>
    readonly usage: {
      readonly prompt_tokens: number
      readonly completion_tokens: number
      readonly total_tokens: number
    }
    readonly choices: ReadonlyArray<{
      readonly message: {
        readonly content: string
        readonly annotations: ReadonlyArray<{
          readonly url_citation: { readonly url: string; readonly start_index: number; readonly end_index: number }
        }>
      }
    }>
  }

  it.effect("cites its sources at the right positions", () =>
    withBillingLog(
      Effect.gen(function* () {
        const answer = (yield* talk<Answer>(path, body("Why do rivers bend?"))).body
        const { annotations, content } = answer.choices[0]!.message
        expect(annotations.map(({ url_citation }) => url_citation.url)).toEqual(answer.citations)
        expect(new Set(answer.citations).size).toBe(3)
        expect(
          annotations.map(({ url_citation: { end_index, start_index } }) => content.slice(start_index, end_index))
        ).toEqual(["[1]", "[2]", "[3]"])
        const { completion_tokens, prompt_tokens, total_tokens } = answer.usage
        expect(total_tokens).toBe(prompt_tokens + completion_tokens)
        const billed = { input: prompt_tokens, output: completion_tokens, cacheRead: 0, cacheWrite: 0 }
        expect(yield* bills).toEqual([{ operation: "deep_research.search", billed }])
        const events = eventsOf((yield* post(path, body("Why do rivers bend?", { stream: true }))).text)
        expect(JSON.parse(events.at(-2)!.data)).toMatchObject({ citations: answer.citations })
        expect((yield* bills)[1]!.billed).toEqual(billed)
      })
    )
  )
})
