import * as Utf8 from "@tollgate/contract/Utf8"
import { type Incoming, NotCarried } from "@tollgate/contract/carrier/Carrier"
import { encode } from "@tollgate/contract/errors/encode"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import type { Decoded, Priced, Progress } from "../../exchange/Exchange.ts"
import type { Answer } from "../../exchange/Reply.ts"
import { emptyBytes } from "../../internal/emptyBytes.ts"
import { getPath } from "../../internal/jsonValue.ts"
import type { Protocol, StreamMeter } from "../Protocol.ts"
import { json } from "../protocols/json.ts"
import { isEventStream } from "../protocols/message.ts"
import { parsedAnswer } from "../protocols/parsedAnswer.ts"
import { oneLine } from "./messages.ts"
import type { Outcome } from "./outcome.ts"

// A caller who accepts an event stream gets `progress` events, then one `result` or `error`. Each is one chunk.

/** Of progress that the caller is too slow for, the latest is kept. */
const mostWaiting = 64

const event = (name: "error" | "progress" | "result", data: string): Uint8Array =>
  Utf8.encode(`event: ${name}\ndata: ${data}\n\n`)

const resultMark = Utf8.encode("event: result\ndata: ")
const errorMark = Utf8.encode("event: error\n")

const startsWith = (bytes: Uint8Array, mark: Uint8Array): boolean => mark.every((byte, i) => bytes[i] === byte)

export type Events = Queue.Queue<Uint8Array, NotCarried | Cause.Done>

export const makeEvents: Effect.Effect<Events> = Queue.make({ capacity: mostWaiting, strategy: "sliding" })

export const offerProgress = (events: Events, progress: Progress): void => {
  Queue.offerUnsafe(events, event("progress", JSON.stringify(progress)))
}

const bodyOf = ({ body }: Incoming): Uint8Array => (body instanceof Uint8Array ? body : emptyBytes)

/** The last event, or the failure of the stream. */
export const endEvents = (events: Events, exchange: Decoded, outcome: Outcome): Effect.Effect<void> => {
  if (outcome instanceof NotCarried) return Effect.asVoid(Queue.fail(events, outcome))
  const last =
    "refusal" in outcome
      ? event("error", JSON.stringify(encode(exchange.operation.family, outcome.refusal).body))
      : event(outcome.status === 200 ? "result" : "error", oneLine(bodyOf(outcome)))
  return Effect.asVoid(Effect.andThen(Queue.offer(events, last), Queue.end(events)))
}

const head = { status: 200, headers: { "content-type": "text/event-stream; charset=utf-8" } }

/** The answer while the tool works. `onLeave` runs when nobody reads it any more. */
export const progressAnswer = (events: Events, idleMillis: number, onLeave: Effect.Effect<void>): Incoming => ({
  ...head,
  body: Stream.ensuring(
    Stream.timeoutOrElse(Stream.fromQueue(events), {
      duration: idleMillis,
      orElse: () => Stream.fail(new NotCarried({ why: "timeout" }))
    }),
    onLeave
  )
})

/** The whole answer is in the last event, so the caller's leaving is no reason to miss it. */
export const progressMeter = (): StreamMeter => {
  let state: "open" | "complete" | "failed" = "open"
  let whole: Uint8Array | undefined
  return {
    push: (chunk) => {
      if (startsWith(chunk, resultMark)) {
        state = "complete"
        whole = chunk.subarray(resultMark.length, -2)
      } else if (startsWith(chunk, errorMark)) state = "failed"
      return chunk
    },
    finish: () => emptyBytes,
    isTooLarge: () => false,
    reportsProgress: true,
    report: () => ({
      state,
      started: state === "complete",
      finished: true,
      usage: undefined,
      usageFinal: false,
      textBytes: 0,
      ...(whole === undefined ? {} : { whole })
    })
  }
}

const isFailed = (exchange: Priced, { bytes, status }: Answer): boolean =>
  status === 200 && getPath(parsedAnswer(exchange, bytes), "isError") === true

/** Tools of an MCP server. `callTool` carries the call; what it answers is `CallToolResult` as JSON. */
export const mcp: Protocol = {
  ...json,
  id: "mcp",
  evidence: (exchange, answer) =>
    isFailed(exchange, answer) ? Option.some({ kind: "failed" }) : json.evidence(exchange, answer),
  isStreamed: isEventStream,
  streamMeter: progressMeter
}
