import { CommandError, plain } from "../terminal/print.ts"

/** Where in a file something is. Lines and columns count from 1. */
export interface Position {
  readonly file: string
  readonly line: number
  readonly column: number
}

export const where = ({ column, file, line }: Position): string => `${file}, line ${line}, column ${column}`

/** What is wrong with an export, and where. */
export const wrongAt = (at: Position, message: string): CommandError =>
  new CommandError({ message: plain(`${where(at)}: ${message}`) })

/** One value of an export, as it is written. `null` and absent values have no cell. */
export interface Cell {
  readonly text: string
  readonly at: Position
}

/** What belongs together in an export: a row of a table, or an object. Cells of inner objects have names such as `amount.value`. */
export interface Entry {
  readonly at: Position
  readonly cells: Map<string, Cell>
  /** Whether entries of its own were found in it, as in a page of results. */
  hasEntries: boolean
}

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
