import type { NotCarried } from "@tollgate/contract/carrier/Carrier"
import type { Code } from "@tollgate/contract/errors/codes"
import type { Family } from "@tollgate/contract/errors/Family"
import type * as Duration from "effect/Duration"
import type { Event } from "../events/Event.ts"

type Headers = Readonly<Record<string, string>>

interface Reply<A> {
  readonly kind: "reply"
  readonly value: A
  readonly cost?: string
  readonly headers?: Headers
}

export interface Refused {
  readonly kind: "refused"
  readonly code: Code
  readonly message?: string
  readonly status?: number
  readonly retryAfter?: Duration.Input
  readonly headers?: Headers
}

interface Raw {
  readonly kind: "raw"
  readonly status: number
  readonly headers: Headers
  readonly body: string
  readonly cost?: string
}

interface Broken<A> {
  readonly kind: "broken"
  readonly why: NotCarried["why"]
  /** What the gateway did before the answer was lost. Without it, the request never arrived. */
  readonly after?: Step<A>
}

interface Hang {
  readonly kind: "hang"
}

interface Later<A> {
  readonly kind: "later"
  readonly after: Duration.Input
  readonly step: Step<A>
}

/** How a stream ends: complete, without an end, with a reset, with silence, or with an error of this code. */
export type StreamEnding = "whole" | "cut" | "reset" | "hang" | Code

/** The format of a stream: that of the family, or of OpenAI's Responses. */
export type StreamFormat = Family | "responses"

/** The events of a stream, and those that end it. */
export interface TextEvents {
  readonly events: ReadonlyArray<Event>
  readonly closing: ReadonlyArray<Event>
}

export interface Events {
  readonly kind: "events"
  readonly eventsFor: (format: StreamFormat) => TextEvents
  readonly end: StreamEnding
  /** Between two events. */
  readonly every?: Duration.Input
  readonly cost?: string
}

/** How one request is answered, or fails. */
export type Step<A = unknown> = Reply<A> | Refused | Raw | Broken<A> | Hang | Later<A> | Events

/** Steps in order, each used once. */
export interface Sequence<A = unknown> {
  readonly kind: "sequence"
  readonly steps: ReadonlyArray<Step<A>>
}
