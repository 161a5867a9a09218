import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { makeParser, type SseItem } from "./parser.ts"

/** Of one event, in UTF-16 units: for what is not ASCII, up to three bytes each. */
export const largestEvent = 8 * 1024 * 1024

/** An event, or a single line, that is larger than a reader should have to hold. */
export class EventTooLarge extends Schema.TaggedError<EventTooLarge>()("EventTooLarge", { most: Schema.Int }) {
  override get message() {
    return `An event is larger than ${this.most} characters`
  }
}

/** Server-sent events, however their bytes are cut. What a stream breaks off in the middle of an event is no event. */
export const decode = <E, R>(
  bytes: Stream.Stream<Uint8Array, E, R>,
  most: number = largestEvent
): Stream.Stream<SseItem, E | EventTooLarge, R> =>
  Stream.transformPull(Stream.decodeText(bytes), (pull) =>
    Effect.sync(() => {
      const parser = makeParser(most)
      const next = (): Pull.Pull<Arr.NonEmptyReadonlyArray<SseItem>, E | EventTooLarge> =>
        parser.isFull()
          ? Effect.fail(new EventTooLarge({ most }))
          : Effect.flatMap(pull, (texts) => {
              const items = texts.flatMap((text) => (parser.isFull() ? [] : parser.feed(text)))
              return Arr.isArrayNonEmpty(items) ? Effect.succeed(items) : next()
            })
      return Effect.suspend(next)
    })
  )
