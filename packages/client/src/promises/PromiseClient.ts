import type { OperationFunctions } from "./generated/OperationFunctions.ts"
import type * as operations from "../operations.ts"
import type { DerivedOptions } from "./PromiseOptions.ts"
import type {
  CallPromise,
  PromiseBudgetOptions,
  PromiseGenerateVideoOptions,
  PromisePageOptions,
  PromiseVideoOptions,
  Quotes,
  Resumes
} from "./Promises.ts"
import type { Comment, CommentPage } from "@tollgate/contract/resources/Comments"
import type { Usd } from "@tollgate/contract/Money"
import type { Tweet, TweetPage } from "@tollgate/contract/resources/Tweet"
import type { PostCommentsInput, TweetQuotesInput, VideoCreateInput } from "../generated/operations.ts"
import type { VideoTask } from "@tollgate/contract/resources/VideoTask"
import type { Progress } from "../workflows/video/videoProgress.ts"

/** Videos, which take several calls. */
interface VideoFunctions {
  /**
   * Waits until the task succeeds. Every error has the `taskId`, so that waiting can resume.
   *
   * @example
   * const { output } = await tollgate.awaitVideo(taskId, { timeout: "10 minutes" })
   */
  readonly awaitVideo: (taskId: string, options?: PromiseVideoOptions) => CallPromise<VideoTask>

  /**
   * Starts a video and waits for it. To store the id of the task before waiting, call `videoCreate` and `awaitVideo`.
   *
   * @example
   * const { output } = await tollgate.generateVideo({ model: "sandbox-video", input: { prompt: "A river from above" } })
   */
  readonly generateVideo: (input: VideoCreateInput, options?: PromiseGenerateVideoOptions) => CallPromise<VideoTask>

  /**
   * The status of a task after each poll, until it succeeds; any other end is an error.
   *
   * @example
   * for await (const { status } of tollgate.videoProgress(taskId)) console.log(status)
   */
  readonly videoProgress: (taskId: string, options?: PromiseVideoOptions) => AsyncIterable<Progress>
}

/** Lists that are read page by page. */
interface PageFunctions {
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

/**
 * Every function of the client without Effect. A call is a promise, which rejects with the same errors. A stream is read with
 * `for await`, which sends the request at the first step and closes the connection when the loop ends.
 */
export interface PromiseClient extends OperationFunctions, PageFunctions, VideoFunctions {
  /**
   * Asks for the price of a call without making it. Free of charge.
   *
   * @example
   * const { max } = await tollgate.quote.rerank({ query: "longest river", documents: ["The Nile…"] })
   */
  readonly quote: Quotes<typeof operations>

  /**
   * Asks for the outcome of a call that rejected with `OutcomeUnknown` or `CallAborted`. It sends the same input under the same
   * idempotency key, so it is never paid twice.
   *
   * @example
   * const { results } = await tollgate.resume.rerank(error)
   */
  readonly resume: Resumes<typeof operations>

  /**
   * This client with options for one user or one request: tags, time limits, headers, a budget. It shares this client's
   * connections, limits and budgets, and is cheap enough to be made for each call.
   *
   * @example
   * const forAnna = tollgate.with({ tags: { user: "anna" }, timeout: "30 seconds", budget: "0.50" })
   * await forAnna.rerank({ query: "longest river", documents: ["The Nile…"] })
   */
  readonly with: (options: DerivedOptions) => PromiseClient

  /**
   * A client whose calls together may spend this many USD. Each billed call is quoted first and rejects with `BudgetExceeded`
   * if it can cost more than is left. It shares this client's connections.
   *
   * @example
   * const careful = tollgate.withBudget("1.00")
   * await careful.rerank({ query: "longest river", documents: ["The Nile…"] })
   */
  readonly withBudget: (usd: Usd, options?: PromiseBudgetOptions) => PromiseClient

  /**
   * Interrupts calls in flight and closes the connections.
   *
   * @example
   * await tollgate.close()
   */
  readonly close: () => Promise<void>
}
