import type { Names } from "@tollgate/contract/Names"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { Scenario } from "./Scenario.ts"

/** How many units of each kind are billed. An empty record is free and gets no entry in the billing log. */
export type Counts = Readonly<Record<string, number>>

interface AnswerBase {
  /** The id of the contract's operation, with the names filled in. */
  readonly operation: string
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

interface Json extends AnswerBase {
  readonly body: Readonly<Record<string, unknown>>
  readonly billed: Counts
}

interface Bytes extends AnswerBase {
  readonly bytes: Uint8Array
  readonly contentType: string
  readonly billed: Counts
}

export interface StreamEvent {
  readonly data: string
  readonly event?: string
  /** The number of output tokens in this event. */
  readonly tokens: number
  /** Part of the regular end. A stream that is cut stops before it. */
  readonly final?: true
}

/** How events are written on the wire. */
export interface Framing {
  readonly contentType: string
  readonly frame: (event: StreamEvent, index: number) => string
  /** The text after the last of `sent` events. */
  readonly close: (sent: number) => string
}

export interface Events {
  readonly framing: Framing
  /** Starts from the beginning each time, and creates each event when it is read. */
  readonly generate: () => Iterable<StreamEvent>
  /** The protocol's own error event, after `sent` others. */
  readonly failure: StreamEvent | ((sent: number) => StreamEvent)
}

export interface Streamed extends AnswerBase {
  readonly events: Events
  /** Depends on the output tokens that were sent until the stream ended. */
  readonly billed: (output: number) => Counts
}

/** An upstream's answer, and what it bills for it. */
export type BilledAnswer = Json | Bytes | Streamed

export class InvalidInput extends Data.TaggedError("InvalidInput")<{
  readonly message: string
  /** 400 by default. */
  readonly status?: number
  readonly code?: string
  /** The invalid field. */
  readonly param?: string
}> {}

export const refusedWith = (status: number, code: string, message: string) =>
  new InvalidInput({ status, code, message })

export interface Context {
  /** The values of the path parameters. */
  readonly parameters: Readonly<Record<string, string>>
  readonly scenario: Scenario
  readonly names: Names
  /** The only address that the platform's page redirects to. Missing: it redirects nowhere. */
  readonly redirectUri?: string | undefined
}

/** Answers the requests of one operation. */
export type Handler = (request: HttpServerRequest, context: Context) => Effect.Effect<BilledAnswer, InvalidInput>
