import { Maybe } from "@tollgate/contract/Open"
import { embeddings as operation } from "@tollgate/contract/operations/embeddings"
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Schema from "effect/Schema"
import { type Handler, InvalidInput } from "./BilledAnswer.ts"
import { hash } from "./data/SeededRandom.ts"
import { count, terms } from "./text/tokens.ts"
import { chatModel, decode, isChatModel, json, unknownModel, upTo } from "./wire/body.ts"

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
export const vector = (text: string, dimensions: number): ReadonlyArray<number> => {
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

const Tokens = Schema.Array(Schema.Int)

const read = decode(
  Schema.Struct({
    model: Schema.String,
    input: Schema.Union([Schema.String, Schema.Array(Schema.String), Tokens, Schema.Array(Tokens)]),
    dimensions: Maybe(upTo(3_072)),
    encoding_format: Maybe(Schema.Literals(["float", "base64"]))
  })
)

interface Input {
  readonly text: string
  readonly tokens: number
}

const fromText = (text: string): Input => ({ text, tokens: count(text) })
const fromTokens = (tokens: ReadonlyArray<number>): Input => ({ text: tokens.join(" "), tokens: tokens.length })

/** One text, several, one list of tokens, or several. */
const inputsOf = (input: string | ReadonlyArray<string | number | ReadonlyArray<number>>): ReadonlyArray<Input> => {
  if (typeof input === "string") return [fromText(input)]
  const numbers = input.filter((item) => typeof item === "number")
  if (numbers.length > 0) return [fromTokens(numbers)]
  return input.map((item) => (typeof item === "string" ? fromText(item) : fromTokens(Array.isArray(item) ? item : [])))
}

const wrong = (message: string) => new InvalidInput({ param: "input", message: `input: ${message}` })

const problemOf = (inputs: ReadonlyArray<Input>): InvalidInput | undefined => {
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
  const inputs = inputsOf(input)
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
