import type { Input } from "@tollgate/contract/Operation"
import { generateContent as operation } from "@tollgate/contract/operations/generateContent"
import type { GenerateContentResult } from "@tollgate/contract/protocols/gemini"
import type * as Effect from "effect/Effect"
import { call } from "../call.ts"
import type { CallOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { CallError, Listed } from "../errors.ts"

export interface GenerateContentInput extends Input<typeof operation> {}
export type GenerateContentError = Listed<CallError<typeof operation>>

/**
 * Generates content, in the Gemini style.
 *
 * @example
 * const { candidates } = yield* generateContent({
 *   path: { model: "sandbox" },
 *   body: { contents: [{ parts: [{ text: "Why do rivers bend?" }] }] }
 * })
 */
export const generateContent: (
  input: GenerateContentInput,
  options?: CallOptions
) => Effect.Effect<GenerateContentResult, GenerateContentError, Client> = /* @__PURE__ */ call(operation)
