import { largestEvent } from "../../internal/sse.ts"
import { backslash, leftBrace, leftBracket, quote, rightBrace, rightBracket } from "../../internal/jsonScan.ts"
import { hold } from "./hold.ts"

/** Looks at each object of a JSON array while the array passes. An object alone is looked at as well. */
export const followItems = (
  look: (bytes: Uint8Array, from: number, to: number) => void,
  largest = largestEvent
): { readonly push: (piece: Uint8Array) => void; readonly isClosed: () => boolean } => {
  const begun = hold()
  let depth = 0
  let isString = false
  let isEscape = false
  /** How deep the item stands that is open; -1 between items. */
  let item = -1
  let tooLarge = false
  let isClosed = false

  const show = (piece: Uint8Array, from: number, to: number) => {
    if (begun.size() > 0) begun.add(piece, from, to)
    const isWhole = begun.size() === 0
    const bytes = isWhole ? piece : begun.take()
    const [start, end] = isWhole ? [from, to] : [0, bytes.length]
    if (!tooLarge && end - start <= largest) look(bytes, start, end)
    tooLarge = false
  }

  const push = (piece: Uint8Array) => {
    let from = 0
    for (let i = 0; i < piece.length && !isClosed; i++) {
      const byte = piece[i]
      if (isString) {
        if (isEscape) isEscape = false
        else if (byte === backslash) isEscape = true
        else if (byte === quote) isString = false
      } else if (byte === quote) isString = true
      else if (byte === leftBrace || byte === leftBracket) {
        if (byte === leftBrace && item === -1) {
          item = depth
          from = i
        }
        depth++
      } else if (byte === rightBrace || byte === rightBracket) {
        depth--
        if (item !== -1 && depth === item) {
          show(piece, from, i + 1)
          item = -1
        }
        isClosed = depth <= 0
      }
    }
    if (item === -1 || isClosed) return
    tooLarge ||= begun.size() + piece.length - from > largest
    if (tooLarge) begun.take()
    else begun.add(piece, from, piece.length)
  }

  return { push, isClosed: () => isClosed }
}
