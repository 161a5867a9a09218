import { expect, layer } from "@effect/vitest"
import { callTool } from "@tollgate/testing/tools/agent"
import { servedSandbox } from "@tollgate/testing/tools/served"
import * as Effect from "effect/Effect"

type Json = Readonly<Record<string, unknown>>

const question = "Why do rivers bend?"
const use = (operation_id: string, input: Json) =>
  Effect.map(callTool("use", { operation_id, arguments: input, max_price_usd: 0.5 }), ({ content }) => content)

const bounds = { openai: "max_tokens", responses: "max_output_tokens" }
const chat = { model: "sandbox", messages: [{ role: "user", content: question }] }
const contents = [{ role: "user", parts: [{ text: question }] }]

layer(servedSandbox(), { excludeTestServices: true })("a call that asks for a stream", (it) => {
  it.effect.each<readonly [string, Json]>([
    ["chat.completions", { ...chat, [bounds.openai]: 60, stream_options: { include_usage: true } }],
    ["messages", { ...chat, [bounds.openai]: 60 }],
    ["responses", { model: "sandbox", input: question, [bounds.responses]: 60, store: false }]
  ])("gets one answer, as %s gives without it", ([id, input]) =>
    Effect.gen(function* () {
      const whole = yield* use(id, { ...input, stream_options: undefined })
      const asked = yield* use(id, { ...input, stream: true })
      expect(asked).toMatchObject({ status: 200, body_encoding: "json", cost: whole["cost"] as unknown })
      expect(asked["error"]).toBeUndefined()
      expect(Object.keys(asked["body"] as Json)).toEqual(Object.keys(whole["body"] as Json))
    })
  )

  it.effect("gets the events of an operation that can only stream, and learns that the cap cut it off", () =>
    Effect.gen(function* () {
      const params = { operation_id: "models.stream_generate_content", arguments: { model: "sandbox", contents } }
      const { content } = yield* callTool("use", { ...params, max_price_usd: 0.0008 })
      expect(content).toMatchObject({ status: 200, body_encoding: "events", limited_by_cap: true })
      expect((content["body"] as ReadonlyArray<unknown>).length).toBeGreaterThan(1)
      expect(content["cost"]).toMatchObject({ state: "settled" })
    })
  )
})
