import type { Charge } from "@tollgate/contract/Outcome"
import * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"

/** Asks for the charge of a stream that ended without telling it: `leftCharge` of `@tollgate/client/account`. */
export interface LeftCharge {
  readonly longestMillis: number
}

/** What it takes to go on with a stream, in this program or another one. Plain data, without the credential. */
export interface ResumeToken {
  readonly operation: string
  readonly idempotencyKey: string
  /** Of the last event that was read. Missing: none was. */
  readonly lastEventId?: string
  readonly input: unknown
  /** The option `extra`. */
  readonly extra?: Readonly<Record<string, unknown>>
}

/** Lets a stream go on after its connection broke. `resumable` of `@tollgate/client/resumable` makes one for each stream. */
export interface Resumable {
  /** What to store, so that `resumeStream` goes on after the event that was read last. `undefined`: nothing was sent. */
  readonly token: () => ResumeToken | undefined
}

/** Options of one call. They override those of the client. */
export interface CallOptions {
  /** Of the whole call, all attempts and waits included: `"5 seconds"`, or milliseconds. For a stream, until it begins. */
  readonly timeout?: Duration.Input
  /**
   * Of each attempt, from when it is sent. After it the attempt is retried like one whose connection broke. For a stream, until
   * it begins. Defaults to what is left of `timeout`.
   */
  readonly attemptTimeout?: Duration.Input
  /** How often the call may be retried. */
  readonly retries?: number
  /** Added to the request. Headers that the client sets itself win. */
  readonly headers?: Readonly<Record<string, string>>
  /** Replaces the generated key. The same key and input get the stored answer and are not charged again. */
  readonly idempotencyKey?: string
  /** The most that the call may cost, in decimal USD. A call that can cost more is refused before anything is spent. */
  readonly maxPrice?: string
  /** A scenario of the sandbox, for tests: `"status; code=429; after=2"`. Other upstreams never see it. */
  readonly scenario?: string
  /** Tags of the call, for usage reports: `{ team: "search" }`. Up to 8. Upstreams never see them. */
  readonly tags?: Readonly<Record<string, string>>
  /**
   * Asks for a kept answer to the same request, where the operator allows it: `"use"`, `{ maxAge: 60 }` for one of at most
   * this many seconds, `"refresh"` to execute the call and keep its answer. The header `x-<provider>-cache` of the answer says
   * whether it was a `hit`.
   */
  readonly cache?: "use" | "refresh" | { readonly maxAge: number }
  /** Fields that the interface does not define. They go into the body, or into the query if there is no body. */
  readonly extra?: Readonly<Record<string, unknown>>
}

/** Options of one stream. */
export interface StreamOptions extends CallOptions {
  /** The longest silence; keep-alives count. A stream has no limit in total. */
  readonly idleTimeout?: Duration.Input
  /**
   * Called with the charge, if the gateway sends it, after the last event or an error event. If the stream is left earlier, it is
   * called only with the option `leftCharge`.
   */
  readonly onCharge?: (charge: Charge) => Effect.Effect<void>
  /**
   * Asks for the charge if the stream is left before its end, or breaks: `leftCharge` of `@tollgate/client/account`. Leaving then
   * waits for it, five seconds at most.
   */
  readonly leftCharge?: LeftCharge
  /** Lets the stream go on after its connection broke: `resumable()` of `@tollgate/client/resumable`, one for each stream. */
  readonly resumable?: Resumable
}

/** Options of a list. It makes several calls, which cannot share one idempotency key; `timeout` is of each. */
export type PageOptions = Omit<CallOptions, "idempotencyKey">

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
