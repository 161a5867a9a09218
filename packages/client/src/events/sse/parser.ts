import * as Arr from "effect/Array"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"

/** An event. `id` is the last one received, which stays in force. */
export interface SseEvent {
  readonly event?: string
  readonly data: string
  readonly id?: string
}

export interface SseComment {
  readonly comment: string
}

export type SseItem = SseEvent | SseComment

interface Parser {
  /** Returns the items that the text completes. Do not feed it after `isFull`. */
  readonly feed: (text: string) => Array<SseItem>
  /** An event exceeded the size limit. */
  readonly isFull: () => boolean
}

/**
 * Takes text in pieces of any size. https://html.spec.whatwg.org/multipage/server-sent-events.html
 *
 * Effect's own (`effect/encoding/Sse`) drops comments, in which the gateway reports the charge.
 */
export const makeParser = (mostCharacters: number): Parser => {
  let line: Array<string> = []
  let lineSize = 0
  let afterReturn = false
  let name = ""
  let id: string | undefined
  let data: Array<string> = []
  let dataSize = 0
  let full = false
  let items: Array<SseItem> = []

  const dispatch = () => {
    // An event needs data; a name alone is dropped.
    if (data.length > 0) {
      items.push({
        ...(name === "" ? {} : { event: name }),
        data: data.join("\n"),
        ...(id === undefined ? {} : { id })
      })
    }
    name = ""
    data = []
    dataSize = 0
  }

  const field = (text: string) => {
    const colon = text.indexOf(":")
    const key = colon === -1 ? text : text.slice(0, colon)
    const value = colon === -1 ? "" : text.slice(text[colon + 1] === " " ? colon + 2 : colon + 1)
    if (colon === 0) items.push({ comment: value })
    else if (key === "event") name = value
    else if (key === "id" && !value.includes("\0")) id = value
    else if (key === "data") {
      data.push(value)
      dataSize += value.length + 1
    }
  }

  /** Takes a line, or a part of one. */
  const take = (part: string): boolean => {
    line.push(part)
    lineSize += part.length
    full = dataSize + lineSize > mostCharacters
    return !full
  }

  const endLine = () => {
    const text = line.join("")
    line = []
    lineSize = 0
    if (text === "") dispatch()
    else field(text)
  }

  return {
    feed: (text) => {
      items = []
      let at = afterReturn && text.startsWith("\n") ? 1 : 0
      if (text !== "") afterReturn = false
      const breaks = /\r\n?|\n/g
      breaks.lastIndex = at
      for (let end = breaks.exec(text); !full && end !== null; end = breaks.exec(text)) {
        if (!take(text.slice(at, end.index))) break
        endLine()
        at = breaks.lastIndex
        afterReturn = end[0] === "\r" && at === text.length
      }
      if (!full && at < text.length) take(text.slice(at))
      return items
    },
    isFull: () => full
  }
}

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
