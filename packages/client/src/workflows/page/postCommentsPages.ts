import { postComments } from "@tollgate/contract/operations/postComments"
import type { Comment, CommentPage } from "@tollgate/contract/resources/Comments"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { bindOperation, unbound } from "../../call/bindOperation.ts"
import type { PageOptions } from "../../options/CallOptions.ts"
import { call } from "../../call/call.ts"
import { Client } from "../../Client.ts"
import type { Listed } from "../../errors/errors.ts"
import type { PostCommentsError, PostCommentsInput } from "../../generated/operations.ts"
import { pending } from "../../pending/pending.ts"
import { paginate, type PagingStuck } from "./paginate.ts"

const operation = /* @__PURE__ */ pending(postComments)

/** Every error of a list of comments. */
export type PostCommentsPagesError = Listed<PostCommentsError | PagingStuck>

const page = call(operation)

/** The last page has an empty cursor or none. */
const nextOf = ({ cursor }: CommentPage) => (cursor === "" ? undefined : (cursor ?? undefined))

const nameOfCursor = Effect.flatMap(Client, (client) =>
  Effect.flatMap(bindOperation(client, operation), ({ id, parameters: { cursor } }) =>
    cursor === undefined
      ? unbound(client, id, "name of the cursor parameter", `{ parameters: { cursor: "…" } }`)
      : Effect.succeed(cursor)
  )
)

const listing =
  <Item>(items: (page: CommentPage) => ReadonlyArray<Item>) =>
  (input: PostCommentsInput, options?: PageOptions): Stream.Stream<Item, PostCommentsPagesError, Client> =>
    Stream.unwrap(
      Effect.map(nameOfCursor, (name) =>
        paginate((cursor) => page(cursor === undefined ? input : { ...input, [name]: cursor }, options), {
          next: nextOf,
          items
        })
      )
    )

/**
 * Comments of a post, page by page. A page is billed when it is taken. The name of the cursor parameter is pending: set
 * `discover` or `bindings` in the client's options.
 *
 * @example
 * const pages = postCommentsPages({ url: "https://photos.example/p/river" })
 */
export const postCommentsPages: (
  input: PostCommentsInput,
  options?: PageOptions
) => Stream.Stream<CommentPage, PostCommentsPagesError, Client> = listing((page) => [page])

/**
 * Comments of a post, one by one, as `postCommentsPages` reads them.
 *
 * @example
 * const comments = postCommentsItems({ url: "https://photos.example/p/river" })
 */
export const postCommentsItems: (
  input: PostCommentsInput,
  options?: PageOptions
) => Stream.Stream<Comment, PostCommentsPagesError, Client> = listing(({ comments }) => comments)
