import type { Input } from "@tollgate/contract/Operation"
import { postComments as operation } from "@tollgate/contract/operations/postComments"
import type { CommentPage } from "@tollgate/contract/resources/Comments"
import type * as Effect from "effect/Effect"
import { call } from "../call.ts"
import type { CallOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { CallError, Listed } from "../errors.ts"
import { pending } from "../pending/pending.ts"

export interface PostCommentsInput extends Input<typeof operation> {
  /** That of the page before. */
  readonly cursor?: string
}

export type PostCommentsError = Listed<CallError<typeof operation>>

/**
 * Top-level comments of a post. `postCommentsItems` reads all pages.
 *
 * @example
 * const { comments } = yield* postComments({ url: "https://photos.example/p/river" })
 */
export const postComments: (
  input: PostCommentsInput,
  options?: CallOptions
) => Effect.Effect<CommentPage, PostCommentsError, Client> = /* @__PURE__ */ call(/* @__PURE__ */ pending(operation))
