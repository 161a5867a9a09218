export { call } from "./call/call.ts"
export type { CallFunction } from "./call/bindOperation.ts"
export type { CallOptions, PageOptions, StreamOptions } from "./options/CallOptions.ts"
export { type Bindings, Client, type Hooked, type HookRequest, type HookResponse, type Options } from "./Client.ts"
export type { Credential } from "./credential/credential.ts"
export * as FetchCarrier from "./FetchCarrier.ts"
export {
  AnswerInvalid,
  BudgetExceeded,
  type CallError,
  type ClientError,
  CredentialUnavailable,
  InputInvalid,
  OutcomeUnknown,
  PaceExceeded,
  ResellerFailed,
  TransportFailed
} from "./errors/errors.ts"
export type * from "./generated/types.ts"
export * from "./operations.ts"
export * as Money from "./workflows/Money.ts"
export type { Pacing } from "./pace/Permit.ts"
export { promises } from "./promises/makePromises.ts"
export { CallAborted } from "./promises/CallAborted.ts"
export type {
  Abortable,
  PromiseCallOptions,
  PromiseGenerateVideoOptions,
  PromisePageOptions,
  PromiseQuoteOptions,
  PromiseStreamOptions,
  PromiseVideoOptions
} from "./promises/Promises.ts"
export { createClient, type PromiseClient } from "./promises/createClient.ts"
export type { CallPromise, EventStream, Promises } from "./promises/Promises.ts"
export { quote, type QuoteError, type QuoteOptions } from "./call/quote.ts"
export { resume, type ResumeOptions } from "./call/resume.ts"
export { termsGroup } from "./call/budget.ts"
export * as Policy from "./retry/Policy.ts"
export { withIdempotencyKey, withMaxPrice } from "./options/settings.ts"
export { PagingStuck, paginate } from "./workflows/page/paginate.ts"
export type { PostCommentsPagesError } from "./workflows/page/postCommentsPages.ts"
export type { TweetQuotesPagesError } from "./workflows/page/tweetQuotesPages.ts"
export { type BrokenStream, EventInvalid, StreamFailed, StreamTimedOut, StreamTruncated } from "./events/errors.ts"
export { textOf } from "./events/Event.ts"
export { type Usage, usageOf } from "./events/usage.ts"
export {
  VideoCanceled,
  type VideoError,
  VideoFailed,
  VideoLost,
  VideoTimedOut,
  VideoUnseen
} from "./workflows/video/pollTask.ts"
export type {
  GenerateVideoError,
  GenerateVideoOptions,
  Progress,
  VideoOptions
} from "./workflows/video/videoProgress.ts"
export { type BudgetOptions, withBudget } from "./call/budget.ts"
export { type CallResponse, withResponse } from "./call/withResponse.ts"
export {
  Conflict,
  Forbidden,
  InvalidRequest,
  NotFound,
  OverBudget,
  RateLimited,
  ServerFault,
  Unauthenticated,
  Unavailable,
  UnexpectedStatus,
  Unprocessable,
  UpstreamFailed
} from "@tollgate/contract/errors/ApiError"
export type { Charge, Outcome } from "@tollgate/contract/Outcome"
export type { RateLimits } from "@tollgate/contract/RateLimits"
export type { TaskStatus } from "@tollgate/contract/Task"
