import { tweetQuotes as operation } from "@tollgate/contract/operations/tweetQuotes"
import type { Input } from "@tollgate/contract/Operation"
import type { Tweet, TweetPage } from "@tollgate/contract/resources/Tweet"
import type * as Stream from "effect/Stream"
import type { PageOptions } from "../CallOptions.ts"
import { call } from "../call.ts"
import type { Client } from "../Client.ts"
import type { CallError } from "../errors.ts"
import { paginate, type PagingStuck } from "./paginate.ts"

type PagesError = CallError<typeof operation> | PagingStuck

const page = call(operation)

const nextOf = ({ has_next_page, next_cursor }: TweetPage) => (has_next_page ? (next_cursor ?? "") : undefined)

const listing =
  <Item>(items: (page: TweetPage) => ReadonlyArray<Item>) =>
  (input: Input<typeof operation>, options?: PageOptions): Stream.Stream<Item, PagesError, Client> =>
    paginate((cursor) => page(cursor === undefined ? input : { ...input, cursor }, options), { next: nextOf, items })

/** Posts that quote a post, page by page. A page is billed when it is taken. */
export const tweetQuotesPages = listing((page) => [page])

/** Posts that quote a post, one by one. */
export const tweetQuotesItems = listing<Tweet>(({ tweets }) => tweets)
