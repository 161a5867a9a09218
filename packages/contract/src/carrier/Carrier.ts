import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"

/** A request to send. Header names are in lower case. */
export interface Outgoing {
  readonly method: string
  readonly origin: string
  /** Includes the query string. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
  /** Time limit until the head of the answer, and until its last byte if the body is collected. */
  readonly deadlineMillis: number
  /** The longest gap between chunks of a streamed body. */
  readonly idleMillis: number
  /** The longest body that is collected. On a longer one the request ends, with `too large`. No limit by default. */
  readonly maxBytes?: number
  /** Whether the address may be private. No by default. */
  readonly private?: boolean
  /** Whether a page that is left sends it all the same. No by default. */
  readonly keepalive?: boolean
  /** Whether the body of an answer with this head is streamed or collected. */
  readonly isStreamed: (head: Head) => boolean
  /** Called if the request is interrupted, and its first byte provably was not written. */
  readonly onUnsent?: () => void
}

export interface Head {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

export interface Incoming extends Head {
  readonly body: Uint8Array | Stream.Stream<Uint8Array, NotCarried>
}

/** `not sent` is proof that the server received nothing of the request. */
export class NotCarried extends Data.TaggedError("NotCarried")<{
  readonly why: "not sent" | "broken" | "timeout" | "too large"
  /** It was not sent because the time limit passed. */
  readonly late?: boolean
  /** What is wrong with the answer, if one arrived: "The upstream answered …". */
  readonly answered?: string
  /** The platform's own error. */
  readonly cause?: unknown
}> {}

/**
 * The port to the network: sends a request and returns its answer. It is smaller than an HTTP client, so that a platform
 * can implement it directly. Interruption aborts the request.
 */
export class Carrier extends Context.Service<
  Carrier,
  { readonly carry: (outgoing: Outgoing) => Effect.Effect<Incoming, NotCarried> }
>()("@tollgate/contract/Carrier") {}
