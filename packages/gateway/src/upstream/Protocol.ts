import type { Evidence, TokenUsage } from "@tollgate/contract/price/evidence"
import type * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import type { Decoded, Priced } from "../Exchange.ts"
import type { Head, NotCarried } from "@tollgate/contract/carrier/Carrier"

/** An answer of an upstream, whole. */
export interface Answer {
  readonly status: number
  readonly contentType: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
}

/** An answer that is handed on while it arrives. */
export interface Streaming extends Omit<Answer, "bytes"> {
  readonly stream: Stream.Stream<Uint8Array, NotCarried>
}

/** What a protocol says to send. Names of headers are in lower case. */
export interface Message {
  /** With the query, where there is one. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
}

/** What the upstream calls things, where that differs from what the caller calls them. */
export interface Alias {
  readonly model?: string
  readonly path?: string
}

/** Follows a streamed answer as it passes, and knows at every moment what is known of its cost. */
export interface Watch {
  /** What goes on to the caller for this piece: mostly the piece itself; less, where the gateway asked for more. */
  readonly pass: (piece: Uint8Array) => Uint8Array
  /** What was held back when the upstream ended. */
  readonly finish: () => Uint8Array
  readonly seen: () => Seen
}

export interface Seen {
  /** `complete` with the protocol's own last event, `failed` with an error among the events. */
  readonly end: "open" | "complete" | "failed"
  /** The last that the upstream said of the tokens used. */
  readonly usage: TokenUsage | undefined
  /** Bytes of text that were generated and handed on, for an estimate where nothing is reported. */
  readonly textBytes: number
}

/** The shape of what an upstream takes and gives. One file each in `protocols/`. */
export interface Protocol {
  readonly id: string
  readonly request: (exchange: Decoded, alias: Alias) => Message
  /** What the answer proves of its cost; `none` where it says nothing. */
  readonly evidence: (exchange: Priced, answer: Answer) => Option.Option<Evidence>
  /** Whether the answer with this head is handed on as it arrives, or collected. */
  readonly isStreamed: (exchange: Decoded, head: Head) => boolean
  readonly watch: (exchange: Decoded) => Watch
}
