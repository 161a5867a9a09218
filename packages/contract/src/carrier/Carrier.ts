import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"

/** A request as it goes out. Names of headers are in lower case. */
export interface Outgoing {
  readonly method: string
  readonly origin: string
  /** With the query, where there is one. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
  /** From the first byte sent to the head of the answer, and to its last byte where it is collected. */
  readonly deadlineMillis: number
  /** The longest silence within an answer that is handed on as it arrives. */
  readonly idleMillis: number
  /** Whether it may go to an address that is not public. If it is not said, it may not. */
  readonly private?: boolean
  /** Whether the answer with this head is handed on as it arrives, or collected. */
  readonly isStreamed: (head: Head) => boolean
}

export interface Head {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

export interface Incoming extends Head {
  readonly body: Uint8Array | Stream.Stream<Uint8Array, NotCarried>
}

/** `not sent` only with proof that the other side saw nothing of the request. */
export class NotCarried extends Data.TaggedError("NotCarried")<{
  readonly why: "not sent" | "broken" | "timeout"
  /** What the platform says of it. */
  readonly cause?: unknown
}> {}

/**
 * Brings a request to the other side and its answer back, in one effect: what a gateway or a client needs of an HTTP client
 * and no more, so that a platform can do it without a detour. Interruption ends the exchange.
 */
export class Carrier extends Context.Service<
  Carrier,
  { readonly carry: (outgoing: Outgoing) => Effect.Effect<Incoming, NotCarried> }
>()("@tollgate/contract/Carrier") {}
