import type { Usd } from "@tollgate/contract/Money"
import type * as Duration from "effect/Duration"
import type { Charge } from "@tollgate/contract/Outcome"
import type {
  CallOptions,
  PageOptions,
  QuoteOptions,
  ResumeOptions,
  SharedOptions,
  StreamTerms,
  Time
} from "../options/CallOptions.ts"

export type { Time }
import type { GenerateVideoOptions, VideoOptions } from "../workflows/video/videoProgress.ts"

/** The part of the platform's `AbortSignal` that is used here. */
export interface AbortSignalLike {
  readonly aborted: boolean
  readonly reason: unknown
  readonly addEventListener: (type: "abort", listener: () => void, options?: { readonly once: boolean }) => void
  readonly removeEventListener: (type: "abort", listener: () => void) => void
}

/** What promises add to the options of a function. */
export interface Abortable {
  /** Aborting stops the call and closes its connection. */
  readonly signal?: AbortSignalLike | undefined
}

/** Options of one call. They override those of the client. */
export interface PromiseCallOptions extends CallOptions, Abortable {}

/** Options of one stream. */
export interface PromiseStreamOptions extends StreamTerms, Abortable {
  /**
   * Called once with the charge, after the last event or an error event. If the stream is left earlier or breaks, the client asks
   * for the charge, and calls this a moment later.
   */
  readonly onCharge?: ((charge: Charge) => void | Promise<void>) | undefined
}

/** Options of a list. It makes several calls, which cannot share one idempotency key; `timeout` is of each. */
export interface PromisePageOptions extends PageOptions, Abortable {}

/** Options of waiting for a video. `timeout` is of the whole wait. */
export interface PromiseVideoOptions extends VideoOptions, Abortable {}

/** Options of the call that starts a video, and of waiting for it. `timeout` is of the wait. */
export interface PromiseGenerateVideoOptions extends GenerateVideoOptions, Abortable {}

/** Options of a budget. */
export interface PromiseBudgetOptions {
  /** `wait`: calls wait for money that others have reserved. Default: they fail at once. */
  readonly wait?: (() => object) | undefined
}

/** Options of a quote. */
export interface PromiseQuoteOptions extends QuoteOptions, Abortable {}

/** Options of a call that is resumed. The others are those of the first call. */
export interface PromiseResumeOptions extends ResumeOptions, Abortable {}

/** What a client for one user, or for one request, has of its own. It overrides the client's; headers are added up. */
export interface DerivedOptions extends SharedOptions, PromiseBudgetOptions {
  /** The most that each call may cost, in USD: `"0.05"`, or `{ micros: 50_000 }`. */
  readonly maxPrice?: Usd | undefined
  /** The longest silence of a stream; keep-alives count. */
  readonly idleTimeout?: Time | Duration.Duration | undefined
  /** What its calls together may spend, in USD: `"0.50"`, or `{ micros: 500_000 }`. */
  readonly budget?: Usd | undefined
}
