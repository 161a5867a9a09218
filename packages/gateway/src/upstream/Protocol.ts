import type { Evidence, TokenUsage } from "@tollgate/contract/price/evidence"
import type * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import type { Decoded, Priced } from "../Exchange.ts"
import type { Head, NotCarried } from "@tollgate/contract/carrier/Carrier"

/** A whole answer of an upstream. */
export interface Answer {
  readonly status: number
  readonly contentType: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
}

/** An answer that is forwarded while it arrives. */
export interface StreamedAnswer extends Omit<Answer, "bytes"> {
  readonly stream: Stream.Stream<Uint8Array, NotCarried>
}

/** The request that a protocol sends. Header names are in lower case. */
export interface Message {
  /** With the query, if there is one. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
}

/** The upstream's names, where they differ from the caller's. */
export interface Alias {
  readonly model?: string
  readonly path?: string
}

/** Reads a streamed answer while it is forwarded, and can tell at any moment what it has cost so far. */
export interface StreamMeter {
  /** Takes a chunk and returns what the caller gets: the chunk itself, unless a report that the caller did not ask for is removed. */
  readonly push: (chunk: Uint8Array) => Uint8Array
  /** The upstream ended: returns the bytes that were held back. */
  readonly finish: () => Uint8Array
  readonly report: () => StreamReport
}

export interface StreamReport {
  /** `complete` after the protocol's own last event, `failed` after an error event. */
  readonly state: "open" | "complete" | "failed"
  /** The latest usage that the upstream reported. */
  readonly usage: TokenUsage | undefined
  /** Bytes of generated text forwarded so far, to estimate the cost from if no usage is reported. */
  readonly textBytes: number
}

/** The format of an upstream's requests and answers. One file each in `protocols/`. */
export interface Protocol {
  readonly id: string
  readonly request: (exchange: Decoded, alias: Alias) => Message
  /** What the answer proves about its cost; `none` if it proves nothing. */
  readonly evidence: (exchange: Priced, answer: Answer) => Option.Option<Evidence>
  /** Whether the answer with this head is forwarded as it arrives. Otherwise it is collected. */
  readonly isStreamed: (exchange: Decoded, head: Head) => boolean
  readonly streamMeter: (exchange: Decoded) => StreamMeter
}
