import { Maybe } from "@tollgate/contract/Open"
import { batchEmbedContents as batchOperation } from "@tollgate/contract/operations/batchEmbedContents"
import { embedContent as operation } from "@tollgate/contract/operations/embedContent"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Schema from "effect/Schema"
import { type Context, type Handler, InvalidInput } from "../BilledAnswer.ts"
import { vector } from "../embeddings.ts"
import { count } from "../text/tokens.ts"
import { decode, isChatModel, json, NonEmpty, unknownModel, upTo } from "../wire/body.ts"

const Request = Schema.Struct({
  model: Maybe(Schema.String),
  content: Schema.Struct({ parts: NonEmpty(Schema.Struct({ text: Schema.String })) }),
  outputDimensionality: Maybe(upTo(3_072))
})

const readOne = decode(Request)
const readBatch = decode(Schema.Struct({ requests: NonEmpty(Request) }))

const embed = Effect.fnUntraced(function* (
  requests: ReadonlyArray<typeof Request.Type>,
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
  return { operation: operation.id, body: { embedding: embeddings[0], usageMetadata }, billed }
})

/** Answers with a vector for each request of a batch. */
export const batchEmbedContents: Handler = Effect.fnUntraced(function* (request, context) {
  const { requests } = yield* readBatch(yield* bodyOf(request))
  const { billed, embeddings, usageMetadata } = yield* embed(requests, context)
  return { operation: batchOperation.id, body: { embeddings, usageMetadata }, billed }
})
