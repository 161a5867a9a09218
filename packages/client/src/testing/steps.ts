import type { Events, Headers, Sequence, Step, StreamEnding } from "./Script.ts"
import { type Code, isCode } from "@tollgate/contract/errors/codes"
import type * as Duration from "effect/Duration"
import type { Event } from "../events/Event.ts"
import { textEvents } from "./textEvents.ts"

/** In decimal USD. By default the operation's price determines it. */
interface Cost {
  readonly cost?: string
}

/** A successful answer, which must match the operation. */
export const reply = <A>(value: A, options: Cost & { readonly headers?: Headers } = {}): Step<A> => ({
  kind: "reply",
  value,
  ...options
})

/** Scripts may be JavaScript. */
const checkCode = (code: string): void => {
  if (!isCode(code)) throw new TypeError(`The gateway has no code ${code}`)
}

interface FailOptions {
  readonly message?: string
  /** The code's own status by default. */
  readonly status?: number
  readonly retryAfter?: Duration.Input
  readonly headers?: Headers
}

/** An error of the gateway, in the format of the operation's errors. */
export const fail = (code: Code, options: FailOptions = {}): Step<never> => {
  checkCode(code)
  return { kind: "refused", code, ...options }
}

/** An answer as is, such as one that the gateway passes through from an upstream. */
export const raw = (
  status: number,
  body: string,
  options: Cost & { readonly headers?: Headers } = {}
): Step<never> => ({
  kind: "raw",
  status,
  body,
  headers: {},
  ...options
})

/** The connection breaks before the request arrives, or `after` the gateway performed this step. */
export const reset = <A = never>(after?: Step<A>): Step<A> => ({
  kind: "broken",
  why: "broken",
  ...(after === undefined ? {} : { after })
})

/** The connection failed, which proves that nothing ran. */
export const notSent = (): Step<never> => ({ kind: "broken", why: "not sent" })

/** The gateway accepts the request and does not answer before the caller's deadline. */
export const hang = (): Step<never> => ({ kind: "hang" })

/** Delays a step. */
export const later = <A>(after: Duration.Input, step: Step<A>): Step<A> => ({ kind: "later", after, step })

/** Steps in order, each used once. A request after the last one counts as not scripted. */
export const sequence = <A>(...steps: ReadonlyArray<Step<A>>): Sequence<A> => ({ kind: "sequence", steps })

type StreamOptions = Cost & {
  readonly end?: StreamEnding
  /** Between two events. */
  readonly every?: Duration.Input
}

const endings: ReadonlyArray<string> = ["whole", "cut", "reset", "hang"]

const events_ = (eventsFor: Events["eventsFor"], { end = "whole", ...options }: StreamOptions): Step<never> => {
  if (!endings.includes(end)) checkCode(end)
  return { kind: "events", eventsFor, end, ...options }
}

/** A stream of these events. OpenAI's end mark is added; other protocols end with their last event. */
export const events = (list: ReadonlyArray<Event>, options: StreamOptions = {}): Step<never> =>
  events_(() => ({ events: list, closing: [] }), options)

/** A stream of these texts, in the operation's protocol. */
export const says = (texts: ReadonlyArray<string>, options: StreamOptions = {}): Step<never> =>
  events_((format) => textEvents(format, texts), options)
