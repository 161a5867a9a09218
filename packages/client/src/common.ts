// What programs with Effect and without it use alike.

export type * from "./generated/types.ts"
export type { Amount, Usd } from "@tollgate/contract/Money"
export type { Charge, Outcome } from "@tollgate/contract/Outcome"
export type { RateLimits } from "@tollgate/contract/RateLimits"
export type { TaskStatus } from "@tollgate/contract/Task"
export type { HookRequest, HookResponse } from "./Client.ts"
export type { PromiseClient } from "./promises/PromiseClient.ts"
export type {
  Abortable,
  CallPromise,
  DerivedOptions,
  EventStream,
  PromiseBudgetOptions,
  PromiseCallOptions,
  PromiseGenerateVideoOptions,
  PromisePageOptions,
  PromiseQuoteOptions,
  PromiseStreamOptions,
  PromiseVideoOptions,
  Time
} from "./promises/Promises.ts"
export type { Progress } from "./workflows/video/videoProgress.ts"
export { textOf } from "./events/Event.ts"
export {
  addEvent,
  emptyMessage,
  finalMessage,
  type StreamedMessage,
  tee,
  type ToolCall,
  toReadableStream,
  toResponse
} from "./events/streamed.ts"
export { type Usage, usageOf } from "./events/usage.ts"

// What a call fails with.
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
export {
  AnswerInvalid,
  BudgetExceeded,
  CredentialUnavailable,
  InputInvalid,
  OutcomeUnknown,
  PaceExceeded,
  ResellerFailed,
  TransportFailed
} from "./errors/errors.ts"
export { EventInvalid, StreamFailed, StreamTimedOut, StreamTruncated } from "./events/errors.ts"
export { VideoCanceled, VideoFailed, VideoLost, VideoTimedOut, VideoUnseen } from "./workflows/video/pollTask.ts"
export { PagingStuck } from "./workflows/page/paginate.ts"
export { CallAborted } from "./promises/CallAborted.ts"
