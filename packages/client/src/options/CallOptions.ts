import type { Usd } from "@tollgate/contract/Money"
import type { Charge } from "@tollgate/contract/Outcome"
import * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"

/** What it takes to go on with a stream, in this program or another one. Plain data, without the credential. */
export interface ResumeToken {
  /** The operation's id, such as `chat.completions`. */
  readonly operation: string
  /** Of the call. The stream goes on under it, and is paid once. */
  readonly idempotencyKey: string
  /** Of the last event that was read. Missing: none was. */
  readonly lastEventId?: string
  /** What was asked, with the prompt. */
  readonly input: unknown
  /** The option `extra`. */
  readonly extra?: Readonly<Record<string, unknown>>
}

/** Lets a stream go on after its connection broke. `resumable` of `@tollgate/client/resumable` makes one for each stream. */
export interface Resumable {
  /**
   * What to store, so that `resumeStream` goes on after the event that was read last. It is there as soon as the function is called,
   * before anything is sent.
   */
  readonly token: () => ResumeToken | undefined
}

/** A length of time: milliseconds, or a text such as `"5 seconds"`. */
export type Time = number | `${number} ${"millis" | Unit | `${Unit}s`}`
type Unit = "second" | "minute" | "hour" | "day" | "week"

/** Options of a call that is resumed. The others are those of the first call. */
export interface ResumeOptions {
  /** Of the whole call, all attempts and waits included: `"5 seconds"`, or milliseconds. For a stream, until it begins. */
  readonly timeout?: Time | Duration.Duration | undefined
  /**
   * Of each attempt, from when it is sent. After it the attempt is retried like one whose connection broke. For a stream, until
   * it begins. Defaults to what is left of `timeout`.
   */
  readonly attemptTimeout?: Time | Duration.Duration | undefined
  /** How often the call may be retried. */
  readonly retries?: number | undefined
  /** Added to the request. Headers that the client sets itself win. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** What a call, a quote and a derived client share. */
export interface SharedOptions extends ResumeOptions {
  /** A scenario of the sandbox, for tests: `"status; code=429; after=2"`. Other upstreams never see it. */
  readonly scenario?: string | undefined
  /** Tags of the call, for usage reports: `{ team: "search" }`. Up to 8. Upstreams never see them. */
  readonly tags?: Readonly<Record<string, string>> | undefined
}

/** Options of a quote. */
export interface QuoteOptions extends SharedOptions {
  /**
   * Asks for a cached answer to the same request, where the operator allows it: `"use"`, `{ maxAge: 60 }` for one of at most
   * this many seconds, `"refresh"` to execute the call and cache its answer. The header `x-<provider>-cache` of the answer says
   * whether it was a `hit`.
   */
  readonly cache?: "use" | "refresh" | { readonly maxAge: number } | undefined
  /** Fields that the API does not define. They go into the body, or into the query if there is no body. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined
}

/** Options of a list. It makes several calls, which cannot share one idempotency key; `timeout` is of each. */
export interface PageOptions extends QuoteOptions {
  /** The most that a call may cost, in USD: `"0.05"`, or `{ micros: 50_000 }`. One that can cost more is refused unpaid. */
  readonly maxPrice?: Usd | undefined
}

/** Options of one call. They override those of the client. */
export interface CallOptions extends PageOptions {
  /** Replaces the generated key. The same key and input get the stored answer and are not charged again. */
  readonly idempotencyKey?: string | undefined
}

/** What streams add to the options of a call. */
export interface StreamTerms extends CallOptions {
  /** The longest silence; keep-alives count. A stream has no limit in total. */
  readonly idleTimeout?: Time | Duration.Duration | undefined
  /** Lets the stream go on after its connection broke: `resumable()` of `@tollgate/client/resumable`, one for each stream. */
  readonly resumable?: Resumable | undefined
}

/** Options of one stream. */
export interface StreamOptions extends StreamTerms {
  /**
   * Called once with the charge, after the last event or an error event. If the stream is left earlier or breaks, the client asks
   * for the charge, and calls this a moment later.
   */
  readonly onCharge?: ((charge: Charge) => Effect.Effect<void>) | undefined
}

/** The longest that a runtime's timer can wait. */
const longest = 2 ** 31 - 1

/** Milliseconds of a duration that a caller wrote. Throws if it is none. */
export const millisOf = (duration: Duration.Input): number => {
  try {
    const millis = Duration.toMillis(duration)
    // Effect takes NaN for no time at all.
    if (millis >= 0 && !Number.isNaN(duration)) return Math.min(longest, millis)
  } catch {
    // The error below says more.
  }
  throw new TypeError('A timeout is milliseconds, or a text such as "5 seconds"')
}
