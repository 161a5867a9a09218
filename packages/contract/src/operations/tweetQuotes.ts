import * as Schema from "effect/Schema"
import * as Operation from "../Operation.ts"
import * as kinds from "../operationKinds.ts"
import { OpenQuery } from "../QueryStyle.ts"
import { TweetPage } from "../resources/Tweet.ts"

export const summary = "List the posts that quote a post"
export const description = "Who shared a tweet with a remark."

/** `tweetQuotesItems` reads all pages. */
export const tweetQuotes = Operation.make({
  ...kinds.dataRead,
  id: "{social_a}.tweet_quotes",
  category: "social",
  path: "/apis/v1/{social_a}/tweet/quotes",
  request: {
    query: OpenQuery({
      tweetId: Schema.NonEmptyString.annotate({ description: "The post that is quoted." }),
      cursor: Schema.optionalKey(Schema.String).annotate({ description: "`next_cursor` of the page before." })
    })
  },
  success: TweetPage,
  price: { contract: "per_request", amount: "pending" }
})
