import { postComments } from "@tollgate/contract/operations/postComments"
import type { Input } from "@tollgate/contract/Operation"
import type { Comment, CommentPage } from "@tollgate/contract/resources/Comments"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { bindOperation, unbound } from "../bindOperation.ts"
import type { PageOptions } from "../CallOptions.ts"
import { call } from "../call.ts"
import { Client } from "../Client.ts"
import type { CallError } from "../errors.ts"
import { pending } from "../pending/pending.ts"
import { paginate, type PagingStuck } from "./paginate.ts"

const operation = /* @__PURE__ */ pending(postComments)

type PagesError = CallError<typeof operation> | PagingStuck

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
  (input: Input<typeof operation>, options?: PageOptions): Stream.Stream<Item, PagesError, Client> =>
    Stream.unwrap(
      Effect.map(nameOfCursor, (name) =>
        paginate((cursor) => page(cursor === undefined ? input : { ...input, [name]: cursor }, options), {
          next: nextOf,
          items
        })
      )
    )

/** Comments of a post, page by page. The name of the cursor parameter is pending: set `discover` or `bindings`. */
export const postCommentsPages = listing((page) => [page])

/** Comments of a post, one by one. */
export const postCommentsItems = listing<Comment>(({ comments }) => comments)
