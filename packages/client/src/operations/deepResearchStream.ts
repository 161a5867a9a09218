import type { EventOf, Input } from "@tollgate/contract/Operation"
import { deepResearch as operation } from "@tollgate/contract/operations/deepResearch"
import type * as Stream from "effect/Stream"
import type { StreamOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { Listed } from "../errors.ts"
import { pending } from "../pending/pending.ts"
import { openai } from "../stream/Protocol.ts"
import { type StreamError, streaming } from "../stream/streaming.ts"

export interface DeepResearchStreamInput extends Input<typeof operation> {
  readonly stream?: true
}
export interface DeepResearchEvent extends EventOf<typeof operation> {}
export type DeepResearchStreamError = Listed<StreamError<typeof operation>>

/**
 * Searches and reasons over many sources, as a stream of events. The operator chooses its path: set `discover` or
 * `bindings` in the client's options.
 *
 * @example
 * yield* Stream.runForEach(deepResearchStream({
 *   model: "sandbox",
 *   messages: [{ role: "user", content: "Why do rivers bend?" }]
 * }), Effect.log)
 */
export const deepResearchStream: (
  input: DeepResearchStreamInput,
  options?: StreamOptions
) => Stream.Stream<DeepResearchEvent, DeepResearchStreamError, Client> = /* @__PURE__ */ streaming(
  /* @__PURE__ */ pending(operation),
  openai
)
