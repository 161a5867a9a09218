import type { Answer } from "../exchange/Reply.ts"
import type { Refusal, Refused } from "@tollgate/contract/errors/Refused"
import type { NanoUsd } from "@tollgate/contract/Money"
import type { Evidence, TokenUsage } from "@tollgate/contract/price/evidence"
import type { Used } from "@tollgate/contract/price/TokenKind"
import type { TaskStatus } from "@tollgate/contract/Task"
import type { Json } from "@tollgate/protocols/json"
import type * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import type { Decoded, Priced } from "../exchange/Exchange.ts"
import type { Provider } from "./Provider.ts"
import type { Head, NotCarried, Outgoing } from "@tollgate/contract/carrier/Carrier"

/** An answer that is forwarded while it arrives. */
export interface StreamedAnswer extends Omit<Answer, "bytes"> {
  /** The longest event that the provider may send. */
  readonly eventBytes: number
  readonly stream: Stream.Stream<Uint8Array, NotCarried>
  /** Redacts the gateway's credential in an error event. */
  readonly scrub?: (event: Uint8Array) => Uint8Array
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
  readonly model?: string | undefined
  readonly path?: string | undefined
  /** The fields that the upstream does not take. */
  readonly lacks?: ReadonlyArray<string> | undefined
}

/** Reads a streamed answer while it is forwarded, and can tell at any moment what it has cost so far. */
export interface StreamMeter {
  /**
   * Takes a chunk and returns what the caller gets: its bytes, without an event that is not complete yet, and without a report
   * that the caller did not ask for.
   */
  readonly push: (chunk: Uint8Array) => Uint8Array
  /** The upstream ended: returns the bytes that were held back. */
  readonly finish: () => Uint8Array
  /** An event is longer than the provider may send. Nothing of it is read or forwarded. */
  readonly isTooLarge: () => boolean
  readonly report: () => StreamReport
  /** Events before the last one only tell how far the call is. */
  readonly reportsProgress?: true
  /** The gateway's own error as an event, if the protocol has another shape for it than the family. */
  readonly errorEvent?: (error: Refusal) => Readonly<Record<string, unknown>>
}

export interface ReportedPart extends Pick<Used, "usage" | "details"> {
  /** `undefined`: the model of the call. */
  readonly model: string | undefined
}

/** What an upstream reports of its usage. A count that it left out is not known. */
export interface ReportedUsage extends Partial<TokenUsage>, Omit<Used, "usage"> {
  /** The model that answered. */
  readonly model?: string
  /** Tokens of the output that nobody gets to see. Missing: none were reported. */
  readonly reasoning?: number
  readonly parts?: ReadonlyArray<ReportedPart>
  /** Reported counts that are not known here, by their names. */
  readonly gaps?: ReadonlyArray<string>
}

export interface StreamReport {
  /** `complete` after the protocol's own last event, `failed` after an error event. `open` at the end: the stream broke off. */
  readonly state: "open" | "complete" | "failed"
  /** The upstream has sent an event of an answer. Without one the stream is not of this protocol and proves no cost. */
  readonly started: boolean
  /** The upstream has sent its finish reason: only the usage report can still come. */
  readonly finished: boolean
  /** The latest usage that the upstream reported. Counts that it did not report are missing. */
  readonly usage: ReportedUsage | undefined
  /** What is known before a usage report: the tier and the model that serve, tools that ran, counts that are impossible. */
  readonly served?: Pick<ReportedUsage, "tier" | "model" | "uses" | "gaps">
  /** The usage was reported with the finish reason or after it, so that nothing is missing from it. */
  readonly usageFinal: boolean
  /** Bytes of generated text forwarded so far, to estimate the cost from if no usage is reported. */
  readonly textBytes: number
  /** What the upstream says that the call cost, as written, where the price goes by that. */
  readonly reportedCost?: string | undefined
  /** The whole answer, in a protocol whose last event holds it. */
  readonly whole?: Uint8Array
}

/** What an answer, or what has arrived of one, tells of its cost. */
export type Facts = Pick<StreamReport, "usage" | "served" | "textBytes">

/** Gets the data of each event of a stream, and the object that it is. */
export type Tap = (data: string, event: Json | undefined) => void

/** The format of an upstream's requests and answers. One file each in `protocols/`. */
export interface Protocol {
  readonly id: string
  /** Refuses what this provider must not be asked for. Nothing is sent then. */
  readonly refuse?: (exchange: Decoded, provider: Provider) => Refused | undefined
  readonly request: (exchange: Decoded, alias: Alias) => Message
  /** What the answer proves about its cost; `none` if it proves nothing. */
  readonly evidence: (exchange: Priced, answer: Answer) => Option.Option<Evidence>
  /** Whether the answer with this head is forwarded as it arrives. Otherwise it is collected. */
  readonly isStreamed: (exchange: Decoded, head: Head) => boolean
  readonly streamMeter: (exchange: Decoded, eventBytes?: number, tap?: Tap) => StreamMeter
  /** The answer in the caller's protocol, if that is another. `undefined` of it: it is not of its own. */
  readonly turned?: (answer: Answer) => Answer | undefined
  readonly task?: TaskProtocol
  /** By id, the operations that have formats of their own. */
  readonly formats?: ReadonlyMap<string, Omit<Protocol, "id">>
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
  /** What the upstream said, if it has a form of its own, and the same as callers see it, with the gateway's id. */
  readonly own?: { readonly answer: unknown; readonly shown: (id: string) => string }
  /** What a canceled task cost, if the upstream reports an amount. Without one a canceled task costs nothing. */
  readonly cost?: NanoUsd
}

export interface TaskRequest extends Message {
  readonly method: Outgoing["method"]
}

/** How an upstream starts a task and reports its status. */
export interface TaskProtocol {
  /** Reads the answer to a create. `undefined`: it names no task. */
  readonly readCreated: (answer: Answer) => TaskReport | undefined
  /** The caller's answer to a create, with the gateway's `id` for the task in place of the upstream's. */
  readonly createdAnswer: (answer: Answer, id: string, requestId: string) => Answer
  /** Asks for the status of a task. `id` is the upstream's, `requestId` that of the create. */
  readonly pollRequest: (id: string, requestId: string) => TaskRequest
  /** Reads the body of a 2xx answer to a poll of the task `id`. `undefined`: it cannot be relied on. */
  readonly readPoll: (body: Uint8Array, id: string) => TaskReport | undefined
  /** Asks the upstream to stop a task. `undefined`: it cannot. */
  readonly cancelRequest?: (id: string, requestId: string) => TaskRequest | undefined
}
