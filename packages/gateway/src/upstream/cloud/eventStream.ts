import { NotCarried } from "@tollgate/contract/carrier/Carrier"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Bytes from "effect/Bytes"
import { emptyBytes } from "../../internal/emptyBytes.ts"

// The binary frames in which AWS streams: lengths, checksum, headers, payload, checksum.

export const eventStreamType = "application/vnd.amazon.eventstream"

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc
})

/** As in gzip. */
export const crc32 = (bytes: Uint8Array): number => {
  let crc = 0xffffffff
  for (const byte of bytes) crc = (crc >>> 8) ^ (table[(crc ^ byte) & 0xff] ?? 0)
  return (crc ^ 0xffffffff) >>> 0
}

/** How long a header's value is, by its type. Bytes (6) and text (7) have a length of their own. */
const valueBytes: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 }

/** The headers that are text. `undefined`: they are not valid. */
const headersOf = (bytes: Uint8Array): ReadonlyMap<string, string> | undefined => {
  const found = new Map<string, string>()
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let at = 0
  while (at < bytes.length) {
    const nameEnd = at + 1 + view.getUint8(at)
    if (nameEnd >= bytes.length) return undefined
    const name = Utf8.decode(bytes.subarray(at + 1, nameEnd))
    const type = view.getUint8(nameEnd)
    const fixed = valueBytes[type]
    if (fixed === undefined && ((type !== 6 && type !== 7) || nameEnd + 3 > bytes.length)) return undefined
    const start = nameEnd + (fixed === undefined ? 3 : 1)
    at = start + (fixed ?? view.getUint16(nameEnd + 1))
    if (at > bytes.length) return undefined
    if (type === 7) found.set(name, Utf8.decode(bytes.subarray(start, at)))
  }
  return found
}

export interface Frame {
  readonly headers: ReadonlyMap<string, string>
  readonly payload: Uint8Array
}

/** Lengths and their checksum, and the checksum at the end. */
const preludeBytes = 12
const leastBytes = preludeBytes + 4

export const broken = (what: string) => new NotCarried({ why: "broken", answered: `The upstream's stream ${what}` })

/** Reads frames from chunks that are cut anywhere. */
export class FrameReader {
  readonly #maxBytes: number
  #rest: Uint8Array = emptyBytes
  #parts: Array<Uint8Array> = []
  #size = 0
  /** How much has to arrive before it is worth looking again. */
  #needed = preludeBytes

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** A frame has begun and not ended. */
  get isWithin(): boolean {
    return this.#size > 0
  }

  /** Passes each whole frame on, in order. What it returns is wrong with the next one. */
  push(chunk: Uint8Array, onFrame: (frame: Frame) => NotCarried | undefined): NotCarried | undefined {
    this.#parts.push(chunk)
    this.#size += chunk.length
    if (this.#size < this.#needed) return undefined
    this.#rest = this.#parts.length === 1 ? chunk : Bytes.concat(this.#parts)
    let problem: NotCarried | undefined
    while (problem === undefined && this.#rest.length >= this.#needed) problem = this.#next(onFrame)
    this.#size = this.#rest.length
    this.#parts = this.#size === 0 ? [] : [this.#rest]
    return problem
  }

  #next(onFrame: (frame: Frame) => NotCarried | undefined): NotCarried | undefined {
    const bytes = this.#rest
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    const total = view.getUint32(0)
    const headersEnd = preludeBytes + view.getUint32(4)
    if (crc32(bytes.subarray(0, 8)) !== view.getUint32(8)) return broken("has a frame with a wrong checksum")
    if (total < leastBytes || headersEnd > total - 4) return broken("has a frame that is not valid")
    if (total > this.#maxBytes) return new NotCarried({ why: "too large" })
    this.#needed = total
    if (bytes.length < total) return undefined
    this.#needed = preludeBytes
    this.#rest = bytes.subarray(total)
    if (crc32(bytes.subarray(0, total - 4)) !== view.getUint32(total - 4))
      return broken("has a frame with a wrong checksum")
    const headers = headersOf(bytes.subarray(preludeBytes, headersEnd))
    if (headers === undefined) return broken("has a frame that is not valid")
    return onFrame({ headers, payload: bytes.subarray(headersEnd, total - 4) })
  }
}
