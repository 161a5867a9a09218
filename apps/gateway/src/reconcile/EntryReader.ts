import type { Entry, Position } from "./position.ts"

/** Reads a file in pieces, knows where it is in it, and collects entries. */
export abstract class EntryReader {
  protected line = 1
  protected column = 1
  /** The value that is being read, and where it began. */
  protected text = ""
  protected begun: Position
  protected found: Array<Entry> = []
  readonly #file: string

  constructor(file: string) {
    this.#file = file
    this.begun = this.at()
  }

  abstract push(chunk: string): void
  abstract end(): void

  /** The entries that are complete. */
  take(): ReadonlyArray<Entry> {
    const { found } = this
    this.found = []
    return found
  }

  protected at(): Position {
    return { file: this.#file, line: this.line, column: this.column }
  }
}
