import type { Charge } from "@tollgate/contract/Outcome"
import type { CallOptions, PageOptions, StreamOptions } from "../options/CallOptions.ts"
import type { QuoteOptions } from "../call/quote.ts"
import type { GenerateVideoOptions, VideoOptions } from "../after/video/videoProgress.ts"

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
  readonly signal?: AbortSignalLike
}

/** Options of one call. They override those of the client. */
export interface PromiseCallOptions extends CallOptions, Abortable {}

/** Options of one stream. */
export interface PromiseStreamOptions extends Omit<StreamOptions, "onCharge">, Abortable {
  /** Called with the charge, if the gateway sends it, after the last event or an error event. */
  readonly onCharge?: (charge: Charge) => void | Promise<void>
}

/** Options of a list. It makes several calls, which cannot share one idempotency key; `timeout` is of each. */
export interface PromisePageOptions extends PageOptions, Abortable {}

/** Options of waiting for a video. `timeout` is of the whole wait. */
export interface PromiseVideoOptions extends VideoOptions, Abortable {}

/** Options of the call that starts a video, and of waiting for it. `timeout` is of the wait. */
export interface PromiseGenerateVideoOptions extends GenerateVideoOptions, Abortable {}

/** Options of a quote. */
export interface PromiseQuoteOptions extends QuoteOptions, Abortable {}
