import type { Input } from "@tollgate/contract/Operation"
import { responses as operation } from "@tollgate/contract/operations/responses"
import type { ResponsesEvent } from "@tollgate/contract/protocols/openaiResponsesEvents"
import type * as Stream from "effect/Stream"
import type { StreamOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { Listed } from "../errors.ts"
import { responses as protocol } from "../stream/Protocol.ts"
import { type StreamError, streaming } from "../stream/streaming.ts"

export interface ResponsesStreamInput extends Input<typeof operation> {
  readonly stream?: true
}
export type ResponsesStreamError = Listed<StreamError<typeof operation>>

/**
 * Answers a conversation, in the style of OpenAI's Responses, as a stream of events. `textOf` reads the text of an event.
 *
 * @example
 * yield* Stream.runForEach(responsesStream({ model: "sandbox", input: "Why do rivers bend?" }), (event) =>
 *   Effect.log(textOf(event))
 * )
 */
export const responsesStream: (
  input: ResponsesStreamInput,
  options?: StreamOptions
) => Stream.Stream<ResponsesEvent, ResponsesStreamError, Client> = /* @__PURE__ */ streaming(operation, protocol)
