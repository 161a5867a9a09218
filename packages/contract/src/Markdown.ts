// Of Markdown, what models and the documents of interfaces write. Everything else stays text. HTML is text too.

/** A part of a text. What is in a line of it keeps its marks: whoever shows it knows what they may become. */
export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly text: string }
  | { readonly kind: "paragraph"; readonly text: string }
  /** `info` is what follows the fence, such as `json file=.mcp.json`. */
  | { readonly kind: "code"; readonly info: string; readonly code: string }
  | {
      readonly kind: "table"
      readonly head: ReadonlyArray<string>
      /** By column: written at the right, as numbers are. */
      readonly isNumber: ReadonlyArray<boolean>
      readonly rows: ReadonlyArray<ReadonlyArray<string>>
    }
  | { readonly kind: "list"; readonly start: number | undefined; readonly items: ReadonlyArray<ReadonlyArray<Block>> }
  | { readonly kind: "quote"; readonly blocks: ReadonlyArray<Block> }
  | { readonly kind: "rule" }

/** A list in a quote in a list: what is deeper is text. A text of others may nest as deep as it is long. */
const deepest = 6

// The texts come from others, so no pattern takes longer than its text is long.
const fenceLine = /^ {0,3}(`{3,}|~{3,}(?!~))([^`]*)$/
const headingLine = /^ {0,3}(#{1,6}) +(\S.*)$/
/** A heading may be closed by marks after a space. */
const closingMarks = /(?<!#)#+$/
const ruleLine = /^ {0,3}([-*_])(?: *\1){2,} *$/
const itemLine = /^( *)(?:[-*+]|(\d{1,9})[.)]) +/
const tableRule = /^ *\|?(?: *:?-+:? *\|)+(?: *:?-+:?)? *$/

const cellsOf = (line: string): ReadonlyArray<string> =>
  line
    .trim()
    .replace(/^\|/, "")
    .replace(/\|$/, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"))

const headingText = (line: string): string => {
  const text = line.trimEnd()
  const open = text.replace(closingMarks, "")
  return open.endsWith(" ") ? open.trimEnd() : text
}

const indentOf = (line: string): number => line.length - line.trimStart().length

/** Reads the lines of a text, of an item or of a quote. */
class Reader {
  readonly #lines: ReadonlyArray<string>
  readonly #depth: number
  #at = 0

  constructor(lines: ReadonlyArray<string>, depth: number) {
    this.#lines = lines
    this.#depth = depth
  }

  read(): ReadonlyArray<Block> {
    const blocks: Array<Block> = []
    while (this.#at < this.#lines.length) {
      if (this.#line().trim() === "") this.#at++
      else blocks.push(this.#block())
    }
    return blocks
  }

  #line(ahead = 0): string {
    return this.#lines[this.#at + ahead] ?? ""
  }

  #takeWhile(belongs: () => boolean): ReadonlyArray<string> {
    const start = this.#at
    do this.#at++
    while (this.#at < this.#lines.length && belongs())
    return this.#lines.slice(start, this.#at)
  }

  #isTable(): boolean {
    return this.#line().includes("|") && tableRule.test(this.#line(1))
  }

  #nests(): boolean {
    return this.#depth < deepest
  }

  #isItem(): boolean {
    return this.#nests() && itemLine.test(this.#line())
  }

  #isQuote(): boolean {
    return this.#nests() && this.#line().startsWith(">")
  }

  #goesOn(): boolean {
    const line = this.#line()
    return !(
      line.trim() === "" ||
      fenceLine.test(line) ||
      headingLine.test(line) ||
      ruleLine.test(line) ||
      this.#isItem() ||
      this.#isQuote() ||
      this.#isTable()
    )
  }

  #block(): Block {
    const line = this.#line()
    const fence = fenceLine.exec(line)
    if (fence !== null) return this.#code(fence[1] ?? "", (fence[2] ?? "").trim(), indentOf(line))
    const heading = headingLine.exec(line)
    if (heading !== null) {
      this.#at++
      return { kind: "heading", level: heading[1]?.length ?? 1, text: headingText(heading[2] ?? "") }
    }
    if (ruleLine.test(line)) {
      this.#at++
      return { kind: "rule" }
    }
    if (this.#isTable()) {
      const [head = "", rule = "", ...rows] = this.#takeWhile(() => this.#line().includes("|"))
      const isNumber = cellsOf(rule).map((cell) => /^-+:$/.test(cell))
      return { kind: "table", head: cellsOf(head), isNumber, rows: rows.map(cellsOf) }
    }
    if (this.#isQuote()) {
      const quoted = this.#takeWhile(() => this.#line().startsWith(">")).map((next) => next.replace(/^> ?/, ""))
      return { kind: "quote", blocks: new Reader(quoted, this.#depth + 1).read() }
    }
    if (this.#isItem()) return this.#list()
    return { kind: "paragraph", text: this.#takeWhile(() => this.#goesOn()).join("\n") }
  }

  /** One that has no end yet goes on to the end of what has arrived. */
  #code(fence: string, info: string, indent: number): Block {
    const [, ...lines] = this.#takeWhile(() => this.#line().trim() !== fence)
    this.#at++
    return {
      kind: "code",
      info,
      code: lines.map((line) => line.slice(Math.min(indent, indentOf(line)))).join("\n")
    }
  }

  #list(): Block {
    const [, , number] = itemLine.exec(this.#line()) ?? []
    const isOrdered = number !== undefined
    const items: Array<ReadonlyArray<Block>> = []
    for (let item = itemLine.exec(this.#line()); item !== null; item = itemLine.exec(this.#line())) {
      if ((item[2] !== undefined) !== isOrdered) break
      const marker = item[0].length
      const outer = item[1]?.length ?? 0
      const isInside = () => {
        const line = this.#line()
        if (line.trim() === "") return indentOf(this.#line(1)) > outer && this.#line(1).trim() !== ""
        return indentOf(line) > outer || this.#goesOn()
      }
      const lines = this.#takeWhile(isInside).map((line) => line.slice(Math.min(marker, indentOf(line))))
      items.push(new Reader([(lines[0] ?? "").replace(itemLine, ""), ...lines.slice(1)], this.#depth + 1).read())
      if (this.#line().trim() === "" && itemLine.test(this.#line(1))) this.#at++
    }
    return { kind: "list", start: isOrdered ? Number(number) : undefined, items }
  }
}

export const blocksIn = (text: string): ReadonlyArray<Block> =>
  new Reader(text.replaceAll("\r\n", "\n").split("\n"), 0).read()

/** The text of a line, without its marks. */
export const plainText = (text: string): string =>
  text
    .replaceAll(/!?\[([^[\]]*)\]\([^)\s[]*\)/g, "$1")
    // What stands in code is no mark.
    .replaceAll(/`([^`]*)`|[`*]/g, "$1")
