import { EntryReader, type Cell, type Entry, wrongAt } from "./EntryReader.ts"

const maxDepth = 64
const maxText = 1024 * 1024
const maxCells = 2_000_000

interface Open {
  readonly isArray: boolean
  /** Of the member that is being read. */
  key: string
  index: number
  readonly entry: Entry | undefined
  /** What the names of cells inside begin with. */
  readonly prefix: string
  /** Whether this is a page, or the array of its entries. */
  readonly isPage: boolean
  readonly isData: boolean
}

type State = "value" | "first" | "firstKey" | "key" | "colon" | "after" | "string" | "word"

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t"
}

const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/**
 * Reads JSON in pieces, so that a file may be larger than memory. Entries are the objects at the top, in an array at the top,
 * and in `data` of either. Several values may follow each other, as in JSON lines. Numbers keep their digits.
 */
export class JsonReader extends EntryReader {
  private readonly open: Array<Open> = []
  private state: State = "value"
  private isKey = false
  private escaped: string | undefined

  push(chunk: string): void {
    for (let i = 0; i < chunk.length; i++) {
      const char = chunk[i]!
      if (this.state === "word" && /[\w.+-]/.test(char)) this.add(char)
      else {
        if (this.state === "word") this.endWord()
        if (this.state === "string") this.inString(char)
        else this.structure(char)
      }
      if (char === "\n") {
        this.line++
        this.column = 1
      } else this.column++
    }
  }

  end(): void {
    if (this.state === "word") this.endWord()
    if (this.open.length > 0 || this.state !== "value") throw wrongAt(this.at(), "the JSON ends too early")
  }

  private add(char: string): void {
    if (this.text.length >= maxText) throw wrongAt(this.begun, "a value is longer than 1 MiB")
    this.text += char
  }

  private inString(char: string): void {
    if (this.escaped !== undefined) {
      this.escaped += char
      if (this.escaped.startsWith("u")) {
        if (this.escaped.length < 5) return
        if (!/^u[\da-fA-F]{4}$/.test(this.escaped)) throw wrongAt(this.at(), "not JSON: a wrong escape in a text")
        this.add(String.fromCharCode(Number.parseInt(this.escaped.slice(1), 16)))
      } else {
        const meant = escapes[char]
        if (meant === undefined) throw wrongAt(this.at(), "not JSON: a wrong escape in a text")
        this.add(meant)
      }
      this.escaped = undefined
    } else if (char === "\\") this.escaped = ""
    else if (char === '"') this.endString()
    else if (char < " ") throw wrongAt(this.at(), "not JSON: a line break or control character in a text")
    else this.add(char)
  }

  private endString(): void {
    const inner = this.open.at(-1)
    if (this.isKey && inner !== undefined) {
      inner.key = this.text
      this.state = "colon"
    } else this.leaf(this.text)
  }

  private endWord(): void {
    const { text } = this
    if (text === "null") this.after()
    else if (text === "true" || text === "false" || number.test(text)) this.leaf(text)
    else throw wrongAt(this.begun, `not JSON: ${JSON.stringify(text.slice(0, 40))}`)
  }

  private leaf(text: string): void {
    const inner = this.open.at(-1)
    if (inner?.entry === undefined) throw wrongAt(this.begun, "expected an object")
    this.put(inner.entry, this.nameIn(inner), { text, at: this.begun })
    this.after()
  }

  private put(entry: Entry, name: string, cell: Cell): void {
    if (entry.cells.has(name)) throw wrongAt(cell.at, `${name} appears twice`)
    if (entry.cells.size >= maxCells) throw wrongAt(entry.at, "an object has too many values")
    entry.cells.set(name, cell)
  }

  private nameIn({ index, isArray, key, prefix }: Open): string {
    return prefix + (isArray ? String(index) : key)
  }

  private after(): void {
    this.state = this.open.length === 0 ? "value" : "after"
  }

  private structure(char: string): void {
    if (char === " " || char === "\n" || char === "\r" || char === "\t") return
    const inner = this.open.at(-1)
    const { state } = this
    if ((state === "firstKey" && char === "}") || (state === "first" && char === "]")) return this.close()
    if (state === "firstKey" || state === "key") {
      if (char === '"') return this.begin("string", true)
    } else if (state === "colon") {
      if (char === ":") return void (this.state = "value")
    } else if (state === "first" || state === "value") {
      if (char === "{" || char === "[") return this.enter(char === "[")
      if (char === '"') return this.begin("string")
      if (/[\w-]/.test(char)) {
        this.begin("word")
        return this.add(char)
      }
    } else if (inner !== undefined) {
      if (char === (inner.isArray ? "]" : "}")) return this.close()
      if (char === ",") {
        inner.index++
        return void (this.state = inner.isArray ? "value" : "key")
      }
    }
    throw wrongAt(this.at(), `not JSON: ${JSON.stringify(char)} is not expected here`)
  }

  private begin(state: "string" | "word", isKey = false): void {
    this.state = state
    this.isKey = isKey
    this.text = ""
    this.begun = this.at()
  }

  private enter(isArray: boolean): void {
    if (this.open.length >= maxDepth) throw wrongAt(this.at(), "the JSON is nested too deeply")
    const outer = this.open.at(-1)
    const isTop = outer === undefined || (outer.isArray && outer.entry === undefined && this.open.length === 1)
    const startsEntry = !isArray && (isTop || outer?.isData === true)
    const isData = isArray && outer?.isPage === true && outer.key === "data"
    if (outer?.entry === undefined && !startsEntry && !isData && !(isArray && outer === undefined)) {
      throw wrongAt(this.at(), "expected an object")
    }
    if (startsEntry && outer?.isData === true && this.open.at(-2)?.entry !== undefined) {
      this.open.at(-2)!.entry!.hasEntries = true
    }
    if (isData && outer?.entry !== undefined) outer.entry.hasEntries = true
    this.open.push({
      isArray,
      key: "",
      index: 0,
      entry: startsEntry ? { at: this.at(), cells: new Map(), hasEntries: false } : isData ? undefined : outer?.entry,
      prefix: startsEntry || outer?.entry === undefined ? "" : `${this.nameIn(outer)}.`,
      isPage: startsEntry && isTop,
      isData
    })
    this.state = isArray ? "first" : "firstKey"
  }

  private close(): void {
    const closed = this.open.pop()
    const outer = this.open.at(-1)
    if (closed?.entry !== undefined && closed.entry !== outer?.entry) this.found.push(closed.entry)
    this.after()
  }
}
