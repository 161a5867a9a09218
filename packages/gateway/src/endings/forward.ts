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
import type { Streaming, Watch } from "../upstream/Protocol.ts"
import type { StreamEnd } from "../steps/12-meter.ts"

/** Where an answer is a stream of events, a comment after the last one tells what it cost. No client minds a comment. */
const comment = ({ contentType = "" }: Streaming, charge: Charge): Uint8Array =>
  /^text\/event-stream\b/i.test(contentType) && charge.state !== "unknown" && charge.micros !== undefined
    ? Utf8.encode(`: cost_micros_usd=${charge.micros} cost_state=${charge.state}\n\n`)
    : nothing

const nothing = new Uint8Array(0)

type Pieces = Pull.Pull<NonEmptyReadonlyArray<Uint8Array>, NotCarried | Refused>

/**
 * Hands an answer on while it arrives. However it ends, `settle` is run exactly once, and before the caller can see that the
 * answer is whole; a caller who leaves ends the upstream's work too.
 */
export const forward = Effect.fnUntraced(function* (
  streaming: Streaming,
  watch: Watch,
  settle: (end: StreamEnd) => Effect.Effect<Charge, Refused>
): Effect.fn.Return<Stream.Stream<Uint8Array, NotCarried | Refused>> {
  let settled = false
  const once = (end: StreamEnd): Effect.Effect<Charge, Refused> =>
    Effect.suspend(() => {
      settled = true
      return Effect.uninterruptible(settle(end))
    })
  const cut = Effect.suspend(() => (settled ? Effect.void : Effect.ignore(once("cut"))))
  const unread = Effect.suspend(() =>
    settled
      ? Effect.void
      : Effect.andThen(cut, Effect.ignore(Effect.timeoutOption(Stream.runDrain(streaming.stream), 0)))
  )
  // A host that finds the caller gone does not read the body at all.
  const scope = yield* Effect.serviceOption(Scope.Scope)
  if (Option.isSome(scope)) yield* Scope.addFinalizer(scope.value, unread)

  /** The last piece waits until its charge is recorded: who has seen it has seen the whole answer. */
  const last = (piece: Uint8Array): Effect.Effect<Uint8Array, Refused> =>
    Effect.map(once("finished"), (charge) => Bytes.concat([piece, comment(streaming, charge)]))

  // In one step from pull to pull: every event of every stream goes this way.
  return Stream.transformPull(streaming.stream, (upstream, scope) => {
    let left: ReadonlyArray<Uint8Array> = []
    let held: Effect.Effect<Uint8Array, Refused> | undefined
    let isOver = false

    const pass = (pieces: ReadonlyArray<Uint8Array>): Pieces => {
      const passed: Array<Uint8Array> = []
      for (let i = 0; i < pieces.length; i++) {
        const piece = watch.pass(pieces[i] ?? nothing)
        if (settled || watch.seen().end === "open") {
          if (piece.length > 0) passed.push(piece)
          continue
        }
        // What came before does not wait with it.
        left = pieces.slice(i + 1)
        held = last(piece)
        break
      }
      return isReadonlyArrayNonEmpty(passed) ? Effect.succeed(passed) : next
    }
    const only = (piece: Uint8Array): Pieces => (piece.length > 0 ? Effect.succeed([piece]) : next)
    const finish = (): Pieces => {
      isOver = true
      return Effect.flatMap(settled ? Effect.succeed(watch.finish()) : last(watch.finish()), only)
    }
    const more: Pieces = Pull.matchEffect(upstream, { onSuccess: pass, onFailure: Effect.failCause, onDone: finish })
    const next: Pieces = Effect.suspend(() => {
      if (held !== undefined) {
        const piece = held
        held = undefined
        return Effect.flatMap(piece, only)
      }
      if (left.length > 0) {
        const pieces = left
        left = []
        return pass(pieces)
      }
      return isOver ? Cause.done() : more
    })
    return Effect.as(Scope.addFinalizer(scope, cut), next)
  })
})
