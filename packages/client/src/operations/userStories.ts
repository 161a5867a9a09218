import type { Input } from "@tollgate/contract/Operation"
import { userStories as operation } from "@tollgate/contract/operations/userStories"
import type { ResellerEnvelope } from "@tollgate/contract/resources/ResellerEnvelope"
import type * as Effect from "effect/Effect"
import { call } from "../call.ts"
import type { CallOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { CallError, Listed } from "../errors.ts"

export interface UserStoriesInput extends Input<typeof operation> {}
export type UserStoriesError = Listed<CallError<typeof operation>>

/**
 * Stories of a user.
 *
 * @example
 * const { data } = yield* userStories({ username: "ada" })
 */
export const userStories: (
  input: UserStoriesInput,
  options?: CallOptions
) => Effect.Effect<ResellerEnvelope, UserStoriesError, Client> = /* @__PURE__ */ call(operation)
