import type { Comment, CommentPage } from "@tollgate/contract/resources/Comments"
import type { Tweet, TweetPage } from "@tollgate/contract/resources/Tweet"
import type { PostCommentsInput, TweetQuotesInput } from "../generated/operations.ts"
import type { PromisePageOptions } from "./PromiseOptions.ts"

/** Lists that are read page by page. */
export interface PageFunctions {
  /**
   * Comments of a post, one by one. A page is requested, and paid for, when it is read.
   *
   * @example
   * for await (const { text } of tollgate.postCommentsItems({ url: "https://photos.example/p/river" })) console.log(text)
   */
  readonly postCommentsItems: (input: PostCommentsInput, options?: PromisePageOptions) => AsyncIterable<Comment>

  /**
   * Comments of a post, page by page. A page is requested, and paid for, when it is read.
   *
   * @example
   * for await (const { comments } of tollgate.postCommentsPages({ url: "https://photos.example/p/river" })) console.log(comments)
   */
  readonly postCommentsPages: (input: PostCommentsInput, options?: PromisePageOptions) => AsyncIterable<CommentPage>

  /**
   * Posts that quote a post, one by one. A page is requested, and paid for, when it is read.
   *
   * @example
   * for await (const { text } of tollgate.tweetQuotesItems({ tweetId: "1700000000000000000" })) console.log(text)
   */
  readonly tweetQuotesItems: (input: TweetQuotesInput, options?: PromisePageOptions) => AsyncIterable<Tweet>

  /**
   * Posts that quote a post, page by page. A page is requested, and paid for, when it is read.
   *
   * @example
   * for await (const { tweets } of tollgate.tweetQuotesPages({ tweetId: "1700000000000000000" })) console.log(tweets)
   */
  readonly tweetQuotesPages: (input: TweetQuotesInput, options?: PromisePageOptions) => AsyncIterable<TweetPage>
}
