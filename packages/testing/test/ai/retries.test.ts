import { APICallError } from "@ai-sdk/provider"
import { createTollgate, type TollgateProvider } from "@tollgate/ai"
import { chatCompletions, embeddings, imageGenerate, messages, rerank } from "@tollgate/client"
import { fail, testClient } from "@tollgate/client/testing"
import {
  embed,
  embedMany,
  generateImage,
  generateObject,
  generateText,
  jsonSchema,
  Output,
  rerank as ranked,
  streamText
} from "ai"
import { describe, expect, it } from "vitest"

// `ai` repeats what is `isRetryable`, twice by default, and the client repeats what has not run, three times by default. Only one
// of them may.

const prompt = "How deep is the river?"
const schema = jsonSchema({ type: "object" })

type Use = (tollgate: TollgateProvider, maxRetries?: { readonly maxRetries: number }) => PromiseLike<unknown>

const streamed: Use = async (tollgate, options) => {
  let failure: unknown
  const onError = ({ error }: { readonly error: unknown }) => void (failure = error)
  await streamText({ model: tollgate("sandbox"), prompt, onError, ...options }).consumeStream()
  throw failure
}

const uses: ReadonlyArray<readonly [name: string, operation: Parameters<typeof on>[1], use: Use]> = [
  ["generateText", chatCompletions, (of, options) => generateText({ model: of("sandbox"), prompt, ...options })],
  [
    "generateText over messages",
    messages,
    (of, options) => generateText({ model: of.messages("sandbox"), prompt, ...options })
  ],
  ["streamText", chatCompletions, streamed],
  [
    "Output.object",
    chatCompletions,
    (of, options) => generateText({ model: of("sandbox"), prompt, output: Output.object({ schema }), ...options })
  ],
  [
    "generateObject",
    chatCompletions,
    (of, options) => generateObject({ model: of("sandbox"), prompt, schema, ...options })
  ],
  ["embed", embeddings, (of, options) => embed({ model: of.embeddingModel("sandbox"), value: "a", ...options })],
  [
    "embedMany",
    embeddings,
    (of, options) => embedMany({ model: of.embeddingModel("sandbox"), values: ["a", "b"], ...options })
  ],
  [
    "generateImage",
    imageGenerate,
    (of, options) => generateImage({ model: of.imageModel("sandbox"), prompt, n: 3, ...options })
  ],
  [
    "rerank",
    rerank,
    (of, options) => ranked({ model: of.rerankingModel("sandbox"), query: "a", documents: ["b"], ...options })
  ]
]

const on = (
  code: "rate_limit_exceeded" | "upstream_rate_limit" | "shutting_down" | "upstream_unreachable",
  operation: typeof chatCompletions | typeof messages | typeof embeddings | typeof imageGenerate | typeof rerank,
  options: object
) => {
  const { client, clock, gateway } = testClient({
    bindings: { "images.generate": { path: "/images" } },
    pace: false,
    ...options
  })
  clock.auto()
  gateway.on(operation as typeof rerank, fail(code))
  return { tollgate: createTollgate({ client }), calls: () => gateway.calls(operation as typeof rerank) }
}

const codes = ["rate_limit_exceeded", "upstream_rate_limit", "shutting_down", "upstream_unreachable"] as const

describe.each(uses)("%s", (_, operation, use) => {
  it.each(codes)("that gets a constant %s is sent as often as the client retries, under one key", async (code) => {
    for (const maxRetries of [undefined, 0, 5]) {
      for (const [options, sent] of [
        [{}, 4],
        [{ retries: 0 }, 1]
      ] as const) {
        const { calls, tollgate } = on(code, operation, options)
        const failure = Promise.resolve(use(tollgate, maxRetries === undefined ? undefined : { maxRetries }))
        const error: unknown = await failure.catch((error: unknown) => error)
        expect(APICallError.isInstance(error)).toBe(true)
        expect(error).toMatchObject({ isRetryable: false, data: { outcome: "not executed", code } })
        expect(calls()).toHaveLength(sent)
        expect(new Set(calls().map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1)
        expect(calls()[0]?.idempotencyKey).toMatch(/^[0-9a-f]{32}$/)
      }
    }
  })
})
