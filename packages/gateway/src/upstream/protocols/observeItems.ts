import * as Bytes from "effect/Bytes"
import { emptyBytes } from "../../internal/emptyBytes.ts"
import { leftBrace, leftBracket, quote, rightBrace, rightBracket, StringReader } from "../../internal/jsonScan.ts"
import type { StreamMeter } from "../Protocol.ts"
import { providerDefaults } from "../Provider.ts"
import * as ByteBuffer from "./ByteBuffer.ts"

export interface ItemReader extends Pick<StreamMeter, "push" | "finish" | "isTooLarge"> {
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
  const held = ByteBuffer.make()
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
