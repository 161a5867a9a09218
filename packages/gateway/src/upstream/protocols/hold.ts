/** The beginning of something whose end has not come yet. */
export interface Hold {
  readonly size: () => number
  readonly add: (bytes: Uint8Array, from: number, to: number) => void
  /** All of it. What is added then begins anew. */
  readonly take: () => Uint8Array
}

export const nothing = new Uint8Array(0)

export const hold = (): Hold => {
  let buffer = nothing
  let size = 0
  return {
    size: () => size,
    add: (bytes, from, to) => {
      const needed = size + to - from
      if (needed > buffer.length) {
        // Twice as much each time, so that a byte at a time does not copy everything for each.
        const larger = new Uint8Array(Math.max(needed, buffer.length * 2))
        larger.set(buffer.subarray(0, size))
        buffer = larger
      }
      buffer.set(bytes.subarray(from, to), size)
      size = needed
    },
    take: () => {
      const taken = buffer.subarray(0, size)
      buffer = nothing
      size = 0
      return taken
    }
  }
}
