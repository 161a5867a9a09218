import { tweetQuotes as operation } from "@tollgate/contract/operations/tweetQuotes"
import type { Tweet, TweetPage } from "@tollgate/contract/resources/Tweet"
import type * as Stream from "effect/Stream"
import type { PageOptions } from "../../options/CallOptions.ts"
import { call } from "../../call/call.ts"
import type { Client } from "../../Client.ts"
import type { Listed } from "../../errors/errors.ts"
import type { TweetQuotesError, TweetQuotesInput } from "../../generated/operations.ts"
import { paginate, type PagingStuck } from "./paginate.ts"

/** Every error of a list of quotes. */
export type TweetQuotesPagesError = Listed<TweetQuotesError | PagingStuck>

const page = call(operation)

const nextOf = ({ has_next_page, next_cursor }: TweetPage) => (has_next_page ? (next_cursor ?? "") : undefined)

const listing =
  <Item>(items: (page: TweetPage) => ReadonlyArray<Item>) =>
  (input: TweetQuotesInput, options?: PageOptions): Stream.Stream<Item, TweetQuotesPagesError, Client> =>
    paginate((cursor) => page(cursor === undefined ? input : { ...input, cursor }, options), { next: nextOf, items })

/**
 * Posts that quote a post, page by page. A page is billed when it is taken.
 *
 * @example
 * const pages = tweetQuotesPages({ tweetId: "1700000000000000000" })
 */
export const tweetQuotesPages: (
  input: TweetQuotesInput,
  options?: PageOptions
) => Stream.Stream<TweetPage, TweetQuotesPagesError, Client> = listing((page) => [page])

/**
 * Posts that quote a post, one by one, as `tweetQuotesPages` reads them.
 *
 * @example
 * const posts = tweetQuotesItems({ tweetId: "1700000000000000000" })
 */
export const tweetQuotesItems: (
  input: TweetQuotesInput,
  options?: PageOptions
) => Stream.Stream<Tweet, TweetQuotesPagesError, Client> = listing(({ tweets }) => tweets)
