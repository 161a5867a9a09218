import type { Success } from "@tollgate/contract/Operation"
import { modelList as operation } from "@tollgate/contract/operations/modelList"
import type * as Effect from "effect/Effect"
import { call } from "../call.ts"
import type { CallOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { CallError, Listed } from "../errors.ts"

export interface ModelListResult extends Success<typeof operation> {}
export type ModelListError = Listed<CallError<typeof operation>>

/**
 * The models that can be called.
 *
 * @example
 * const models = yield* modelList()
 */
export const modelList: (
  input?: void,
  options?: CallOptions
) => Effect.Effect<ModelListResult, ModelListError, Client> = /* @__PURE__ */ call(operation)
