import type { Charge } from "@tollgate/contract/Outcome"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Bytes from "effect/Bytes"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Refused } from "../Refused.ts"
import type { NotCarried } from "@tollgate/contract/carrier/Carrier"
import type { Streaming, Watch } from "../upstream/Protocol.ts"
import type { StreamEnd } from "./11-meter.ts"

/** Where an answer is a stream of events, a comment after the last one tells what it cost. No client minds a comment. */
const comment = ({ contentType = "" }: Streaming, charge: Charge): Uint8Array =>
  /^text\/event-stream\b/i.test(contentType) && charge.state !== "unknown" && charge.micros !== undefined
    ? Utf8.encode(`: cost_micros_usd=${charge.micros} cost_state=${charge.state}\n\n`)
    : nothing

const nothing = new Uint8Array(0)

/**
 * Hands an answer on while it arrives. However it ends, `settle` is run exactly once, and before the caller can see that the
 * answer is whole; a caller who leaves ends the upstream's work too.
 */
export const stream = Effect.fnUntraced(function* (
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
  const last = (piece: Uint8Array) =>
    Effect.map(once("finished"), (charge) => Bytes.concat([piece, comment(streaming, charge)]))
  const pass = (piece: Uint8Array): Effect.Effect<Uint8Array, Refused> => {
    const passed = watch.pass(piece)
    return settled || watch.seen().end === "open" ? Effect.succeed(passed) : last(passed)
  }
  const rest = Stream.fromEffect(
    Effect.suspend(() => (settled ? Effect.succeed(watch.finish()) : last(watch.finish())))
  )
  return Stream.mapEffect(streaming.stream, pass).pipe(
    Stream.concat(rest),
    Stream.filter((piece) => piece.length > 0),
    Stream.ensuring(cut)
  )
})
