/** The bytes of all large bodies that are held in memory, and how many there may be. */
export class BodyMemory {
  readonly limit: number
  #held = 0

  constructor(limit: number) {
    this.limit = limit
  }

  /** Returns false, and holds nothing more, if that would exceed the limit. */
  hold(bytes: number): boolean {
    if (this.#held + bytes > this.limit) return false
    this.#held += bytes
    return true
  }

  release(bytes: number): void {
    this.#held -= bytes
  }
}
