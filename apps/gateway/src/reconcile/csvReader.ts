import { EntryReader, type Cell, wrongAt } from "./EntryReader.ts"

const maxText = 1024 * 1024
const maxColumns = 1000

const delimiterOf = (line: string): string => {
  const bare = line.replaceAll(/"[^"]*"/g, "")
  return [",", ";", "\t"].reduce((best, next) => (bare.split(next).length > bare.split(best).length ? next : best))
}

/** Reads rows in pieces, separated by comma, semicolon or tab. The first row has the names of the columns. */
export class CsvReader extends EntryReader {
  private delimiter: string | undefined
  /** The text until the first line is complete, which tells the delimiter. */
  private head = ""
  private names: ReadonlyArray<string> | undefined
  private row: Array<Cell> = []
  private quotes: "none" | "in" | "ended" = "none"

  /** The names of the columns, once they are known. */
  get columns(): ReadonlyArray<string> | undefined {
    return this.names
  }

  push(chunk: string): void {
    if (this.delimiter !== undefined) return this.read(chunk)
    this.head += chunk
    if (this.head.length > maxText) throw wrongAt(this.at(), "the first line is longer than 1 MiB: no CSV")
    if (this.head.includes("\n")) this.readHead()
  }

  private readHead(): void {
    const { head } = this
    this.head = ""
    this.delimiter = delimiterOf(head.split("\n", 1)[0] ?? "")
    this.read(head)
  }

  private read(chunk: string): void {
    for (const char of chunk) {
      this.next(char)
      if (char === "\n") {
        this.line++
        this.column = 1
        if (this.quotes !== "in") this.begun = this.at()
      } else this.column += char.length
    }
  }

  private next(char: string): void {
    if (this.quotes === "in") {
      if (char === '"') this.quotes = "ended"
      else this.add(char)
    } else if (char === this.delimiter) this.endCell()
    else if (char === "\n") this.endRow()
    else if (char === '"') {
      if (this.quotes === "ended") {
        this.add(char)
        this.quotes = "in"
      } else if (this.text === "") this.quotes = "in"
      else throw wrongAt(this.at(), "a quote inside a value that is not quoted")
    } else if (char === "\r") return
    else if (this.quotes === "ended") throw wrongAt(this.at(), "text after a closing quote")
    else this.add(char)
  }

  private add(char: string): void {
    if (this.text.length >= maxText) throw wrongAt(this.begun, "a value is longer than 1 MiB: a quote is missing")
    this.text += char
  }

  private endCell(): void {
    if (this.row.length >= maxColumns) throw wrongAt(this.begun, `a row has more than ${maxColumns} columns`)
    this.row.push({ text: this.text.trim(), at: this.begun })
    this.text = ""
    this.quotes = "none"
    this.begun = { ...this.at(), column: this.column + 1 }
  }

  private endRow(): void {
    this.endCell()
    const { row } = this
    this.row = []
    const [first] = row
    if (first === undefined || row.every(({ text }) => text === "")) return
    if (this.names === undefined) {
      const names = row.map(({ text }) => text)
      const twice = row.find(({ text }, index) => text !== "" && names.indexOf(text) !== index)
      if (twice !== undefined) throw wrongAt(twice.at, `two columns are called ${twice.text}`)
      this.names = names
      return
    }
    if (row.length !== this.names.length) {
      throw wrongAt(first.at, `the row has ${row.length} values, the first line has ${this.names.length}`)
    }
    const cells = new Map<string, Cell>()
    row.forEach((cell, index) => {
      const name = this.names?.[index]
      if (cell.text !== "" && name !== undefined && name !== "") cells.set(name, cell)
    })
    this.found.push({ at: first.at, cells, hasEntries: false })
  }

  end(): void {
    if (this.delimiter === undefined) this.readHead()
    if (this.quotes === "in") throw wrongAt(this.begun, "a quote is not closed")
    if (this.text !== "" || this.row.length > 0) this.endRow()
  }
}
