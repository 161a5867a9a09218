import type { Input } from "@tollgate/contract/Operation"
import { tweetQuotes as operation } from "@tollgate/contract/operations/tweetQuotes"
import type { TweetPage } from "@tollgate/contract/resources/Tweet"
import type * as Effect from "effect/Effect"
import { call } from "../call.ts"
import type { CallOptions } from "../CallOptions.ts"
import type { Client } from "../Client.ts"
import type { CallError, Listed } from "../errors.ts"

export interface TweetQuotesInput extends Input<typeof operation> {
  /** `next_cursor` of the page before. */
  readonly cursor?: string
}

export type TweetQuotesError = Listed<CallError<typeof operation>>

/**
 * Posts that quote a post. `tweetQuotesItems` reads all pages.
 *
 * @example
 * const { tweets } = yield* tweetQuotes({ tweetId: "1700000000000000000" })
 */
export const tweetQuotes: (
  input: TweetQuotesInput,
  options?: CallOptions
) => Effect.Effect<TweetPage, TweetQuotesError, Client> = /* @__PURE__ */ call(operation)
