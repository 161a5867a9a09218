import { countTokensGemini as counted } from "@tollgate/contract/operations/countTokensGemini"
import { generateContent as whole } from "@tollgate/contract/operations/generateContent"
import { streamGenerateContent as streamed } from "@tollgate/contract/operations/streamGenerateContent"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Predicate from "effect/Predicate"
import type { Context, Handler, StreamEvent } from "../BilledAnswer.ts"
import * as Scenario from "../Scenario.ts"
import { id } from "../data/SeededRandom.ts"
import { gather, reply } from "../text/reply.ts"
import { billed, inputUsage } from "../text/tokens.ts"
import { array, chatModel, decode, isChatModel, json, sse, unknownModel } from "../wire/body.ts"
import { gemini } from "../wire/refusal.ts"
import { events, type Generation, response, thoughtParts } from "./Generation.ts"
import { GeminiBody, modelRequest, promptTokens } from "./request.ts"

type Fields = { readonly [name: PropertyKey]: unknown }
type Read = (value: unknown) => unknown

/** Renames fields from `snake_case` to `camelCase`, since Gemini allows both. Recurses only into the fields of `inner`. */
const camel =
  (inner: Readonly<Record<string, Read>> = {}): Read =>
  (value) =>
    Predicate.isObject(value)
      ? Object.fromEntries(
          Object.entries(value as Fields).map(([name, field]) => {
            const key = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
            const read = Object.hasOwn(inner, key) ? inner[key] : undefined
            return [key, read === undefined ? field : read(field)]
          })
        )
      : value

const each =
  (read: Read): Read =>
  (value) =>
    Array.isArray(value) ? value.map(read) : value

const content = camel({ parts: each(camel()) })

const camelBody = camel({
  contents: each(content),
  systemInstruction: content,
  tools: each(camel({ functionDeclarations: each(camel()) })),
  toolConfig: camel({ functionCallingConfig: camel() }),
  generationConfig: camel({ thinkingConfig: camel() })
})

const read = decode(GeminiBody)

const failure: StreamEvent = {
  data: JSON.stringify(gemini({ status: 503, message: "The model is overloaded. Please try again later." })),
  tokens: 0
}

const generate = Effect.fnUntraced(function* (request: HttpServerRequest, { parameters, scenario }: Context) {
  const { seed, value } = yield* json(request)
  const model = parameters["model"] ?? ""
  if (!isChatModel(model)) return yield* unknownModel(model)
  const body = yield* read(camelBody(value))
  const asked = { ...modelRequest(body), events: Scenario.longEvents(scenario) }
  const generation: Generation = {
    id: id(seed),
    model: chatModel,
    replies: Array.from({ length: body.generationConfig?.candidateCount ?? 1 }, (_, choice) => reply(asked, choice)),
    includesThoughts: body.generationConfig?.thinkingConfig?.includeThoughts === true,
    inputUsage: inputUsage(promptTokens(body), 0, scenario),
    hidesUsage: Scenario.hidesUsage(scenario)
  }
  return generation
})

/** Answers a conversation in the Gemini format. */
export const generateContent: Handler = Effect.fnUntraced(function* (request, context) {
  // `answer` removes the usage from an answer that is not a stream.
  const generation = { ...(yield* generate(request, context)), hidesUsage: false }
  let output = 0
  let thoughts = 0
  const candidates = generation.replies.map(({ call, parts, thought }, index) => {
    const { finish, text, tokens } = gather(parts())
    output += tokens + thought.tokens
    thoughts += thought.tokens
    const part = call === undefined ? { text } : { functionCall: { name: call.name, args: call.input } }
    return { index, parts: [...thoughtParts(generation, thought.text), part], finish }
  })
  return {
    operation: whole.id,
    body: response(generation, candidates, { output, thoughts }),
    billed: billed(generation.inputUsage, output)
  }
})

const wantsEvents = (url: string): boolean => (url.split("?", 2)[1] ?? "").split("&").includes("alt=sse")

/** Answers with a stream: server-sent events with `alt=sse`, otherwise one JSON array. */
export const streamGenerateContent: Handler = Effect.fnUntraced(function* (request, context) {
  const generation = yield* generate(request, context)
  return {
    operation: streamed.id,
    events: { framing: wantsEvents(request.url) ? sse : array, generate: () => events(generation), failure },
    billed: (output) => billed(generation.inputUsage, output)
  }
})

/** Counts what `generateContent` would report as input. Free. */
export const countContent: Handler = Effect.fnUntraced(function* (request, { parameters }) {
  const { value } = yield* json(request)
  const model = parameters["model"] ?? ""
  if (!isChatModel(model)) return yield* unknownModel(model)
  const { generateContentRequest = value } = camel()(value) as { readonly generateContentRequest?: unknown }
  const totalTokens = promptTokens(yield* read(camelBody(generateContentRequest)))
  return { operation: counted.id, body: { totalTokens }, billed: {} }
})
