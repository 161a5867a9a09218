import { describe, expect, it } from "@effect/vitest"
import { byProtocol, defaultOutputLimit } from "@tollgate/contract/price/modelPrices"
import { nano } from "@tollgate/contract/Money"
import { estimate } from "@tollgate/contract/price/contracts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import { bills, post, styles, withBillingLog } from "./talk.ts"

const million = nano(1_000_000n)
const model = { input: million, output: million, cacheRead: million, cacheWrite: million }

/** The gateway's maximum for a request, with each token at a nano-USD. */
const most = (request: object, limits: (typeof byProtocol)[keyof typeof byProtocol]["outputLimit"]): number => {
  const price = {
    contract: "model_tokens",
    models: { sandbox: model },
    outputLimit: limits,
    defaultOutputLimit,
    choices: []
  } as const
  return Number(Option.getOrThrow(estimate(price, { ...request, model: "sandbox" })).most)
}

const text = fc.oneof(fc.string({ unit: "grapheme" }), fc.lorem(), fc.constantFrom("", "a", "\ud800", "👩‍👩‍👧‍👦"))
const limit = fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined })
const schema = fc.constantFrom({}, { type: "object", required: ["a", "b"] }, { type: "object", properties: { "": {} } })
const image = { type: "image_url", image_url: { url: "x" } }

describe("what is billed", () => {
  it.effect("never exceeds the maximum that a gateway reserves", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(text, text, limit, schema, fc.boolean(), async (first, second, limit, parameters, tooled) => {
          const calls = [
            {
              style: styles.chat,
              limits: byProtocol.openai.outputLimit,
              body: {
                messages: [
                  { role: "assistant" },
                  { role: "user", content: [{ type: "text", text: first }, image, { type: "file" }] },
                  { role: "user", content: second }
                ],
                model: "sandbox",
                max_tokens: limit,
                ...(tooled ? { tools: [{ type: "function", function: { name: "f", parameters } }] } : {})
              }
            },
            {
              style: styles.responses,
              limits: byProtocol.responses.outputLimit,
              body: {
                input: [
                  { role: "user", content: [{ type: "input_text", text: first }, { type: "input_image" }] },
                  { type: "function_call", call_id: "c", name: "f", arguments: first },
                  { type: "function_call_output", call_id: "c", output: second }
                ],
                instructions: second,
                model: "sandbox",
                max_output_tokens: limit,
                reasoning: { effort: "high" },
                ...(tooled ? { tools: [{ type: "function", name: "f", parameters }] } : {})
              }
            },
            {
              style: styles.messages,
              limits: byProtocol.anthropic.outputLimit,
              body: {
                messages: [{ role: "user", content: [{ type: "text", text: first }, { type: "image" }] }],
                system: second,
                model: "sandbox",
                max_tokens: limit ?? 4096,
                ...(tooled ? { tools: [{ name: "f", input_schema: parameters }] } : {})
              }
            },
            {
              style: styles.gemini,
              limits: byProtocol.gemini.outputLimit,
              body: {
                contents: [{ parts: [{ text: first }, { fileData: {} }] }, { parts: [{ text: second }] }],
                generationConfig: { maxOutputTokens: limit },
                ...(tooled ? { tools: [{ functionDeclarations: [{ name: "f", parameters }] }] } : {})
              }
            }
          ]
          for (const { body, limits, style } of calls) {
            const [bill] = await Effect.runPromise(withBillingLog(Effect.andThen(post(style.path, body), bills)))
            const total = Object.values(bill!.billed).reduce((sum, count) => sum + count, 0)
            expect(total).toBeLessThanOrEqual(most(body, limits))
            if (limit !== undefined) expect(bill!.billed["output"]).toBeLessThanOrEqual(limit)
          }
        }),
        { numRuns: 60 }
      )
    )
  )
})
