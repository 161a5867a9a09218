import { boundaries, type Event, eventAt, largestEvent } from "../../internal/sse.ts"
import type { Watch } from "../Protocol.ts"
import { hold, nothing } from "./hold.ts"

/** What becomes of an event. Bytes go on in place of its data. */
export type Fate = "passed" | "dropped" | Uint8Array

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

const joined = (parts: ReadonlyArray<Uint8Array>): Uint8Array =>
  parts.length > 1 ? concat(parts) : (parts[0] ?? nothing)

/** Hands on a stream without some of its events. Only an event that is not complete waits. */
export const sift = (decide: (event: Event) => Fate, largest = largestEvent): Pick<Watch, "pass" | "finish"> => {
  const endsIn = boundaries()
  const begun = hold()
  let tooLarge = false
  // A carriage return ended a dropped event and the piece: its line feed is still to come.
  let feedDue = false

  /** What goes on of the event; `undefined`: the event as it is. */
  const rest = (bytes: Uint8Array, from: number, to: number): ReadonlyArray<Uint8Array> | undefined => {
    feedDue = false
    const event = to - from > largest ? undefined : eventAt(bytes, from, to)
    const fate = event === undefined ? "passed" : decide(event)
    if (event === undefined || fate === "passed") return undefined
    if (fate !== "dropped") {
      // Data that was put together from several lines is no part of these bytes.
      return event.bytes === bytes ? [bytes.subarray(from, event.from), fate, bytes.subarray(event.to, to)] : undefined
    }
    feedDue = bytes[to - 1] === carriageReturn
    return []
  }
  const restOfBegun = (): ReadonlyArray<Uint8Array> => {
    const whole = begun.take()
    return rest(whole, 0, whole.length) ?? [whole]
  }

  return {
    pass: (piece) => {
      const parts: Array<Uint8Array> = []
      let from = 0
      // Between these two the piece goes on as it is.
      let clean = 0
      let end = piece.length
      const put = (instead: ReadonlyArray<Uint8Array>, to: number) => {
        if (from > clean) parts.push(piece.subarray(clean, from))
        parts.push(...instead)
        clean = to
      }
      for (const to of endsIn(piece)) {
        if (begun.size() > 0) {
          begun.add(piece, from, to)
          put(restOfBegun(), to)
        } else if (tooLarge) tooLarge = false
        else if (feedDue && from === 0 && to === 1 && piece[0] === lineFeed) {
          feedDue = false
          put([], to)
        } else {
          const instead = rest(piece, from, to)
          if (instead !== undefined) put(instead, to)
        }
        from = to
      }
      if (from < end && !tooLarge) {
        tooLarge = begun.size() + end - from > largest
        if (!tooLarge) {
          begun.add(piece, from, end)
          end = from
        } else if (begun.size() > 0) put([begun.take()], from)
      }
      if (clean === 0 && end === piece.length && parts.length === 0) return piece
      if (end > clean) parts.push(piece.subarray(clean, end))
      return joined(parts)
    },
    finish: () => joined(restOfBegun())
  }
}
