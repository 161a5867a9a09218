import { type Html, html } from "../../html/html.ts"
import { codeBlock, type Syntax } from "./code.ts"
import { table } from "./table.ts"

// Of Markdown, what the documents of this repository use. Everything else is text.

/** A part of a document. */
export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly title: string; readonly id: string }
  | { readonly kind: "paragraph"; readonly text: string }
  | { readonly kind: "code"; readonly info: string; readonly code: string }
  | { readonly kind: "table"; readonly lines: ReadonlyArray<string> }
  | {
      readonly kind: "list"
      readonly isOrdered: boolean
      readonly items: ReadonlyArray<ReadonlyArray<Block>>
    }
  | { readonly kind: "quote"; readonly blocks: ReadonlyArray<Block> }
  | { readonly kind: "picture"; readonly alt: string; readonly src: string }

/** Where the links and pictures of a document lead. `undefined` stands for nowhere: only the text is shown. */
export interface Links {
  readonly href: (to: string) => string | undefined
  readonly picture: (src: string) => string | undefined
}

/** Links within the page and to other sites. Others lead to files, which a gateway does not serve. */
export const noFiles: Links = {
  href: (to) => (/^(?:#|https:\/\/)/.test(to) ? to : undefined),
  picture: () => undefined
}

const inlinePattern =
  /`([^`]+)`|\*\*([^*]+)\*\*|\[([^[\]]+)\]\(([^)\s]+)\)|(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])|\\([\\`*_|<>[\]])/g

const link = (label: string, to: string, links: Links): Html => {
  const href = links.href(to)
  return href === undefined
    ? html`${inline(label, links)}`
    : html`<a href="${href}" ${!/^[#/]/.test(href) && html` rel="nofollow"`}>${inline(label, links)}</a>`
}

/** One line of Markdown. */
export const inline = (text: string, links = noFiles): ReadonlyArray<Html> => {
  const out: Array<Html> = []
  let end = 0
  for (const match of text.matchAll(inlinePattern)) {
    const [whole, code, bold, label, href, stressed, escaped] = match
    out.push(html`${text.slice(end, match.index)}`)
    if (code !== undefined) out.push(html`<code>${code}</code>`)
    else if (bold !== undefined) out.push(html`<strong>${inline(bold, links)}</strong>`)
    else if (label !== undefined) out.push(link(label, href ?? "", links))
    else if (stressed !== undefined) out.push(html`<em>${inline(stressed, links)}</em>`)
    else out.push(html`${escaped}`)
    end = match.index + whole.length
  }
  return [...out, html`${text.slice(end)}`]
}

/** The text of a line, without its marks. */
export const plainText = (text: string): string =>
  text.replaceAll(/!?\[([^\]]*)\]\([^)\s]*\)/g, "$1").replaceAll(/[`*]/g, "")

/** As GitHub makes the ids of headings. */
export const slug = (title: string): string =>
  plainText(title)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-")

const cellsOf = (line: string): ReadonlyArray<string> =>
  line
    .replace(/^\|/, "")
    .replace(/\|$/, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"))

const headingLine = /^(#{1,6}) +(.+?) *#*$/
const fenceLine = /^(`{3,})(.*)$/
const itemLine = /^(?:[-*]|(\d+)\.) +/
const pictureLine = /^!\[([^\]]*)\]\(([^)\s]+)\)$/
const commentLine = /^<!--.*-->$/

const endsParagraph = (line: string): boolean =>
  line.trim() === "" ||
  headingLine.test(line) ||
  fenceLine.test(line) ||
  itemLine.test(line) ||
  commentLine.test(line) ||
  line.startsWith("|")

/** A list in a quote in a list: what is deeper is text. Documents of others may nest as deep as they are long. */
const deepest = 8

/** Reads the lines of one document, or of one item of a list. */
class Reader {
  readonly #lines: ReadonlyArray<string>
  readonly #ids: Map<string, number>
  readonly #depth: number
  #at = 0

  constructor(lines: ReadonlyArray<string>, ids: Map<string, number>, depth: number) {
    this.#lines = lines
    this.#ids = ids
    this.#depth = depth
  }

  read(): ReadonlyArray<Block> {
    const blocks: Array<Block> = []
    while (this.#at < this.#lines.length) {
      const line = this.#line
      if (line.trim() === "" || commentLine.test(line)) this.#at++
      else blocks.push(this.#block(line))
    }
    return blocks
  }

  get #line(): string {
    return this.#lines[this.#at] ?? ""
  }

  #takeWhile(belongs: (line: string) => boolean): ReadonlyArray<string> {
    const start = this.#at
    do this.#at++
    while (this.#at < this.#lines.length && belongs(this.#line))
    return this.#lines.slice(start, this.#at)
  }

  #block(line: string): Block {
    const heading = headingLine.exec(line)
    if (heading !== null) {
      this.#at++
      const [, marks = "", title = ""] = heading
      return { kind: "heading", level: marks.length, title, id: this.#idOf(title) }
    }
    const fence = fenceLine.exec(line)
    if (fence !== null) return this.#code(fence[1] ?? "", fence[2] ?? "")
    const picture = pictureLine.exec(line.trim())
    if (picture !== null) {
      this.#at++
      return { kind: "picture", alt: picture[1] ?? "", src: picture[2] ?? "" }
    }
    if (line.startsWith("|")) return { kind: "table", lines: this.#takeWhile((next) => next.startsWith("|")) }
    const nests = this.#depth < deepest
    if (nests && line.startsWith(">")) {
      const quoted = this.#takeWhile((next) => next.startsWith(">")).map((next) => next.replace(/^> ?/, ""))
      return { kind: "quote", blocks: new Reader(quoted, this.#ids, this.#depth + 1).read() }
    }
    const item = itemLine.exec(line)
    if (nests && item !== null) return this.#list(item[1] !== undefined)
    return {
      kind: "paragraph",
      text: this.#takeWhile((next) => !endsParagraph(next))
        .map((next) => next.trim())
        .join(" ")
    }
  }

  /** A second heading of the same name gets a number. */
  #idOf(title: string): string {
    const id = slug(title)
    const before = this.#ids.get(id) ?? 0
    this.#ids.set(id, before + 1)
    return before === 0 ? id : `${id}-${before}`
  }

  #code(fence: string, info: string): Block {
    const [, ...code] = this.#takeWhile((next) => next.trim() !== fence)
    this.#at++
    return { kind: "code", info: info.trim(), code: code.join("\n") }
  }

  #list(isOrdered: boolean): Block {
    const items: Array<ReadonlyArray<Block>> = []
    for (let item = itemLine.exec(this.#line); item !== null; item = itemLine.exec(this.#line)) {
      if ((item[1] !== undefined) !== isOrdered) break
      const indent = " ".repeat(item[0].length)
      const first = this.#line.slice(item[0].length)
      const [, ...rest] = this.#takeWhile((next) => next.startsWith(indent) || !endsParagraph(next) || this.#isInside())
      const lines = [first, ...rest.map((next) => this.#dedented(next, indent))]
      items.push(new Reader(lines, this.#ids, this.#depth + 1).read())
      if (this.#line.trim() === "" && itemLine.test(this.#lines[this.#at + 1] ?? "")) this.#at++
    }
    return { kind: "list", isOrdered, items }
  }

  /** Whether an item goes on after an empty line, or with a list of its own. */
  #isInside(): boolean {
    if (/^\s+\S/.test(this.#line)) return true
    return this.#line.trim() === "" && /^\s{2,}\S/.test(this.#lines[this.#at + 1] ?? "")
  }

  #dedented(line: string, indent: string): string {
    return line.startsWith(indent) ? line.slice(indent.length) : line.trimStart()
  }
}

/** Reads Markdown. */
export const blocksIn = (markdown: string): ReadonlyArray<Block> =>
  new Reader(markdown.replaceAll("\r\n", "\n").split("\n"), new Map(), 0).read()

/** What a search reads of a block. Code is read by those who found its section. */
export const textIn = (block: Block): string => {
  switch (block.kind) {
    case "heading":
      return plainText(block.title)
    case "paragraph":
      return plainText(block.text)
    case "code":
      return ""
    case "table":
      return block.lines
        .toSpliced(1, 1)
        .map((line) => plainText(cellsOf(line).join(" ")))
        .join(" ")
    case "list":
      return block.items.flatMap((item) => item.map(textIn)).join(" ")
    case "quote":
      return block.blocks.map(textIn).join(" ")
    case "picture":
      return block.alt
  }
}

/** How code in a language is shown, and what it is called. */
const languages: Readonly<Record<string, readonly [Syntax, string]>> = {
  sh: ["sh", "Shell"],
  ts: ["ts", "TypeScript"],
  typescript: ["ts", "TypeScript"],
  tsx: ["ts", "TypeScript"],
  js: ["ts", "JavaScript"],
  json: ["json", "JSON"],
  jsonc: ["jsonc", "JSON"],
  sql: ["text", "SQL"],
  toml: ["text", "TOML"],
  text: ["text", "Output"]
}

/** `sh terminal=gateway`, `json file=.mcp.json` */
const codeOf = (info: string, code: string): Html => {
  const [syntax, name] = languages[/^\w*/.exec(info)?.[0] ?? ""] ?? ["text", "Text"]
  const file = /\bfile=(\S+)/.exec(info)?.[1]
  const terminal = /\bterminal=(\S+)/.exec(info)?.[1]
  return codeBlock({ code, syntax, title: file ?? (terminal === undefined ? name : `${name}: ${terminal}`) })
}

const tableOf = (lines: ReadonlyArray<string>, label: string, links: Links): Html => {
  const [head = "", rule = "", ...rows] = lines
  return table({
    label,
    columns: cellsOf(head).map((title, i) => ({
      title: plainText(title),
      isNumber: /^-+:$/.test(cellsOf(rule)[i] ?? "")
    })),
    rows: rows.map((row) => cellsOf(row).map((cell) => html`${inline(cell, links)}`))
  })
}

const pictureOf = (alt: string, src: string | undefined): Html =>
  src === undefined
    ? html`<p>${alt}</p>`
    : html`<figure class="picture" role="group" aria-label="Picture" tabindex="0">
        <img src="${src}" alt="${alt}" />
      </figure>`

/** A heading that can be linked to. */
export const headingOf = (level: number, id: string, title: ReadonlyArray<Html>): Html => {
  const content = html`<a class="here" href="#${id}">${title}</a>`
  if (level <= 2) return html`<h2 id="${id}">${content}</h2>`
  return level === 3 ? html`<h3 id="${id}">${content}</h3>` : html`<h4 id="${id}">${content}</h4>`
}

const itemOf = (blocks: ReadonlyArray<Block>, label: string, links: Links): Html =>
  html`<li>
    ${blocks.map((block, i) =>
      i === 0 && block.kind === "paragraph" ? html`${inline(block.text, links)}` : rendered([block], label, links)[0]!
    )}
  </li>`

/** Blocks as they are shown. `label` is what a screen reader calls a table that no heading is above. */
export const rendered = (blocks: ReadonlyArray<Block>, label: string, links = noFiles): ReadonlyArray<Html> => {
  let above = label
  return blocks.map((block) => {
    switch (block.kind) {
      case "heading":
        above = plainText(block.title)
        // A label may hold no link of its own: the heading is one.
        return headingOf(block.level, block.id, inline(block.title.replaceAll(/\[([^\]]*)\]\([^)\s]*\)/g, "$1")))
      case "paragraph":
        return html`<p>${inline(block.text, links)}</p>`
      case "code":
        return codeOf(block.info, block.code)
      case "table":
        return tableOf(block.lines, above, links)
      case "list": {
        const items = block.items.map((item) => itemOf(item, above, links))
        return block.isOrdered
          ? html`<ol>
              ${items}
            </ol>`
          : html`<ul>
              ${items}
            </ul>`
      }
      case "quote":
        return html`<blockquote>${rendered(block.blocks, above, links)}</blockquote>`
      case "picture":
        return pictureOf(block.alt, links.picture(block.src))
    }
  })
}

export interface Section {
  /** The text before the first heading has none. */
  readonly title: string | undefined
  readonly id: string
  readonly blocks: ReadonlyArray<Block>
  /** For a search. */
  readonly text: string
}

/** The parts under headings of these levels. Titles of higher levels are left out. */
export const sectionsOf = (blocks: ReadonlyArray<Block>, levels: ReadonlyArray<number>): ReadonlyArray<Section> => {
  const parts: Array<{ title: string | undefined; id: string; blocks: Array<Block> }> = [
    { title: undefined, id: "", blocks: [] }
  ]
  for (const block of blocks) {
    if (block.kind !== "heading" || block.level > Math.max(...levels)) parts.at(-1)!.blocks.push(block)
    else if (levels.includes(block.level)) parts.push({ title: plainText(block.title), id: block.id, blocks: [] })
  }
  return parts.map((part) => ({ ...part, text: part.blocks.map(textIn).join(" ") }))
}

/** The first sentence of the first paragraph. */
export const beginning = (blocks: ReadonlyArray<Block>): string => {
  const first = blocks.find(({ kind }) => kind === "paragraph" || kind === "list")
  const text = first === undefined ? "" : textIn(first)
  return (/^.*?[.:](?=\s|$)/.exec(text)?.[0] ?? text)
    .slice(0, 200)
    .replace(/^\p{Ll}/u, (letter) => letter.toUpperCase())
}
