import type { FieldPath } from "./Amount.ts"

// A constant for each protocol, so that a page has only those of the operations that it calls.

/** Estimates use this if the caller sets no limit and the model's largest output is not known. */
export const defaultOutputLimit = 4_096

/**
 * What the price of a protocol's calls depends on, still without models. `outputLimit`: the fields that limit the output; the
 * gateway sets the first. A field that the protocol ignores must not lower an estimate. `choices`: the fields that ask for several
 * answers at once.
 */
const pricedAs = <const A extends string>(
  asks: A,
  outputLimit: ReadonlyArray<FieldPath>,
  choices: ReadonlyArray<FieldPath> = []
) => ({ contract: "model_tokens" as const, models: {}, outputLimit, defaultOutputLimit, choices, asks })

export const openai = /* @__PURE__ */ pricedAs("chat", [["max_completion_tokens"], ["max_tokens"]], [["n"]])
export const completions = /* @__PURE__ */ pricedAs("chat", [["max_tokens"]], [["n"], ["best_of"]])
export const transcription = /* @__PURE__ */ pricedAs("audio", [])
export const responses = /* @__PURE__ */ pricedAs("responses", [["max_output_tokens"]])
export const anthropic = /* @__PURE__ */ pricedAs("anthropic", [["max_tokens"]])
/** It reads camel and snake case; a mix of both is refused. */
export const gemini = /* @__PURE__ */ pricedAs(
  "gemini",
  [
    ["generationConfig", "maxOutputTokens"],
    ["generation_config", "max_output_tokens"]
  ],
  [
    ["generationConfig", "candidateCount"],
    ["generation_config", "candidate_count"]
  ]
)

export const byProtocol = { openai, responses, anthropic, gemini } as const
