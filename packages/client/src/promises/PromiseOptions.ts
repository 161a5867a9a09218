import type { Charge } from "@tollgate/contract/Outcome"
import type { CallOptions, PageOptions, StreamOptions } from "../options/CallOptions.ts"
import type { QuoteOptions } from "../call/quote.ts"
import type { GenerateVideoOptions } from "../after/video/awaitVideo.ts"
import type { VideoOptions } from "../after/video/videoProgress.ts"
import type { Abortable } from "./CallOptions.ts"

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
