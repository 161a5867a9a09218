import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { TestGateway } from "@tollgate/testing"
import { calls } from "@tollgate/testing/models"
import { post, protocols, quote, withModels } from "@tollgate/testing/hostile/models"

const photo = "A".repeat(4_000_000)
const small = "A".repeat(300_000)

const images = {
  openai: (data: string) => ({ type: "image_url", image_url: { url: `data:image/jpeg;base64,${data}` } }),
  anthropic: (data: string) => ({ type: "image", source: { type: "base64", media_type: "image/jpeg", data } }),
  gemini: (data: string) => ({ inlineData: { mimeType: "image/jpeg", data } })
}

const byUrl = {
  openai: { type: "image_url", image_url: { url: "https://example.com/a.jpg" } },
  anthropic: { type: "image", source: { type: "url", url: "https://example.com/a.jpg" } },
  gemini: { fileData: { mimeType: "image/jpeg", fileUri: "https://example.com/a.jpg" } }
}

const names = ["openai", "anthropic", "gemini"] as const

for (const name of names) {
  const { body, path, text } = protocols[name]

  describe(`a photo: ${name}`, () => {
    it.live("of 4 MB costs what the model's figure for an image says, and is let through", () =>
      withModels(() =>
        Effect.gen(function* () {
          const request = body([...text("what is this?"), images[name](photo)], { max_tokens: 10 })
          const { estimate_micros_usd, max_micros_usd } = yield* quote(path, request)
          // 700 tokens for the image, 1,000 of output at 10 micro-USD, and a few for the text.
          expect(max_micros_usd).toBeLessThan(700 + 10_000 + 300)
          expect(estimate_micros_usd).toBeGreaterThanOrEqual(700)
          expect((yield* post(path, request)).status).toBe(200)
        })
      )
    )

    it.live("of 300 KB leaves tokens for further calls", () =>
      withModels(
        () =>
          Effect.gen(function* () {
            const { account, accounts } = yield* TestGateway
            yield* accounts.change(account, { tpm: 10_000 })
            const request = body([images[name](small)])
            for (let i = 0; i < 5; i++) expect((yield* post(path, request)).status).toBe(200)
          }),
        { limits: true }
      )
    )

    it.live("by address costs the model's figure, too, unless only the caller says that it is one", () =>
      withModels(() =>
        Effect.gen(function* () {
          const without = yield* quote(path, body(text("what is this?")))
          const with3 = yield* quote(path, body([...text("what is this?"), byUrl[name], byUrl[name], byUrl[name]]))
          const more = with3.max_micros_usd - without.max_micros_usd
          expect(more).toBeGreaterThanOrEqual(name === "gemini" ? 99_000 : 2_100)
          expect(more).toBeLessThan(name === "gemini" ? 100_000 : 2_600)
        })
      )
    )
  })

  it.live(`text in fields that nobody knows counts: ${name}`, () =>
    withModels(() =>
      Effect.gen(function* () {
        const hidden = "word ".repeat(10_000)
        const plain = yield* quote(path, body(text("why?")))
        const more = yield* quote(path, body(text("why?"), { instruction: { deep: [hidden] } }))
        expect(more.max_micros_usd - plain.max_micros_usd).toBeGreaterThanOrEqual(50_000)
        expect(more.estimate_micros_usd - plain.estimate_micros_usd).toBeGreaterThanOrEqual(12_500)
      })
    )
  )

  /** A function of the caller's own, in the format's words. */
  const toolWith = (parameters: unknown) =>
    name === "gemini" ? { functionDeclarations: [{ parameters }] } : { function: { parameters } }

  it.live(`text that looks like an image where a model reads text counts as text: ${name}`, () =>
    withModels(() =>
      Effect.gen(function* () {
        const plain = yield* quote(path, body(text("why?")))
        for (const disguised of [
          body(text("why?"), { tools: [toolWith(images[name](small))] }),
          body(text("why?"), { image_url: { url: `data:image/png;base64,${small}` } }),
          body([{ type: "tool_use", input: images[name](small) }]),
          body([{ functionCall: { args: images[name](small) } }]),
          body([{ inlineData: { mimeType: "text/plain", data: small } }]),
          body([{ type: "document", source: { type: "text", media_type: "text/plain", data: small } }]),
          body([{ type: "image_url", image_url: { url: small } }])
        ]) {
          const asked = yield* quote(path, disguised)
          expect(asked.max_micros_usd, JSON.stringify(disguised).slice(0, 200)).toBe(110_000)
          expect(asked.estimate_micros_usd - plain.estimate_micros_usd).toBeGreaterThan(70_000)
        }
      })
    )
  )

  it.live(`no input costs more than the context window, no output more than the model's largest: ${name}`, () =>
    withModels(() =>
      Effect.gen(function* () {
        const limit = { max_tokens: 900_000, generationConfig: { maxOutputTokens: 900_000 } }
        const { max_micros_usd } = yield* quote(path, body(text("word ".repeat(200_000)), limit))
        expect(max_micros_usd).toBe(100_000 + 10_000)
      })
    )
  )

  it.live(`a quote at the extremes is never an error of the gateway: ${name}`, () =>
    withModels(() =>
      Effect.gen(function* () {
        for (const extreme of [9007199254740991, 9007199254740992, 1e308, -1, 0, 0.5, "9007199254740991", null]) {
          const request = body(text("why?"), {
            n: extreme,
            max_tokens: extreme,
            max_completion_tokens: extreme,
            generationConfig: { maxOutputTokens: extreme, candidateCount: extreme }
          })
          const answer = yield* post(path, request, { "x-tollgate-cost-mode": "quote" })
          expect([200, 400], answer.text).toContain(answer.status)
          expect([200, 400, 402], answer.text).toContain((yield* post(path, request)).status)
        }
      })
    )
  )
}

describe("a rerank", () => {
  it.live("costs the text of all its fields", () =>
    withModels(() =>
      Effect.gen(function* () {
        const request = { query: "which?", documents: ["a", "b"], instruction: "word ".repeat(60_000) }
        const { estimate_micros_usd, max_micros_usd } = yield* quote("/v1/rerank", request)
        // 0.05 micro-USD a token. Each document may be read with the instruction.
        expect(estimate_micros_usd).toBeGreaterThanOrEqual(3_750)
        expect(max_micros_usd).toBeGreaterThanOrEqual(30_000)
      })
    )
  )
})

describe("images", () => {
  const path = "/v1/images/generations"
  const each: ReadonlyArray<readonly [request: object, micros: number]> = [
    [{}, 40_000],
    [{ n: 3 }, 120_000],
    [{ n: null }, 40_000],
    [{ size: "512x512", n: 2 }, 40_000],
    [{ size: "1024x1024", quality: "hd" }, 80_000],
    [{ quality: "hd", n: 2 }, 160_000],
    [{ size: "4096x4096" }, 80_000]
  ]

  it.live("cost by number, size and quality, in the quote as in the charge; an unknown size costs the most", () =>
    withModels(() =>
      Effect.gen(function* () {
        for (const [request, micros] of each) {
          const asked = { prompt: "a river", ...request }
          expect(yield* quote(path, asked), JSON.stringify(asked)).toMatchObject({
            estimate_micros_usd: micros,
            max_micros_usd: micros
          })
          const answer = yield* post(path, asked)
          expect([answer.status, answer.headers["x-tollgate-cost-micros-usd"]]).toEqual([200, String(micros)])
        }
      })
    )
  )

  it.live("in a number that is no number are refused", () =>
    withModels((received) =>
      Effect.gen(function* () {
        for (const n of [0, -1, 1.5, "2", 1e300, true, [3], {}]) {
          const answer = yield* post(path, { prompt: "a river", n })
          expect([answer.status, answer.text.includes('"n')], `${JSON.stringify(n)}`).toEqual([400, true])
        }
        expect(received).toHaveLength(0)
      })
    )
  )
})

describe("a video", () => {
  const path = "/apis/v1/services/aigc/video-generation/video-synthesis"
  const asked = (parameters: object) => ({ model: "v", input: { prompt: "a river" }, parameters })

  it.live("costs by seconds and resolution", () =>
    withModels(() =>
      Effect.gen(function* () {
        const headers = { "x-tollgate-async": "enable" }
        for (const [parameters, micros] of [
          [{}, 500_000],
          [{ duration: 8 }, 800_000],
          [{ duration: 8, resolution: "480P" }, 400_000],
          [{ duration: 2, resolution: "8K" }, 200_000]
        ] as const) {
          expect(yield* quote(path, asked(parameters), headers)).toMatchObject({ max_micros_usd: micros })
        }
        expect((yield* post(path, asked({ duration: 8 }), headers)).status).toBe(200)
        const [call] = yield* calls
        expect(call?.reserved).toBe(800_000)
        for (const duration of ["8", 7.5, 0]) {
          expect((yield* post(path, asked({ duration }), headers)).status).toBe(400)
        }
      })
    )
  )
})

describe("the basis of a quote", () => {
  it.live("says the price and the account's multiplier", () =>
    withModels(() =>
      Effect.gen(function* () {
        const { account, accounts } = yield* TestGateway
        yield* accounts.change(account, { multiplier: 1_200_000n })
        const { body, path, text } = protocols.openai
        expect((yield* quote(path, body(text("why?")))).basis).toMatch(
          /^\$1 in, \$10 out \/ 1M tokens, times 1\.2 for this account; the estimate assumes/
        )
        expect((yield* quote("/v1/rerank", { query: "q", documents: ["d"] })).basis).toMatch(
          /^\$0\.05 \/ 1M tokens, times 1\.2 for this account; /
        )
        expect((yield* quote("/v1/images/generations", { prompt: "p", n: 3 })).basis).toBe(
          "$0.04 / image, for 3 images, times 1.2 for this account"
        )
      })
    )
  )
})
