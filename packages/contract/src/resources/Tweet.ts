import * as Schema from "effect/Schema"
import { Maybe, maybeAll, Open } from "../Open.ts"

const Indices = Schema.Array(Schema.Int)

export const TweetAuthor = Open({
  ...maybeAll(
    [
      "type",
      "userName",
      "url",
      "id",
      "name",
      "verifiedType",
      "profilePicture",
      "coverPicture",
      "description",
      "location",
      "createdAt",
      "automatedBy",
      "message",
      "unavailableReason"
    ],
    Schema.String
  ),
  ...maybeAll(
    [
      "isBlueVerified",
      "canDm",
      "hasCustomTimelines",
      "isTranslator",
      "possiblySensitive",
      "isAutomated",
      "unavailable"
    ],
    Schema.Boolean
  ),
  ...maybeAll(["followers", "following", "favouritesCount", "mediaCount", "statusesCount"], Schema.Int),
  ...maybeAll(["withheldInCountries", "pinnedTweetIds"], Schema.Array(Schema.String))
})
export interface TweetAuthor extends Schema.Schema.Type<typeof TweetAuthor> {}

export const TweetEntities = Open({
  hashtags: Maybe(Schema.Array(Open({ indices: Maybe(Indices), text: Maybe(Schema.String) }))),
  urls: Maybe(
    Schema.Array(Open({ indices: Maybe(Indices), ...maybeAll(["display_url", "expanded_url", "url"], Schema.String) }))
  ),
  user_mentions: Maybe(Schema.Array(Open(maybeAll(["id_str", "name", "screen_name"], Schema.String))))
})
export interface TweetEntities extends Schema.Schema.Type<typeof TweetEntities> {}

export const Tweet = Open({
  id: Schema.String,
  ...maybeAll(
    [
      "type",
      "url",
      "text",
      "source",
      "createdAt",
      "lang",
      "inReplyToId",
      "conversationId",
      "inReplyToUserId",
      "inReplyToUsername",
      "quoted_tweet",
      "retweeted_tweet"
    ],
    Schema.String
  ),
  ...maybeAll(["retweetCount", "replyCount", "likeCount", "quoteCount", "viewCount", "bookmarkCount"], Schema.Int),
  ...maybeAll(["isReply", "isLimitedReply"], Schema.Boolean),
  displayTextRange: Maybe(Indices),
  author: Maybe(TweetAuthor),
  entities: Maybe(TweetEntities)
})
export interface Tweet extends Schema.Schema.Type<typeof Tweet> {
  readonly author?: TweetAuthor | null
  readonly entities?: TweetEntities | null
}

export const TweetPage = Open({
  tweets: Schema.Array(Tweet),
  has_next_page: Schema.Boolean,
  ...maybeAll(["next_cursor", "status", "message"], Schema.String)
}).annotate({ identifier: "TweetPage" })
export interface TweetPage extends Schema.Schema.Type<typeof TweetPage> {
  readonly tweets: ReadonlyArray<Tweet>
}
