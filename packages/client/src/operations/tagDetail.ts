import type { Input } from "@tollgate/contract/Operation"
import { tagDetail as operation } from "@tollgate/contract/operations/tagDetail"
import type { ResellerEnvelope } from "@tollgate/contract/resources/ResellerEnvelope"
import type * as Effect from "effect/Effect"
import { call } from "../call.ts"
import type { CallOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { CallError, Listed } from "../errors.ts"

export interface TagDetailInput extends Input<typeof operation> {}
export type TagDetailError = Listed<CallError<typeof operation>>

/**
 * What a tag is about.
 *
 * @example
 * const { data } = yield* tagDetail({ tag_name: "rivers" })
 */
export const tagDetail: (
  input: TagDetailInput,
  options?: CallOptions
) => Effect.Effect<ResellerEnvelope, TagDetailError, Client> = /* @__PURE__ */ call(operation)
