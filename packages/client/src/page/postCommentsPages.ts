import { postComments as operation } from "@tollgate/contract/operations/postComments"
import type { Input } from "@tollgate/contract/Operation"
import type { Comment, CommentPage } from "@tollgate/contract/resources/Comments"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { PageOptions } from "../CallOptions.ts"
import { call } from "../call.ts"
import { Client } from "../Client.ts"
import { type CallError, InputInvalid } from "../errors.ts"
import { paginate, type PagingStuck } from "./paginate.ts"

type PagesError = CallError<typeof operation> | PagingStuck

const page = call(operation)

/** The last page has an empty cursor or none. */
const nextOf = ({ cursor }: CommentPage) => (cursor === "" ? undefined : (cursor ?? undefined))

const nameOfCursor = Effect.flatMap(Client, (client) => {
  const bound = client.bound(operation)
  const id = bound?.id ?? operation.id
  const name = bound?.parameters["cursor"]
  return name === undefined
    ? Effect.fail(
        new InputInvalid({
          operation: id,
          message: `The name of the parameter for the cursor is not known. Pass it in the client's options: bindings: { "${id}": { parameters: { cursor: "…" } } }`,
          outcome: "not executed"
        })
      )
    : Effect.succeed(name)
})

const listing =
  <Item>(items: (page: CommentPage) => ReadonlyArray<Item>) =>
  (input: Input<typeof operation>, options?: PageOptions): Stream.Stream<Item, PagesError, Client> =>
    Stream.unwrap(
      Effect.map(nameOfCursor, (name) =>
        paginate((cursor) => page(cursor === undefined ? input : { ...input, [name]: cursor }, options), {
          next: nextOf,
          items
        })
      )
    )

/**
 * Comments of a post, page by page. The name of the cursor parameter is pending, so it
 * has to be bound: `bindings: { "social_b.post_comments": { parameters: { cursor: "…" } } }`.
 */
export const postCommentsPages = listing((page) => [page])

/** Comments of a post, one by one. */
export const postCommentsItems = listing<Comment>(({ comments }) => comments)
