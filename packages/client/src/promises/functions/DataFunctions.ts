import type { CallPromise } from "../CallPromise.ts"
import type { Comment, CommentPage } from "@tollgate/contract/resources/Comments"
import type { FinancialSnapshot } from "@tollgate/contract/resources/FinancialSnapshot"
import type { RerankResult } from "@tollgate/contract/resources/RerankResult"
import type { RerankV2Result } from "@tollgate/contract/resources/RerankV2Result"
import type { ResellerEnvelope } from "@tollgate/contract/resources/ResellerEnvelope"
import type { Tweet, TweetPage } from "@tollgate/contract/resources/Tweet"
import type { PromiseCallOptions, PromisePageOptions } from "../PromiseOptions.ts"
import type { CachedAnswerInput } from "../../operations/cachedAnswer.ts"
import type { CreatorInsightsInput } from "../../operations/creatorInsights.ts"
import type { FinancialSnapshotInput } from "../../operations/financialSnapshot.ts"
import type { FollowInput, FollowResult } from "../../operations/follow.ts"
import type { PostCommentsInput } from "../../operations/postComments.ts"
import type { RerankInput } from "../../operations/rerank.ts"
import type { RerankV2Input } from "../../operations/rerankV2.ts"
import type { TagDetailInput } from "../../operations/tagDetail.ts"
import type { TrafficEngagementInput, TrafficEngagementResult } from "../../operations/trafficEngagement.ts"
import type { TweetQuotesInput } from "../../operations/tweetQuotes.ts"
import type { UserStoriesInput } from "../../operations/userStories.ts"
import type { WordSuggestionsInput } from "../../operations/wordSuggestions.ts"

/** Search and data. */
export interface DataFunctions {
  /**
   * An earlier answer, read again at no charge.
   *
   * @example
   * const { data } = await client.cachedAnswer({ id })
   */
  readonly cachedAnswer: (input: CachedAnswerInput, options?: PromiseCallOptions) => CallPromise<ResellerEnvelope>

  /**
   * Videos behind a creator search insight.
   *
   * @example
   * const { data } = await client.creatorInsights({ keyword: "rivers", page_size: 5 })
   */
  readonly creatorInsights: (input: CreatorInsightsInput, options?: PromiseCallOptions) => CallPromise<ResellerEnvelope>

  /**
   * Financial metrics of a company as they stand.
   *
   * @example
   * const { snapshot } = await client.financialSnapshot({ ticker: "ACME" })
   */
  readonly financialSnapshot: (
    input: FinancialSnapshotInput,
    options?: PromiseCallOptions
  ) => CallPromise<FinancialSnapshot>

  /**
   * Follows a user on behalf of the linked account. If the outcome is unknown, it fails with `OutcomeUnknown` and is not
   * retried.
   *
   * @example
   * await client.follow({ target_user_id: "12" })
   */
  readonly follow: (input: FollowInput, options?: PromiseCallOptions) => CallPromise<FollowResult>

  /**
   * Top-level comments of a post. `postCommentsItems` reads all pages.
   *
   * @example
   * const { comments } = await client.postComments({ url: "https://photos.example/p/river" })
   */
  readonly postComments: (input: PostCommentsInput, options?: PromiseCallOptions) => CallPromise<CommentPage>

  /**
   * Comments of a post, one by one. A page is requested, and paid for, when it is read.
   *
   * @example
   * for await (const { text } of client.postCommentsItems({ url: "https://photos.example/p/river" })) console.log(text)
   */
  readonly postCommentsItems: (input: PostCommentsInput, options?: PromisePageOptions) => AsyncIterable<Comment>

  /**
   * Comments of a post, page by page. A page is requested, and paid for, when it is read.
   *
   * @example
   * for await (const { comments } of client.postCommentsPages({ url: "https://photos.example/p/river" })) console.log(comments)
   */
  readonly postCommentsPages: (input: PostCommentsInput, options?: PromisePageOptions) => AsyncIterable<CommentPage>

  /**
   * Orders documents by their relevance to a query.
   *
   * @example
   * const { results } = await client.rerank({ query: "longest river", documents: ["The Nile…", "Everest…"] })
   */
  readonly rerank: (input: RerankInput, options?: PromiseCallOptions) => CallPromise<RerankResult>

  /**
   * Orders documents by their relevance to a query, in the Cohere style. The results have the positions of the documents.
   *
   * @example
   * const { results } = await client.rerankV2({
   *   model: "rerank",
   *   query: "longest river",
   *   documents: ["The Nile…", "Everest…"]
   * })
   */
  readonly rerankV2: (input: RerankV2Input, options?: PromiseCallOptions) => CallPromise<RerankV2Result>

  /**
   * What a tag is about.
   *
   * @example
   * const { data } = await client.tagDetail({ tag_name: "rivers" })
   */
  readonly tagDetail: (input: TagDetailInput, options?: PromiseCallOptions) => CallPromise<ResellerEnvelope>

  /**
   * How visitors engage with a website.
   *
   * @example
   * const figures = await client.trafficEngagement({ domain: "example.com" })
   */
  readonly trafficEngagement: (
    input: TrafficEngagementInput,
    options?: PromiseCallOptions
  ) => CallPromise<TrafficEngagementResult>

  /**
   * Posts that quote a post. `tweetQuotesItems` reads all pages.
   *
   * @example
   * const { tweets } = await client.tweetQuotes({ tweetId: "1700000000000000000" })
   */
  readonly tweetQuotes: (input: TweetQuotesInput, options?: PromiseCallOptions) => CallPromise<TweetPage>

  /**
   * Posts that quote a post, one by one. A page is requested, and paid for, when it is read.
   *
   * @example
   * for await (const { text } of client.tweetQuotesItems({ tweetId: "1700000000000000000" })) console.log(text)
   */
  readonly tweetQuotesItems: (input: TweetQuotesInput, options?: PromisePageOptions) => AsyncIterable<Tweet>

  /**
   * Posts that quote a post, page by page. A page is requested, and paid for, when it is read.
   *
   * @example
   * for await (const { tweets } of client.tweetQuotesPages({ tweetId: "1700000000000000000" })) console.log(tweets)
   */
  readonly tweetQuotesPages: (input: TweetQuotesInput, options?: PromisePageOptions) => AsyncIterable<TweetPage>

  /**
   * Stories of a user.
   *
   * @example
   * const { data } = await client.userStories({ username: "ada" })
   */
  readonly userStories: (input: UserStoriesInput, options?: PromiseCallOptions) => CallPromise<ResellerEnvelope>

  /**
   * Search words that a shop suggests.
   *
   * @example
   * const { data } = await client.wordSuggestions({ search_word: "canoe", language: "en", region: "US" })
   */
  readonly wordSuggestions: (input: WordSuggestionsInput, options?: PromiseCallOptions) => CallPromise<ResellerEnvelope>
}
