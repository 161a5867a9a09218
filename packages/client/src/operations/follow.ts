import type { Input, Success } from "@tollgate/contract/Operation"
import { follow as operation } from "@tollgate/contract/operations/follow"
import type * as Effect from "effect/Effect"
import { call } from "../call.ts"
import type { CallOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { CallError, Listed } from "../errors.ts"

export interface FollowInput extends Input<typeof operation> {}
export interface FollowResult extends Success<typeof operation> {}
export type FollowError = Listed<CallError<typeof operation>>

/**
 * Follows a user on behalf of the linked account. If the outcome is unknown, it fails with `OutcomeUnknown` and is not
 * retried.
 *
 * @example
 * yield* follow({ target_user_id: "12" })
 */
export const follow: (input: FollowInput, options?: CallOptions) => Effect.Effect<FollowResult, FollowError, Client> =
  /* @__PURE__ */ call(operation)
