import { Maybe } from "@tollgate/contract/Open"
import { batchEmbedContents as batchOperation } from "@tollgate/contract/operations/batchEmbedContents"
import { embedContent as embedContentOperation } from "@tollgate/contract/operations/embedContent"
import { embeddings as operation } from "@tollgate/contract/operations/embeddings"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Base64 from "effect/encoding/Base64"
import * as Schema from "effect/Schema"
import { type Context, type Handler, InvalidInput } from "./BilledAnswer.ts"
import { hash } from "./SeededRandom.ts"
import { count, terms } from "./text/tokens.ts"
import {
  chatModel,
  decode,
  isChatModel,
  json,
  NonEmpty,
  type Counted,
  Texts,
  textsOf,
  unknownModel,
  upTo
} from "./wire/body.ts"

/** Each feature changes this many of the vector's numbers. */
const spread = 8

const letterGroups = (word: string): ReadonlyArray<string> => {
  const padded = `<${word}>`
  return Array.from({ length: Math.max(1, padded.length - 2) }, (_, start) => padded.slice(start, start + 3))
}

/** Words count more than the groups of letters in them, by which related words are near each other too. */
const featuresOf = (text: string): ReadonlyArray<readonly [feature: string, weight: number]> => {
  const words = terms(text)
  if (words.length === 0) return [[`text ${text}`, 1]]
  return words.flatMap((word) => [
    [`word ${word}`, 1] as const,
    ...letterGroups(word).map((group) => [`letters ${group}`, 0.3] as const)
  ])
}

const unit = (numbers: Float64Array): ReadonlyArray<number> => {
  const length = Math.hypot(...numbers)
  // Eight decimals are what a 32-bit number holds.
  return Array.from(numbers, (number) => Math.round((number / length) * 1e8) / 1e8)
}

/** A vector of length 1 from hashed words: texts with common words are near each other, whatever their order. */
const vector = (text: string, dimensions: number): ReadonlyArray<number> => {
  const numbers = new Float64Array(dimensions)
  for (const [feature, weight] of featuresOf(text)) {
    for (let i = 0; i < spread; i++) {
      const hashed = hash(`${i} ${feature}`)
      const at = (hashed >>> 1) % dimensions
      numbers[at] = (numbers[at] ?? 0) + (hashed % 2 === 0 ? weight : -weight)
    }
  }
  if (numbers.every((number) => number === 0)) numbers[0] = 1
  return unit(numbers)
}

const defaultDimensions = 1_536
const mostInputs = 2_048
const mostTokens = 8_192

const read = decode(
  Schema.Struct({
    model: Schema.String,
    input: Texts,
    dimensions: Maybe(upTo(3_072)),
    encoding_format: Maybe(Schema.Literals(["float", "base64"]))
  })
)

const wrong = (message: string) => new InvalidInput({ param: "input", message: `input: ${message}` })

const problemOf = (inputs: ReadonlyArray<Counted>): InvalidInput | undefined => {
  if (inputs.length === 0 || inputs.some(({ text }) => text === "")) return wrong("must not be empty")
  if (inputs.length > mostInputs) return wrong(`at most ${mostInputs} texts`)
  return inputs.some(({ tokens }) => tokens > mostTokens) ? wrong(`at most ${mostTokens} tokens each`) : undefined
}

const base64 = (numbers: ReadonlyArray<number>): string => {
  const view = new DataView(new ArrayBuffer(numbers.length * 4))
  numbers.forEach((number, index) => view.setFloat32(index * 4, number, true))
  return Base64.encode(new Uint8Array(view.buffer))
}

/** Answers with vectors in the OpenAI format. Only the input is billed. */
export const embeddings: Handler = Effect.fnUntraced(function* (request) {
  const { value } = yield* json(request)
  const { dimensions, encoding_format, input, model } = yield* read(value)
  if (!isChatModel(model)) return yield* unknownModel(model)
  const inputs = textsOf(input)
  const problem = problemOf(inputs)
  if (problem !== undefined) return yield* problem
  const tokens = inputs.reduce((sum, one) => sum + one.tokens, 0)
  const data = inputs.map(({ text }, index) => {
    const numbers = vector(text, dimensions ?? defaultDimensions)
    return { object: "embedding", index, embedding: encoding_format === "base64" ? base64(numbers) : numbers }
  })
  return {
    operation: operation.id,
    body: { object: "list", data, model: chatModel, usage: { prompt_tokens: tokens, total_tokens: tokens } },
    billed: { input: tokens, output: 0, cacheRead: 0, cacheWrite: 0 }
  }
})

const GeminiRequest = Schema.Struct({
  model: Maybe(Schema.String),
  content: Schema.Struct({ parts: NonEmpty(Schema.Struct({ text: Schema.String })) }),
  outputDimensionality: Maybe(upTo(3_072))
})

const readOne = decode(GeminiRequest)
const readBatch = decode(Schema.Struct({ requests: NonEmpty(GeminiRequest) }))

const embed = Effect.fnUntraced(function* (
  requests: ReadonlyArray<typeof GeminiRequest.Type>,
  { parameters }: Pick<Context, "parameters">
) {
  const model = parameters["model"] ?? ""
  if (!isChatModel(model)) return yield* unknownModel(model)
  // As Google does: the path names the model.
  if (requests.some((request) => (request.model ?? `models/${model}`) !== `models/${model}`))
    return yield* new InvalidInput({ param: "model", message: "model: must be that of the path" })
  const texts = requests.map(({ content }) => content.parts.map(({ text }) => text).join("\n"))
  const tokens = texts.reduce((sum, text) => sum + count(text), 0)
  return {
    embeddings: texts.map((text, i) => ({ values: vector(text, requests[i]?.outputDimensionality ?? 3_072) })),
    usageMetadata: { promptTokenCount: tokens },
    billed: { input: tokens, output: 0, cacheRead: 0, cacheWrite: 0 }
  }
})

const bodyOf = (request: HttpServerRequest) => Effect.map(json(request), ({ value }) => value)

/** Answers with a vector in the Gemini format. Only the input is billed. */
export const embedContent: Handler = Effect.fnUntraced(function* (request, context) {
  const { billed, embeddings, usageMetadata } = yield* embed([yield* readOne(yield* bodyOf(request))], context)
  return { operation: embedContentOperation.id, body: { embedding: embeddings[0], usageMetadata }, billed }
})

export const batchEmbedContents: Handler = Effect.fnUntraced(function* (request, context) {
  const { requests } = yield* readBatch(yield* bodyOf(request))
  const { billed, embeddings, usageMetadata } = yield* embed(requests, context)
  return { operation: batchOperation.id, body: { embeddings, usageMetadata }, billed }
})
