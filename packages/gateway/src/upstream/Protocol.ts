import type { NanoUsd } from "@tollgate/contract/Money"
import type { Evidence, TokenUsage } from "@tollgate/contract/price/evidence"
import type { TaskStatus } from "@tollgate/contract/Task"
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
  /** For a protocol whose calls start tasks. */
  readonly task?: TaskProtocol
}

/** What an upstream reports about a task, in the terms of the contract. */
export interface TaskReport {
  /** The upstream's id of the task. Callers never see it. */
  readonly id: string
  readonly status: TaskStatus
  /** The fields of the contract's `output`. */
  readonly output: Readonly<Record<string, unknown>>
  /** The contract's `usage`; not shown unless it is an object. */
  readonly usage?: unknown
  /** What a canceled task cost, if the upstream reports an amount. Without one a canceled task costs nothing. */
  readonly cost?: NanoUsd
}

/** How an upstream starts a task and reports its status. */
export interface TaskProtocol {
  /** Reads the answer to a create. `undefined`: it names no task. */
  readonly readCreated: (answer: Answer) => TaskReport | undefined
  /** The caller's answer to a create, with the gateway's `id` for the task in place of the upstream's. */
  readonly createdAnswer: (answer: Answer, id: string, requestId: string) => Answer
  /** Asks for the status of a task. `id` is the upstream's, `requestId` that of the create. */
  readonly pollRequest: (id: string, requestId: string) => Message & { readonly method: "GET" | "POST" }
  /** Reads the body of a 2xx answer to a poll. `undefined`: it cannot be relied on. */
  readonly readPoll: (body: Uint8Array) => TaskReport | undefined
}
