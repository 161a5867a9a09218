import type { Input, Success } from "@tollgate/contract/Operation"
import { modelGet as operation } from "@tollgate/contract/operations/modelGet"
import type * as Effect from "effect/Effect"
import { call } from "../call.ts"
import type { CallOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { CallError, Listed } from "../errors.ts"

export interface ModelGetInput extends Input<typeof operation> {}
export interface ModelGetResult extends Success<typeof operation> {}
export type ModelGetError = Listed<CallError<typeof operation>>

/**
 * One of the models that can be called. A model that is not offered is `NotFound`.
 *
 * @example
 * const { id } = yield* modelGet({ id: "sandbox" })
 */
export const modelGet: (
  input: ModelGetInput,
  options?: CallOptions
) => Effect.Effect<ModelGetResult, ModelGetError, Client> = /* @__PURE__ */ call(operation)
