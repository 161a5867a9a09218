import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { calls } from "@tollgate/testing/models"
import { capOf, post, protocols, quote, withModels } from "@tollgate/testing/hostile/models"

const read = (body: string | undefined, path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>(
    (value, name) => (value as Record<string, unknown> | undefined)?.[name],
    JSON.parse(body ?? "{}")
  )

/** A byte of text is at most one token. Names count too. */
const textBytes = (value: unknown): number => {
  if (typeof value === "string") return Buffer.byteLength(value)
  if (typeof value !== "object" || value === null) return 0
  return Object.entries(value).reduce(
    (sum, [name, inner]) => sum + (Array.isArray(value) ? 0 : Buffer.byteLength(name)) + textBytes(inner),
    0
  )
}

const codeIn = (text: string): boolean => /over_cap|billing_error|FAILED_PRECONDITION/.test(text)

for (const [name, { body, bound, path, text }] of Object.entries(protocols)) {
  describe(`a cap on a call without an output bound: ${name}`, () => {
    const request = body(text("why do rivers bend?"))
    const input = textBytes(request)

    it.live("the upstream gets the bound that the cap pays for", () =>
      withModels((received) =>
        Effect.gen(function* () {
          // 1 micro-USD for a token of input, 10 for one of output.
          const answer = yield* post(path, request, capOf("0.0042"))
          expect(answer.status, answer.text).toBe(200)
          expect(read(received[0]?.body, bound)).toBe(Math.floor((4_200 - input) / 10))
          const [call] = yield* calls
          expect(call?.reserved).toBeLessThanOrEqual(4_200)
          expect(call?.charged).toBe(320)
        })
      )
    )

    it.live("all other bytes stay as they were sent", () =>
      withModels((received) =>
        Effect.gen(function* () {
          const odd = JSON.stringify(request).replace("{", '{ "seed" :1.0e2,"x":"\\u0041 €",\n').replace(/\}$/, " } ")
          expect((yield* post(path, odd, capOf("0.005"))).status).toBe(200)
          const value = read(received[0]?.body, bound)
          const inserted = bound.reduceRight((json, key) => `{${JSON.stringify(key)}:${json}}`, String(value))
          expect(received[0]?.body).toBe(odd.replace(/ \} $/, `,${inserted.slice(1, -1)} } `))
        })
      )
    )

    it.live("the bound is never above the model's largest output", () =>
      withModels((received) =>
        Effect.gen(function* () {
          yield* post(path, request, capOf("4"))
          expect(read(received[0]?.body, bound)).toBe(1_000)
        })
      )
    )

    it.live("without a cap nothing is added", () =>
      withModels((received) =>
        Effect.gen(function* () {
          yield* post(path, request)
          expect(received[0]?.body).toBe(JSON.stringify(request))
        })
      )
    )

    it.live("402 if the cap does not pay for the input, or not for one token after it", () =>
      withModels((received) =>
        Effect.gen(function* () {
          for (const micros of [0, 1, input - 1, input, input + 9]) {
            const answer = yield* post(path, request, capOf((micros / 1e6).toFixed(6)))
            expect([answer.status, codeIn(answer.text)], `${micros}`).toEqual([402, true])
          }
          expect(received).toHaveLength(0)
          expect((yield* post(path, request, capOf(((input + 10) / 1e6).toFixed(6)))).status).toBe(200)
          expect(read(received[0]?.body, bound)).toBe(1)
        })
      )
    )

    it.live("402 if the cap does not pay for the caller's own bound, and the bound stays if it does", () =>
      withModels((received) =>
        Effect.gen(function* () {
          const own = (limit: number) =>
            JSON.stringify(
              body(text("why?"), bound.reduceRight<unknown>((inner, key) => ({ [key]: inner }), limit) as object)
            )
          expect((yield* post(path, own(900), capOf("0.005"))).status).toBe(402)
          expect(received).toHaveLength(0)
          expect((yield* post(path, own(300), capOf("0.005"))).status).toBe(200)
          expect(received[0]?.body).toBe(own(300))
        })
      )
    )
  })
}

describe("a cap", () => {
  it.live("pays for all that a model may read by address, or the call is refused and the field is named", () =>
    withModels((received) =>
      Effect.gen(function* () {
        const byAddress = {
          anthropic: { type: "document", source: { type: "url", url: "https://example.com/a.pdf" } },
          responses: { type: "input_file", file_url: "https://example.com/a.pdf" },
          gemini: { fileData: { fileUri: "https://example.com/a.pdf" } },
          openai: { type: "file", file: { file_id: "file-1" } }
        }
        const named = { anthropic: "source", responses: "file_url", gemini: "fileData", openai: "file" }
        for (const name of ["anthropic", "responses", "gemini", "openai"] as const) {
          const { body, path, text } = protocols[name]
          const request = body([...text("why?"), byAddress[name]])
          const refused = yield* post(path, request, capOf("0.02"))
          expect([refused.status, refused.text], name).toEqual([
            402,
            expect.stringContaining(`with ${named[name]} the`)
          ])
          expect((yield* quote(path, request)).max_micros_usd, name).toBeGreaterThanOrEqual(100_000)
        }
        expect(received).toHaveLength(0)
        const { body, path, text } = protocols.openai
        expect((yield* post(path, body([...text("why?"), byAddress.openai]), capOf("0.2"))).status).toBe(200)
      })
    )
  )

  it.live("is divided among the answers that the caller asks for", () =>
    withModels((received) =>
      Effect.gen(function* () {
        const { body, path, text } = protocols.openai
        const several = body(text("why?"), { n: 4 })
        yield* post(path, several, capOf("0.0042"))
        expect(read(received[0]?.body, ["max_completion_tokens"])).toBe(Math.floor((4_200 - textBytes(several)) / 40))
        const { gemini } = protocols
        const candidates = gemini.body(gemini.text("why?"), { generationConfig: { candidateCount: 3 } })
        yield* post(gemini.path, candidates, capOf("0.0042"))
        expect(read(received[1]?.body, gemini.bound)).toBe(Math.floor((4_200 - textBytes(candidates)) / 30))
        expect(read(received[1]?.body, ["generationConfig", "candidateCount"])).toBe(3)
      })
    )
  )

  it.live("goes into the spelling of Gemini's settings that the caller uses", () =>
    withModels((received) =>
      Effect.gen(function* () {
        const { body, path, text } = protocols.gemini
        yield* post(path, body(text("why?"), { generation_config: { temperature: 1 } }), capOf("0.005"))
        expect(Object.keys(JSON.parse(received[0]?.body ?? "{}"))).toEqual(["contents", "generation_config"])
        expect(Object.keys(read(received[0]?.body, ["generation_config"]) as object)).toHaveLength(2)
      })
    )
  )

  it.live("sends a stream with its bound and the request for a usage report", () =>
    withModels((received) =>
      Effect.gen(function* () {
        const { body, path, text } = protocols.openai
        yield* post(path, body(text("why?"), { stream: true }), capOf("4"))
        expect(JSON.parse(received[0]?.body ?? "{}")).toMatchObject({
          max_completion_tokens: 1_000,
          stream_options: { include_usage: true }
        })
      })
    )
  )

  it.live("does not change what an idempotency key is compared with", () =>
    withModels((received) =>
      Effect.gen(function* () {
        const { body, path, text } = protocols.openai
        const keyed = { "idempotency-key": "k", "x-tollgate-idempotency-mode": "replay" }
        const first = yield* post(path, body(text("why?")), { ...keyed, ...capOf("0.005") })
        const again = yield* post(path, body(text("why?")), { ...keyed, ...capOf("0.009") })
        expect([first.status, again.status]).toEqual([200, 200])
        expect(again.headers["idempotent-replayed"]).toBe("true")
        expect(received).toHaveLength(1)
      })
    )
  )

  it.live("of a fixed price is compared with all that is asked for", () =>
    withModels((received) =>
      Effect.gen(function* () {
        const images = { prompt: "a river", n: 3, size: "512x512" }
        expect((yield* post("/v1/images/generations", images, capOf("0.059999"))).status).toBe(402)
        expect(received).toHaveLength(0)
        const paid = yield* post("/v1/images/generations", images, capOf("0.06"))
        expect([paid.status, paid.headers["x-tollgate-cost-micros-usd"]]).toEqual([200, "60000"])
        expect(received[0]?.body).toBe(JSON.stringify(images))
      })
    )
  )
})
