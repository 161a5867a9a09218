import type { Evidence } from "@tollgate/contract/price/evidence"
import type * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import type { Decoded, Priced } from "../Exchange.ts"
import type { NotCarried } from "./Carrier.ts"

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
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
}

/** The shape of what an upstream takes and gives. One file each in `protocols/`. */
export interface Protocol {
  readonly id: string
  readonly request: (exchange: Decoded) => Message
  /** What the answer proves of its cost; `none` where it says nothing. */
  readonly evidence: (exchange: Priced, answer: Answer) => Option.Option<Evidence>
}
