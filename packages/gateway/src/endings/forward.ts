import type { Charge } from "@tollgate/contract/Outcome"
import * as Utf8 from "@tollgate/contract/Utf8"
import { isReadonlyArrayNonEmpty, type NonEmptyReadonlyArray } from "effect/Array"
import * as Bytes from "effect/Bytes"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Pull from "effect/Pull"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Refused } from "../Refused.ts"
import type { NotCarried } from "@tollgate/contract/carrier/Carrier"
import { emptyBytes } from "../internal/emptyBytes.ts"
import type { StreamedAnswer, StreamMeter } from "../upstream/Protocol.ts"
import type { StreamEnd } from "../steps/12-meter.ts"

/** An event stream ends with a comment that tells the cost. Clients ignore comments. */
const costComment = ({ contentType = "" }: StreamedAnswer, charge: Charge): Uint8Array =>
  /^text\/event-stream\b/i.test(contentType) && charge.state !== "unknown" && charge.micros !== undefined
    ? Utf8.encode(`: cost_micros_usd=${charge.micros} cost_state=${charge.state}\n\n`)
    : emptyBytes

type Chunks = Pull.Pull<NonEmptyReadonlyArray<Uint8Array>, NotCarried | Refused>

/**
 * Forwards an answer while it arrives. However it ends, `settle` runs exactly once, before the caller gets the last chunk.
 * If the caller leaves, the upstream is disconnected too.
 */
export const forward = Effect.fnUntraced(function* (
  streaming: StreamedAnswer,
  meter: StreamMeter,
  settle: (end: StreamEnd) => Effect.Effect<Charge, Refused>
): Effect.fn.Return<Stream.Stream<Uint8Array, NotCarried | Refused>> {
  let settled = false
  const settleOnce = (end: StreamEnd): Effect.Effect<Charge, Refused> =>
    Effect.suspend(() => {
      settled = true
      return Effect.uninterruptible(settle(end))
    })
  const settleCut = Effect.suspend(() => (settled ? Effect.void : Effect.ignore(settleOnce("cut"))))
  const discardUnread = Effect.suspend(() =>
    settled
      ? Effect.void
      : Effect.andThen(settleCut, Effect.ignore(Effect.timeoutOption(Stream.runDrain(streaming.stream), 0)))
  )
  // If the caller is gone the host never reads the body.
  const scope = yield* Effect.serviceOption(Scope.Scope)
  if (Option.isSome(scope)) yield* Scope.addFinalizer(scope.value, discardUnread)

  /** The last chunk waits until the charge is recorded. */
  const settleLast = (chunk: Uint8Array): Effect.Effect<Uint8Array, Refused> => {
    const last = meter.report().state === "failed" ? (streaming.scrub?.(chunk) ?? chunk) : chunk
    return Effect.map(settleOnce("finished"), (charge) => Bytes.concat([last, costComment(streaming, charge)]))
  }

  // One transform from pull to pull: every event of every stream takes this path.
  return Stream.transformPull(streaming.stream, (upstream, scope) => {
    let pending: ReadonlyArray<Uint8Array> = []
    let lastChunk: Effect.Effect<Uint8Array, Refused> | undefined
    let isDone = false

    const push = (chunks: ReadonlyArray<Uint8Array>): Chunks => {
      const forwarded: Array<Uint8Array> = []
      for (let i = 0; i < chunks.length; i++) {
        const chunk = meter.push(chunks[i] ?? emptyBytes)
        if (settled || meter.report().state === "open") {
          if (chunk.length > 0) forwarded.push(chunk)
          continue
        }
        // The chunks before the last one are sent without waiting for the charge.
        pending = chunks.slice(i + 1)
        lastChunk = settleLast(chunk)
        break
      }
      return isReadonlyArrayNonEmpty(forwarded) ? Effect.succeed(forwarded) : next
    }
    const emit = (chunk: Uint8Array): Chunks => (chunk.length > 0 ? Effect.succeed([chunk]) : next)
    const finish = (): Chunks => {
      isDone = true
      return Effect.flatMap(settled ? Effect.succeed(meter.finish()) : settleLast(meter.finish()), emit)
    }
    const pullUpstream: Chunks = Pull.matchEffect(upstream, {
      onSuccess: push,
      onFailure: Effect.failCause,
      onDone: finish
    })
    const next: Chunks = Effect.suspend(() => {
      if (lastChunk !== undefined) {
        const chunk = lastChunk
        lastChunk = undefined
        return Effect.flatMap(chunk, emit)
      }
      if (pending.length > 0) {
        const chunks = pending
        pending = []
        return push(chunks)
      }
      return isDone ? Cause.done() : pullUpstream
    })
    return Effect.as(Scope.addFinalizer(scope, settleCut), next)
  })
})
