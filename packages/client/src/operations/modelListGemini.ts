import type { Input, Success } from "@tollgate/contract/Operation"
import { modelListGemini as operation } from "@tollgate/contract/operations/modelListGemini"
import type * as Effect from "effect/Effect"
import { call } from "../call.ts"
import type { CallOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { CallError, Listed } from "../errors.ts"

export interface ModelListGeminiInput extends Input<typeof operation> {
  /** `nextPageToken` of the page before. */
  readonly pageToken?: string
}

export interface ModelListGeminiResult extends Success<typeof operation> {}
export type ModelListGeminiError = Listed<CallError<typeof operation>>

/**
 * The models that can be called, in the Gemini style.
 *
 * @example
 * const models = yield* modelListGemini({ pageSize: 50 })
 */
export const modelListGemini: (
  input: ModelListGeminiInput,
  options?: CallOptions
) => Effect.Effect<ModelListGeminiResult, ModelListGeminiError, Client> = /* @__PURE__ */ call(operation)
