import type { ModelPrice } from "@tollgate/contract/price/Price"
import * as Schema from "effect/Schema"
import * as Getter from "effect/SchemaGetter"
import { ModelName, Usd, wholeNumber } from "../text/values.ts"

const isModelPrice = (u: unknown): u is ModelPrice => typeof u === "object" && u !== null && "input" in u

const count = (description: string) => wholeNumber(100_000_000).annotate({ description })
const tokens = (description: string) => Schema.optionalKey(count(description))

const LongPrompt = Schema.Struct({
  above: count("A prompt with more tokens than this is long; those read from a cache and written to it count too"),
  input: Schema.optionalKey(Usd),
  output: Schema.optionalKey(Usd),
  cacheRead: Schema.optionalKey(Usd),
  cacheWrite: Schema.optionalKey(Usd)
}).annotate({ description: "The prices of the whole call if its prompt is long; one that is left out stays the same" })

const Model = Schema.Struct({
  input: Usd,
  output: Usd,
  cacheRead: Schema.optionalKey(Usd),
  cacheWrite: Schema.optionalKey(Usd),
  longPrompt: Schema.optionalKey(LongPrompt),
  maxOutput: tokens("The most tokens of an answer; 4096 is assumed if it is not set"),
  contextWindow: tokens("The most tokens of input and output together; no bound if it is not set"),
  imageTokens: tokens("The most tokens of an image; 2000 if it is not set")
}).annotate({ description: "USD per million tokens; cacheRead and cacheWrite default to the price of input" })

/** What is not written is as for other prompts: there, a price of cached tokens that is not written is that of input. */
const longPromptOf = ({ cacheRead, cacheWrite, input, output }: typeof Model.Type, long: typeof LongPrompt.Type) => {
  const longInput = long.input ?? input
  return {
    above: long.above,
    input: longInput,
    output: long.output ?? output,
    cacheRead: long.cacheRead ?? cacheRead ?? longInput,
    cacheWrite: long.cacheWrite ?? cacheWrite ?? longInput
  }
}

const priceOf = (written: typeof Model.Type): ModelPrice => {
  const { longPrompt, ...model } = written
  return {
    ...model,
    cacheRead: model.cacheRead ?? model.input,
    cacheWrite: model.cacheWrite ?? model.input,
    ...(longPrompt === undefined ? {} : { longPrompt: longPromptOf(written, longPrompt) })
  }
}

/** The prices of models, by name. */
export const Models = Schema.Record(
  ModelName,
  Model.pipe(
    Schema.decodeTo(Schema.declare(isModelPrice), {
      decode: Getter.transform(priceOf),
      encode: Getter.forbiddenEncoding
    })
  )
)
