import type { Charge } from "@tollgate/contract/Outcome"
import * as Utf8 from "@tollgate/contract/Utf8"
import { isReadonlyArrayNonEmpty, type NonEmptyReadonlyArray } from "effect/Array"
import * as Bytes from "effect/Bytes"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Routed } from "../../exchange/Exchange.ts"
import { emptyBytes } from "../../internal/emptyBytes.ts"
import type { Refused } from "@tollgate/contract/errors/Refused"
import type { StreamEnd } from "../Ending.ts"
import type { ReadBounds } from "../AbandonedStreams.ts"
import type { StreamedAnswer, StreamMeter } from "../../upstream/Protocol.ts"
import { eventAt, eventEnds } from "../../internal/sse.ts"
import { type Break, errorEvent, isEvents, refusedOf } from "./brokenStream.ts"

/** How far a stream is read on that has sent its finish reason, so that only its usage report is missing. */
const afterFinish: ReadBounds = { millis: 5_000, bytes: 65_536 }

/** Decides whether the rest of a stream that was left is read, and how far. */
export type ReadRest = (rest: (bounds: ReadBounds) => Effect.Effect<void>) => Effect.Effect<void>

/** Reads a stream until its last event. Nobody gets what is read. */
const readOn =
  <E>(upstream: Pull.Pull<NonEmptyReadonlyArray<Uint8Array>, E>, meter: StreamMeter) =>
  ({ bytes: most, millis }: ReadBounds): Effect.Effect<void> => {
    let bytes = 0
    const next: Pull.Pull<void, E> = Effect.flatMap(upstream, (chunks) => {
      for (const chunk of chunks) {
        bytes += chunk.length
        meter.push(chunk)
      }
      return meter.report().state !== "open" || bytes > most || meter.isTooLarge() ? Effect.void : next
    })
    const ended = Pull.matchEffect(next, {
      onSuccess: () => Effect.void,
      onFailure: () => Effect.void,
      onDone: () => Effect.sync(() => void meter.finish())
    })
    return Effect.asVoid(Effect.timeoutOption(ended, millis))
  }

/** Google's first SDK for JavaScript takes a comment for an event that is broken. */
const readsNoComments = /(?:^|\s)genai-js\//

/** An event stream ends with a comment that tells the cost. Other clients ignore comments. */
const costComment = ({ request }: Routed, { contentType = "" }: StreamedAnswer, charge: Charge): Uint8Array =>
  isEvents.test(contentType) &&
  !readsNoComments.test(request.headers["x-goog-api-client"] ?? "") &&
  charge.state !== "unknown" &&
  charge.micros !== undefined
    ? Utf8.encode(`: cost_micros_usd=${charge.micros} cost_state=${charge.state}\n\n`)
    : emptyBytes

const lineFeed = 0x0a
const blankLine = Utf8.encode("\n\n")

/** The last event of a stream may lack the blank line that ends it. */
const closed = ({ contentType = "" }: StreamedAnswer, rest: Uint8Array): Uint8Array =>
  rest.length === 0 || rest.at(-1) === lineFeed || !isEvents.test(contentType) ? rest : Bytes.concat([rest, blankLine])

/** How much may arrive before the first event of an answer. */
const mostForeign = 65_536

/** Comments keep connections open. All other events before the first one of an answer are held back. */
const isOnlyComments = ({ contentType = "" }: StreamedAnswer, bytes: Uint8Array): boolean => {
  if (!isEvents.test(contentType)) return false
  let from = 0
  for (const to of eventEnds()(bytes)) {
    if (eventAt(bytes, from, to) !== undefined) return false
    from = to
  }
  return from === bytes.length
}

/** `broken`: why the stream has no proper end. */
type SettleStream = (end: StreamEnd, broken?: Refused) => Effect.Effect<Charge, Refused>

type Chunks = Pull.Pull<NonEmptyReadonlyArray<Uint8Array>, Refused>

/**
 * Forwards an answer while it arrives. However it ends, `settle` runs exactly once, before the caller gets the last chunk. A
 * stream that breaks ends with the family's error. If the caller leaves, the upstream is disconnected too, unless only its
 * usage report is missing or `readRest` reads it on. What comes before the first event of an answer proves no cost: of a
 * billed call it is held back.
 */
export const forward = Effect.fnUntraced(function* (
  exchange: Routed,
  streaming: StreamedAnswer,
  meter: StreamMeter,
  settle: SettleStream,
  readRest: ReadRest = () => Effect.void,
  isBilled = false
): Effect.fn.Return<Stream.Stream<Uint8Array, Refused>, never, Scope.Scope> {
  let settled = false
  const settleOnce: SettleStream = (end, broken) =>
    Effect.suspend(() => {
      settled = true
      return Effect.uninterruptible(settle(end, broken))
    })
  const settleAbandoned = Effect.suspend(() =>
    settled ? Effect.void : Effect.ignore(settleOnce(meter.report().state === "open" ? "left" : "finished"))
  )
  const leave = (upstream: Pull.Pull<NonEmptyReadonlyArray<Uint8Array>, unknown>) =>
    Effect.suspend(() => {
      const { finished, state } = meter.report()
      if (settled || state !== "open") return settleAbandoned
      const rest = readOn(upstream, meter)
      return Effect.andThen(finished ? rest(afterFinish) : readRest(rest), settleAbandoned)
    })
  // If the caller is gone the host never reads the body.
  const discardUnread = Effect.suspend(() =>
    settled ? Effect.void : Effect.scoped(Effect.flatMap(Stream.toPull(streaming.stream), leave))
  )
  yield* Scope.addFinalizer(yield* Effect.scope, discardUnread)

  // One transform from pull to pull: every event of every stream takes this path.
  return Stream.transformPull(streaming.stream, (upstream, scope) => {
    let pending: ReadonlyArray<Uint8Array> = []
    let isHolding = isBilled && meter.reportsProgress !== true
    const held: Array<Uint8Array> = []
    let heldBytes = 0
    let last: Chunks | undefined
    let isFirst = true
    let isDone = false
    const broken = (why: Break) => refusedOf(why, exchange, streaming)

    /**
     * From an error event on, events may repeat the gateway's credential, and so may a whole answer in the last event, which may
     * say that the call failed. Each is whole here.
     */
    const scrubbed = (chunk: Uint8Array): Uint8Array => {
      const { state, whole } = meter.report()
      return state === "failed" || whole !== undefined ? (streaming.scrub?.(chunk) ?? chunk) : chunk
    }

    const emit = (chunk: Uint8Array): Chunks => {
      if (chunk.length === 0) return next
      isFirst = false
      return Effect.succeed([chunk])
    }
    /** Ends the stream with an error. Without a place for it, a broken connection tells that the answer is incomplete. */
    const fail = (error: Refused, foreign: Uint8Array, comment: Uint8Array = emptyBytes): Chunks => {
      isDone = true
      const event = errorEvent(exchange, streaming, error, isFirst, foreign, meter)
      return event === undefined ? Effect.fail(error) : emit(Bytes.concat([event, comment]))
    }
    const breakOff = (why: Break, end: StreamEnd, foreign: Uint8Array = emptyBytes): Chunks => {
      const error = broken(why)
      return Effect.matchEffect(settleOnce(end, error), {
        onSuccess: (charge) => fail(error, foreign, costComment(exchange, streaming, charge)),
        onFailure: (refused) => fail(refused, emptyBytes)
      })
    }
    /** What was held back, once an event of an answer has come. */
    const released = (): ReadonlyArray<Uint8Array> => {
      const chunks = isHolding && meter.report().started ? held : []
      if (chunks === held) isHolding = false
      return chunks
    }
    /** The last chunk waits until the charge is recorded. */
    const finishWith = (chunk: Uint8Array): Chunks =>
      Effect.matchEffect(settleOnce("finished"), {
        onSuccess: (charge) =>
          emit(Bytes.concat([...released(), scrubbed(chunk), costComment(exchange, streaming, charge)])),
        onFailure: (refused) => fail(refused, emptyBytes)
      })

    const push = (chunks: NonEmptyReadonlyArray<Uint8Array>): Chunks => {
      const forwarded: Array<Uint8Array> = []
      for (let i = 0; i < chunks.length; i++) {
        const chunk = meter.push(chunks[i] ?? emptyBytes)
        const { started, state } = meter.report()
        if (isHolding && state === "open") {
          if (started) forwarded.push(...released())
          else if (!isOnlyComments(streaming, chunk)) {
            held.push(chunk)
            heldBytes += chunk.length
            if (heldBytes <= mostForeign && !meter.isTooLarge()) continue
            last = breakOff("ended early", "finished")
            break
          }
        }
        if (settled || (state === "open" && !meter.isTooLarge())) {
          if (chunk.length > 0) forwarded.push(settled ? scrubbed(chunk) : chunk)
          continue
        }
        // The chunks before the last one are sent without waiting for the charge.
        pending = chunks.slice(i + 1)
        if (state !== "open") last = finishWith(chunk)
        else {
          if (chunk.length > 0) forwarded.push(chunk)
          last = breakOff("too large", "cut")
        }
        break
      }
      if (!isReadonlyArrayNonEmpty(forwarded)) return next
      isFirst = false
      return Effect.succeed(forwarded)
    }
    const end = (): Chunks => {
      isDone = true
      const rest = meter.finish()
      if (settled) return emit(scrubbed(rest))
      const { started, state } = meter.report()
      if (state !== "open") return finishWith(closed(streaming, rest))
      // Half an event is dropped. What is not of this protocol at all is handed on.
      return breakOff("ended early", "finished", started ? emptyBytes : rest)
    }
    const pullUpstream: Chunks = Pull.matchEffect(upstream, {
      onSuccess: push,
      onFailure: (cause) => {
        const error = Cause.findErrorOption(cause)
        if (error._tag === "None") return Effect.failCause(Cause.map(cause, () => broken("broken")))
        isDone = true
        if (settled) return next
        const { finished, usageFinal } = meter.report()
        return finished && usageFinal ? end() : breakOff(error.value.why, "cut")
      },
      onDone: end
    })
    const next: Chunks = Effect.suspend(() => {
      if (last !== undefined) {
        const chunks = last
        last = undefined
        return chunks
      }
      if (isDone) return Cause.done()
      if (!isReadonlyArrayNonEmpty(pending)) return pullUpstream
      const chunks = pending
      pending = []
      return push(chunks)
    })
    return Effect.as(Scope.addFinalizer(scope, leave(upstream)), next)
  })
})

export type Forward = typeof forward
