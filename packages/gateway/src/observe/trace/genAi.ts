import type { Bound } from "@tollgate/contract/Operation"
import type { TokenUsage } from "@tollgate/contract/price/evidence"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Predicate from "effect/Predicate"
import type { Span } from "./Span.ts"

// The names of OpenTelemetry's conventions for generative AI, which are still in development.

/** A call, as far as the conventions are interested in it. */
export interface RequestAttributes {
  readonly operation: Bound
  readonly model: string | undefined
  readonly input: { readonly body: unknown }
}

/** The numbers of a request that the conventions have names for, by the names of the protocols. */
const parameters: Readonly<Record<string, string>> = {
  temperature: "temperature",
  top_p: "top_p",
  topP: "top_p",
  top_k: "top_k",
  topK: "top_k",
  max_tokens: "max_tokens",
  max_completion_tokens: "max_tokens",
  max_output_tokens: "max_tokens",
  maxOutputTokens: "max_tokens",
  frequency_penalty: "frequency_penalty",
  frequencyPenalty: "frequency_penalty",
  presence_penalty: "presence_penalty",
  presencePenalty: "presence_penalty",
  seed: "seed",
  n: "choice.count",
  candidateCount: "choice.count"
}

const setNumbers = (span: Span, from: unknown): void => {
  if (!Predicate.isObject(from)) return
  const fields: Readonly<Record<string, unknown>> = { ...from }
  for (const [field, name] of Object.entries(parameters)) {
    const value = fields[field]
    if (typeof value === "number" && Number.isFinite(value)) span.set(`gen_ai.request.${name}`, value)
  }
}

/** What the request asks of a model, without its content. */
export const setRequest = (span: Span, { input, model }: RequestAttributes): void => {
  span.set("gen_ai.request.model", model)
  const { body } = input
  setNumbers(span, body)
  if (Predicate.hasProperty(body, "stream") && body.stream === true) span.set("gen_ai.request.stream", true)
  if (Predicate.hasProperty(body, "generationConfig")) setNumbers(span, body.generationConfig)
}

/** The tokens of an answer. Those of a cache count as input too, as the conventions say. */
export const setUsage = (span: Span, { cacheRead, cacheWrite, input, output }: TokenUsage, reasoning = 0): void => {
  span.set("gen_ai.usage.input_tokens", input + cacheRead + cacheWrite)
  span.set("gen_ai.usage.output_tokens", output)
  if (cacheRead > 0) span.set("gen_ai.usage.cache_read.input_tokens", cacheRead)
  if (cacheWrite > 0) span.set("gen_ai.usage.cache_write.input_tokens", cacheWrite)
  if (reasoning > 0) span.set("gen_ai.usage.reasoning.output_tokens", reasoning)
}

const readBytes = 4_096
const modelField = /[{,]\s*"model(?:Version)?"\s*:\s*"([^"\\]{1,128})"/

/** The model that an answer names, if its name is near the start or the end: whole answers are not parsed for it. */
export const responseModel = (bytes: Uint8Array): string | undefined => {
  const head = modelField.exec(Utf8.decode(bytes.subarray(0, readBytes)))?.[1]
  if (head !== undefined || bytes.length <= readBytes) return head
  return modelField.exec(Utf8.decode(bytes.subarray(bytes.length - readBytes)))?.[1]
}
