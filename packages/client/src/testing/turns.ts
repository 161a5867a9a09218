import type { Code } from "@tollgate/contract/errors/codes"
import type * as Duration from "effect/Duration"
import type { Event } from "../stream/Event.ts"
import { speech } from "./speech.ts"
import type { Events, Sequence, StreamEnding, Turn, Video } from "./Turn.ts"

type Headers = Readonly<Record<string, string>>

/** In decimal USD. Where it is not said, what the operation's price makes of the answer. */
interface Cost {
  readonly cost?: string
}

/** A good answer, which has to fit the operation. */
export const reply = <A>(value: A, options: Cost & { readonly headers?: Headers } = {}): Turn<A> => ({
  kind: "reply",
  value,
  ...options
})

interface FailOptions {
  readonly message?: string
  /** Where it differs from the code's own. */
  readonly status?: number
  readonly retryAfter?: Duration.Input
  readonly headers?: Headers
}

/** An error of the gateway's own, in the shape that the operation's errors have. */
export const fail = (code: Code, options: FailOptions = {}): Turn<never> => ({ kind: "refused", code, ...options })

/** An answer as it stands, such as an upstream's own that the gateway hands on. */
export const raw = (
  status: number,
  body: string,
  options: Cost & { readonly headers?: Headers } = {}
): Turn<never> => ({
  kind: "raw",
  status,
  body,
  headers: {},
  ...options
})

/** A page in place of the answer. */
export const html = (status: number, body = "<!doctype html><title>Not what you asked for</title>"): Turn<never> =>
  raw(status, body, { headers: { "content-type": "text/html; charset=utf-8" } })

/** The connection breaks before the request arrives, which nobody can know; or `after` the gateway has done this. */
export const reset = <A = never>(after?: Turn<A>): Turn<A> => ({
  kind: "broken",
  why: "broken",
  ...(after === undefined ? {} : { after })
})

/** As `reset`, but what is seen of it is that the time was up. It is said at once: to wait for it, `hang`. */
export const timeout = <A = never>(after?: Turn<A>): Turn<A> => ({
  kind: "broken",
  why: "timeout",
  ...(after === undefined ? {} : { after })
})

/** There was no connection, which proves that nothing ran. */
export const notSent = (): Turn<never> => ({ kind: "broken", why: "not sent" })

/** The gateway takes the request and says nothing until the caller's deadline has passed. */
export const hang = (): Turn<never> => ({ kind: "hang" })

/** The same, but not at once. */
export const later = <A>(after: Duration.Input, turn: Turn<A>): Turn<A> => ({ kind: "later", after, turn })

/** One after the other, each once. A request after the last is one that nothing was scripted for. */
export const sequence = <A>(...turns: ReadonlyArray<Turn<A>>): Sequence<A> => ({ kind: "sequence", turns })

type StreamOptions = Cost & {
  readonly end?: StreamEnding
  /** Between two events. */
  readonly every?: Duration.Input
}

const events_ = (spoken: Events["spoken"], { end = "whole", ...options }: StreamOptions): Turn<never> => ({
  kind: "events",
  spoken,
  end,
  ...options
})

/** A stream of these events. The mark with which OpenAI's end is added, other protocols have a last event. */
export const events = (list: ReadonlyArray<Event>, options: StreamOptions = {}): Turn<never> =>
  events_(() => ({ said: list, closing: [] }), options)

/** A stream that says these pieces of text, in the operation's own protocol. */
export const says = (texts: ReadonlyArray<string>, options: StreamOptions = {}): Turn<never> =>
  events_((family) => speech(family, texts), options)

/** For `videoCreate`: a task that is queued, runs and ends as time goes by. Polls are answered without a script. */
export const video = (options: Partial<Omit<Video, "kind">> = {}): Turn<never> => ({
  kind: "video",
  queued: 0,
  takes: "30 seconds",
  ends: "SUCCEEDED",
  ...options
})
