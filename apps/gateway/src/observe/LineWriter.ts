/** The part of a stream that log lines need. */
export interface Target {
  readonly writableLength: number
  readonly write: (text: string) => boolean
}

/** Lines that wait for a reader, in bytes. */
const mostWaiting = 1_048_576

/** Writes lines without waiting. While nobody reads them, they wait up to a bound; further ones are dropped and counted. */
export class LineWriter {
  readonly #target: Target
  readonly #lineOfDropped: (dropped: number) => string
  /** Since the last line that told of them. */
  #untold = 0
  #dropped = 0

  constructor(target: Target, lineOfDropped: (dropped: number) => string) {
    this.#target = target
    this.#lineOfDropped = lineOfDropped
  }

  /** All lines that were dropped. */
  get dropped(): number {
    return this.#dropped
  }

  write(line: string): void {
    if (this.#target.writableLength >= mostWaiting) {
      this.#dropped++
      this.#untold++
      return
    }
    if (this.#untold > 0) {
      this.#target.write(this.#lineOfDropped(this.#untold))
      this.#untold = 0
    }
    this.#target.write(line)
  }
}
