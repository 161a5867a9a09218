import type { Input, Success } from "@tollgate/contract/Operation"
import { imageGenerate as operation } from "@tollgate/contract/operations/imageGenerate"
import type * as Effect from "effect/Effect"
import { call } from "../call.ts"
import type { CallOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { CallError, Listed } from "../errors.ts"
import { pending } from "../pending/pending.ts"

export interface ImageGenerateInput extends Input<typeof operation> {}
export interface ImageGenerateResult extends Success<typeof operation> {}
export type ImageGenerateError = Listed<CallError<typeof operation>>

/**
 * Generates an image. The operator chooses its path: set `discover` or `bindings` in the client's options.
 *
 * @example
 * const image = yield* imageGenerate({ prompt: "A river from above" })
 */
export const imageGenerate: (
  input: ImageGenerateInput,
  options?: CallOptions
) => Effect.Effect<ImageGenerateResult, ImageGenerateError, Client> = /* @__PURE__ */ call(
  /* @__PURE__ */ pending(operation)
)
