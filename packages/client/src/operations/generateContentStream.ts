import type { Input } from "@tollgate/contract/Operation"
import { streamGenerateContent as operation } from "@tollgate/contract/operations/streamGenerateContent"
import type { GenerateContentResult } from "@tollgate/contract/protocols/gemini"
import type * as Stream from "effect/Stream"
import type { StreamOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { Listed } from "../errors.ts"
import { gemini } from "../stream/Protocol.ts"
import { type StreamError, streaming } from "../stream/streaming.ts"

export interface GenerateContentStreamInput extends Input<typeof operation> {}
export type GenerateContentStreamError = Listed<StreamError<typeof operation>>

/**
 * Generates content, in the Gemini style, as a stream of events. `textOf` reads the text of an event.
 *
 * @example
 * yield* Stream.runForEach(generateContentStream({
 *   path: { model: "sandbox" },
 *   body: { contents: [{ parts: [{ text: "Why do rivers bend?" }] }] }
 * }), (event) =>
 *   Effect.log(textOf(event))
 * )
 */
export const generateContentStream: (
  input: GenerateContentStreamInput,
  options?: StreamOptions
) => Stream.Stream<GenerateContentResult, GenerateContentStreamError, Client> = /* @__PURE__ */ streaming(
  operation,
  gemini
)
