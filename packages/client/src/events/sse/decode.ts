import * as Arr from "effect/Array"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import { makeParser, type SseItem } from "./parser.ts"

/** The size limit of one event, in UTF-16 code units of up to three bytes each. */
export const largestEvent = 8 * 1024 * 1024

/** An event or a line exceeds the size limit. */
export class EventTooLarge extends Data.TaggedError("EventTooLarge")<{
  readonly most: number
}> {
  override get message() {
    return `An event is larger than ${this.most} characters`
  }
}

/** Decodes server-sent events from chunks of any size. An incomplete event at the end is dropped. */
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
