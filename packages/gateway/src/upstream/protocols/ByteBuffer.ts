import { emptyBytes } from "../../internal/emptyBytes.ts"

/** A growable buffer for an event whose end has not arrived yet. */
export interface ByteBuffer {
  readonly size: () => number
  readonly append: (bytes: Uint8Array, from: number, to: number) => void
  /** Returns the contents and empties the buffer. */
  readonly drain: () => Uint8Array
}

export const make = (): ByteBuffer => {
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
