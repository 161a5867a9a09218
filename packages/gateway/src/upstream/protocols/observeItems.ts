import { backslash, leftBrace, leftBracket, quote, rightBrace, rightBracket } from "../../internal/jsonScan.ts"
import { maxEventBytes } from "../../internal/sse.ts"
import * as ByteBuffer from "./ByteBuffer.ts"

/** Reads each object of a JSON array while the array arrives. A single object is read as well. */
export const observeItems = (
  onItem: (bytes: Uint8Array, from: number, to: number) => void,
  maxBytes = maxEventBytes
): { readonly push: (chunk: Uint8Array) => void; readonly isClosed: () => boolean } => {
  const incomplete = ByteBuffer.make()
  let depth = 0
  let isString = false
  let isEscape = false
  /** The depth of the open item; -1 between items. */
  let itemDepth = -1
  let isTooLarge = false
  let isClosed = false

  const read = (chunk: Uint8Array, from: number, to: number) => {
    if (incomplete.size() > 0) incomplete.append(chunk, from, to)
    const isInChunk = incomplete.size() === 0
    const bytes = isInChunk ? chunk : incomplete.drain()
    const [start, end] = isInChunk ? [from, to] : [0, bytes.length]
    if (!isTooLarge && end - start <= maxBytes) onItem(bytes, start, end)
    isTooLarge = false
  }

  const push = (chunk: Uint8Array) => {
    let from = 0
    for (let i = 0; i < chunk.length && !isClosed; i++) {
      const byte = chunk[i]
      if (isString) {
        if (isEscape) isEscape = false
        else if (byte === backslash) isEscape = true
        else if (byte === quote) isString = false
      } else if (byte === quote) isString = true
      else if (byte === leftBrace || byte === leftBracket) {
        if (byte === leftBrace && itemDepth === -1) {
          itemDepth = depth
          from = i
        }
        depth++
      } else if (byte === rightBrace || byte === rightBracket) {
        depth--
        if (itemDepth !== -1 && depth === itemDepth) {
          read(chunk, from, i + 1)
          itemDepth = -1
        }
        isClosed = depth <= 0
      }
    }
    if (itemDepth === -1 || isClosed) return
    isTooLarge ||= incomplete.size() + chunk.length - from > maxBytes
    if (isTooLarge) incomplete.drain()
    else incomplete.append(chunk, from, chunk.length)
  }

  return { push, isClosed: () => isClosed }
}
