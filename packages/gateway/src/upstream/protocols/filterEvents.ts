import { emptyBytes } from "../../internal/emptyBytes.ts"
import { type Event, eventAt, eventEnds } from "../../internal/sse.ts"
import type { StreamMeter } from "../Protocol.ts"
import { providerDefaults } from "../Provider.ts"
import * as Bytes from "effect/Bytes"
import { leftBrace, leftBracket, quote, rightBrace, rightBracket, StringReader } from "../../internal/jsonScan.ts"

/** A growable buffer for an event whose end has not arrived yet. */
interface ByteBuffer {
  readonly size: () => number
  readonly append: (bytes: Uint8Array, from: number, to: number) => void
  /** Returns the contents and empties the buffer. */
  readonly drain: () => Uint8Array
}

export const makeBuffer = (): ByteBuffer => {
  let buffer = emptyBytes
  let size = 0
  return {
    size: () => size,
    append: (bytes, from, to) => {
      const needed = size + to - from
      if (needed > buffer.length) {
        // Doubling keeps the copying linear when bytes arrive one at a time.
        const larger = new Uint8Array(Math.max(needed, buffer.length * 2))
        larger.set(buffer.subarray(0, size))
        buffer = larger
      }
      buffer.set(bytes.subarray(from, to), size)
      size = needed
    },
    drain: () => {
      const drained = buffer.subarray(0, size)
      buffer = emptyBytes
      size = 0
      return drained
    }
  }
}

/** Reads the events of a stream and forwards all of them unchanged. */
export const observeEvents = (onEvent: (event: Event) => void, maxBytes?: number): EventReader =>
  filterEvents((event) => {
    onEvent(event)
    return "keep"
  }, maxBytes)

/** What to do with an event. Bytes replace its data. */
export type Verdict = "keep" | "drop" | Uint8Array

const carriageReturn = 0x0d
const lineFeed = 0x0a

const join = (parts: ReadonlyArray<Uint8Array>): Uint8Array =>
  parts.length > 1 ? Bytes.concat(parts) : (parts[0] ?? emptyBytes)

type EventReader = Pick<StreamMeter, "push" | "finish" | "isTooLarge">

/**
 * Forwards a stream without the dropped events. An incomplete event is held back, so that what was forwarded always ends
 * with an event. Nothing is read or forwarded from an event of more than `maxBytes` on.
 */
export const filterEvents = (
  onEvent: (event: Event) => Verdict,
  maxBytes = providerDefaults.eventBytes
): EventReader => {
  const endsIn = eventEnds()
  const incomplete = makeBuffer()
  let isTooLarge = false
  // The chunk ended with the carriage return of a dropped event: its line feed may follow and is dropped too.
  let dropsLineFeed = false

  /** What is forwarded of the event; `undefined`: all of it. */
  const filter = (bytes: Uint8Array, from: number, to: number): ReadonlyArray<Uint8Array> | undefined => {
    dropsLineFeed = false
    isTooLarge = to - from > maxBytes
    if (isTooLarge) return []
    const event = eventAt(bytes, from, to)
    const verdict = event === undefined ? "keep" : onEvent(event)
    if (event === undefined || verdict === "keep") return undefined
    if (verdict !== "drop") {
      // Data joined from several lines is a copy and cannot be replaced in place.
      return event.bytes === bytes
        ? [bytes.subarray(from, event.from), verdict, bytes.subarray(event.to, to)]
        : undefined
    }
    dropsLineFeed = bytes[to - 1] === carriageReturn
    return []
  }
  const filterIncomplete = (): ReadonlyArray<Uint8Array> => {
    const bytes = incomplete.drain()
    return filter(bytes, 0, bytes.length) ?? [bytes]
  }

  return {
    push: (chunk) => {
      if (isTooLarge) return emptyBytes
      const parts: Array<Uint8Array> = []
      let from = 0
      // The chunk is forwarded unchanged between `unchangedFrom` and `end`.
      let unchangedFrom = 0
      let end = chunk.length
      const replace = (replacement: ReadonlyArray<Uint8Array>, to: number) => {
        if (from > unchangedFrom) parts.push(chunk.subarray(unchangedFrom, from))
        parts.push(...replacement)
        unchangedFrom = to
      }
      for (const to of endsIn(chunk)) {
        if (incomplete.size() > 0) {
          incomplete.append(chunk, from, to)
          replace(filterIncomplete(), to)
        } else if (dropsLineFeed && from === 0 && to === 1 && chunk[0] === lineFeed) {
          dropsLineFeed = false
          replace([], to)
        } else {
          const replacement = filter(chunk, from, to)
          if (replacement !== undefined) replace(replacement, to)
        }
        if (isTooLarge) return join(parts)
        from = to
      }
      if (from < end) {
        isTooLarge = incomplete.size() + end - from > maxBytes
        if (!isTooLarge) incomplete.append(chunk, from, end)
        end = from
      }
      if (unchangedFrom === 0 && end === chunk.length && parts.length === 0) return chunk
      if (end > unchangedFrom) parts.push(chunk.subarray(unchangedFrom, end))
      return join(parts)
    },
    finish: () => (isTooLarge ? emptyBytes : join(filterIncomplete())),
    isTooLarge: () => isTooLarge
  }
}

interface ItemReader extends Pick<StreamMeter, "push" | "finish" | "isTooLarge"> {
  readonly isClosed: () => boolean
}

/**
 * Reads each object of a JSON array while the array arrives, and forwards it unchanged. A single object is read as well.
 * What follows an item is held back until the next one is complete, so that what was forwarded always ends with an item.
 * Nothing is read or forwarded from an item of more than `maxBytes` on.
 */
export const observeItems = (
  onItem: (bytes: Uint8Array, from: number, to: number) => void,
  maxBytes = providerDefaults.eventBytes
): ItemReader => {
  /** What arrived since the last item. */
  const held = makeBuffer()
  /** Where the open item starts in `held`. */
  let itemAt = 0
  let depth = 0
  const strings = new StringReader()
  /** The depth of the open item; -1 between items. */
  let itemDepth = -1
  let isTooLarge = false
  let isClosed = false

  const push = (chunk: Uint8Array): Uint8Array => {
    if (isTooLarge) return emptyBytes
    let first: Uint8Array = emptyBytes
    // The chunk is forwarded between `from` and `to`.
    let from = 0
    let to = 0
    const endItem = (end: number) => {
      isTooLarge = held.size() + end - to - itemAt > maxBytes
      if (isTooLarge) return
      if (held.size() > 0) {
        held.append(chunk, 0, end)
        first = held.drain()
        onItem(first, itemAt, first.length)
        from = end
      } else onItem(chunk, to + itemAt, end)
      to = end
    }
    for (let i = 0; i < chunk.length && !isClosed && !isTooLarge; i++) {
      const byte = chunk[i]
      if (strings.isOpen || byte === quote) {
        i = strings.read(chunk, strings.isOpen ? i : i + 1) - 1
      } else if (byte === leftBrace || byte === leftBracket) {
        if (byte === leftBrace && itemDepth === -1) {
          itemDepth = depth
          itemAt = held.size() + i - to
        }
        depth++
      } else if (byte === rightBrace || byte === rightBracket) {
        depth--
        if (itemDepth !== -1 && depth === itemDepth) {
          endItem(i + 1)
          itemDepth = -1
        }
        isClosed = depth <= 0
      }
    }
    if (isClosed && !isTooLarge) {
      if (held.size() > 0) first = held.drain()
      to = chunk.length
    } else {
      isTooLarge ||= held.size() + chunk.length - to > maxBytes
      if (!isTooLarge) held.append(chunk, to, chunk.length)
    }
    const rest = from === 0 && to === chunk.length ? chunk : chunk.subarray(from, to)
    return first.length === 0 ? rest : rest.length === 0 ? first : Bytes.concat([first, rest])
  }

  return {
    push,
    finish: () => (isTooLarge ? emptyBytes : held.drain()),
    isTooLarge: () => isTooLarge,
    isClosed: () => isClosed
  }
}
