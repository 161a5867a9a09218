import { emptyBytes } from "../../internal/emptyBytes.ts"
import { type Event, eventAt, eventEnds } from "../../internal/sse.ts"
import type { StreamMeter } from "../Protocol.ts"
import { providerDefaults } from "../Provider.ts"
import * as ByteBuffer from "./ByteBuffer.ts"

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

const concat = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const out = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let at = 0
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
  return out
}

const join = (parts: ReadonlyArray<Uint8Array>): Uint8Array =>
  parts.length > 1 ? concat(parts) : (parts[0] ?? emptyBytes)

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
  const incomplete = ByteBuffer.make()
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
