import * as Utf8 from "@tollgate/contract/Utf8"
import { isReadonlyArrayNonEmpty, type NonEmptyReadonlyArray } from "effect/Array"
import * as Bytes from "effect/Bytes"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import { eventEnds } from "../internal/sse.ts"

const lineFeed = 0x0a
const carriageReturn = 0x0d
const colon = 0x3a

/** Comments and lone blank lines are not events. */
const isEvent = ([first]: Uint8Array): boolean =>
  first !== colon && first !== lineFeed && first !== carriageReturn && first !== undefined

/** Adds the id as the last line of the event, so that it counts even if the upstream has ids of its own. */
const withId = (event: Uint8Array, id: number): Uint8Array => {
  const end = event.length - (event.at(-1) === lineFeed && event.at(-2) === carriageReturn ? 2 : 1)
  return Bytes.concat([event.subarray(0, end), Utf8.encode(`id: ${id}\n`), event.subarray(end)])
}

/**
 * Splits server-sent events into a chunk for each, with an id that is the number of chunks up to it. So who has got an event
 * goes on at the chunk that its id names.
 */
export const numberEvents = <E>(body: Stream.Stream<Uint8Array, E>): Stream.Stream<Uint8Array, E> =>
  Stream.transformPull(body, (upstream) => {
    const endsIn = eventEnds()
    let begun: Array<Uint8Array> = []
    let count = 0
    let isDone = false

    const split = (chunks: NonEmptyReadonlyArray<Uint8Array>): ReadonlyArray<Uint8Array> => {
      const pieces: Array<Uint8Array> = []
      for (const chunk of chunks) {
        let from = 0
        for (const to of endsIn(chunk)) {
          const rest = chunk.subarray(from, to)
          const piece = begun.length === 0 ? rest : Bytes.concat([...begun, rest])
          begun = []
          from = to
          count++
          pieces.push(isEvent(piece) ? withId(piece, count) : piece)
        }
        if (from < chunk.length) begun.push(chunk.subarray(from))
      }
      return pieces
    }

    const pulled: Pull.Pull<NonEmptyReadonlyArray<Uint8Array>, E> = Pull.matchEffect(upstream, {
      onSuccess: (chunks) => {
        const pieces = split(chunks)
        return isReadonlyArrayNonEmpty(pieces) ? Effect.succeed(pieces) : next
      },
      onFailure: Effect.failCause,
      onDone: () => {
        isDone = true
        const [first, ...more] = begun
        return first === undefined ? Cause.done() : Effect.succeed([first, ...more])
      }
    })
    const next: Pull.Pull<NonEmptyReadonlyArray<Uint8Array>, E> = Effect.suspend(() => (isDone ? Cause.done() : pulled))
    return Effect.succeed(next)
  })
