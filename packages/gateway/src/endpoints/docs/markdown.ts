import * as Markdown from "@tollgate/contract/Markdown"
import { plainText } from "@tollgate/contract/Markdown"
import { type Html, html } from "../../html/html.ts"
import { codeBlock, type Syntax, table } from "./elements.ts"

/** Headings of a document have an id to link to. */
export type Block = Markdown.Block & { readonly id?: string }

/** Where the links and pictures of a document lead. `undefined` stands for nowhere: only the text is shown. */
export interface Links {
  readonly href: (to: string) => string | undefined
  readonly picture: (src: string) => string | undefined
  /** The title of a file that is linked to by its name. */
  readonly title?: (file: string) => string | undefined
}

/** Links within the page and to other sites. Others lead to files, which a gateway does not serve. */
export const noFiles: Links = {
  href: (to) => (/^(?:#|https:\/\/)/.test(to) ? to : undefined),
  picture: () => undefined
}

const inlinePattern =
  /`([^`]+)`|\*\*([^*]+)\*\*|\[([^[\]]+)\]\(([^)\s[]+)\)|(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])|\\([\\`*_|<>[\]])/g

const link = (label: string, to: string, links: Links): Html => {
  const href = links.href(to)
  const words = inline(links.title?.(label) ?? label, links)
  return href === undefined
    ? html`${words}`
    : html`<a href="${href}" ${!/^[#/]/.test(href) && html` rel="nofollow"`}>${words}</a>`
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

/** As GitHub makes the ids of headings. */
export const slug = (title: string): string =>
  plainText(title)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-")

const commentLine = /^<!--.*-->$/gm
const pictureLine = /^!\[([^\]]*)\]\(([^)\s]+)\)$/

/** The lines of a paragraph as one. */
const joined = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .join(" ")

/** Reads a document. A second heading of the same name gets a number. */
export const blocksIn = (markdown: string): ReadonlyArray<Block> => {
  const ids = new Map<string, number>()
  return Markdown.blocksIn(markdown.replaceAll(commentLine, "")).map((block) => {
    if (block.kind !== "heading") return block
    const id = slug(block.text)
    const before = ids.get(id) ?? 0
    ids.set(id, before + 1)
    return { ...block, id: before === 0 ? id : `${id}-${before}` }
  })
}

/** What a search reads of a block. Code is read by those who found its section. */
export const textIn = (block: Block): string => {
  switch (block.kind) {
    case "heading":
      return plainText(block.text)
    case "paragraph":
      return plainText(joined(block.text))
    case "code":
    case "rule":
      return ""
    case "table":
      return [block.head, ...block.rows].map((cells) => plainText(cells.join(" "))).join(" ")
    case "list":
      return block.items.flatMap((item) => item.map(textIn)).join(" ")
    case "quote":
      return block.blocks.map(textIn).join(" ")
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

const tableOf = ({ head, isNumber, rows }: Block & { kind: "table" }, label: string, links: Links): Html =>
  table({
    label,
    columns: head.map((title, i) => ({ title: plainText(title), isNumber: isNumber[i] === true })),
    rows: rows.map((row) => row.map((cell) => html`${inline(cell, links)}`))
  })

const pictureOf = (alt: string, src: string | undefined): Html =>
  src === undefined
    ? html`<p>${alt}</p>`
    : html`<figure class="picture" role="group" aria-label="Picture" tabindex="0">
        <img src="${src}" alt="${alt}" />
      </figure>`

export const headingOf = (level: number, id: string, title: ReadonlyArray<Html>): Html => {
  const content = html`<a class="here" href="#${id}">${title}</a>`
  if (level <= 2) return html`<h2 id="${id}">${content}</h2>`
  return level === 3 ? html`<h3 id="${id}">${content}</h3>` : html`<h4 id="${id}">${content}</h4>`
}

const itemOf = (blocks: ReadonlyArray<Block>, label: string, links: Links): Html =>
  html`<li>
    ${blocks.map((block, i) =>
      i === 0 && block.kind === "paragraph"
        ? html`${inline(joined(block.text), links)}`
        : rendered([block], label, links)[0]!
    )}
  </li>`

/** Blocks as they are shown. `label` is what a screen reader calls a table that no heading is above. */
export const rendered = (blocks: ReadonlyArray<Block>, label: string, links = noFiles): ReadonlyArray<Html> => {
  let above = label
  return blocks.map((block) => {
    switch (block.kind) {
      case "heading":
        above = plainText(block.text)
        // A label may hold no link of its own: the heading is one.
        return headingOf(
          block.level,
          block.id ?? slug(block.text),
          inline(block.text.replaceAll(/\[([^[\]]*)\]\([^)\s[]*\)/g, "$1"))
        )
      case "paragraph": {
        const text = joined(block.text)
        const [, alt, src] = pictureLine.exec(text) ?? []
        return src === undefined ? html`<p>${inline(text, links)}</p>` : pictureOf(alt ?? "", links.picture(src))
      }
      case "code":
        return codeOf(block.info, block.code)
      case "table":
        return tableOf(block, above, links)
      case "list": {
        const items = block.items.map((item) => itemOf(item, above, links))
        return block.start !== undefined
          ? html`<ol>
              ${items}
            </ol>`
          : html`<ul>
              ${items}
            </ul>`
      }
      case "quote":
        return html`<blockquote>${rendered(block.blocks, above, links)}</blockquote>`
      case "rule":
        return html`<hr />`
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
    else if (levels.includes(block.level)) parts.push({ title: plainText(block.text), id: block.id ?? "", blocks: [] })
  }
  return parts.map((part) => ({ ...part, text: part.blocks.map(textIn).join(" ") }))
}

/** The first sentence of the first paragraph. */
export const beginning = (blocks: ReadonlyArray<Block>): string => {
  const first = blocks.find(({ kind }) => kind === "paragraph" || kind === "list")
  const text = first === undefined ? "" : textIn(first)
  return (
    (/^.*?[.:](?=\s|$)/.exec(text)?.[0] ?? text)
      .slice(0, 200)
      // A name from code, such as maxPrice, stays as it is.
      .replace(/^\p{Ll}(?=\p{Ll}*[\s.,:])/u, (letter) => letter.toUpperCase())
  )
}

/** Longer ones are read better below the summary than in it. */
const longestInLead = 200

/** A document of others may be as long as it likes, and its page is made while callers wait. */
const longestShown = 20_000

const cut = (text: string): string => (text.length > longestShown ? `${text.slice(0, longestShown)}…` : text)

/** A note in the way of some documents: `> [!NOTE]`. */
const note = /^> ?\[!([A-Z]+)\] *$/gm

/** A heading of a description is none of its page. */
const withoutHeadings = (block: Block): ReadonlyArray<Block> => {
  if (block.kind === "quote") return block.blocks.flatMap(withoutHeadings)
  return block.kind === "heading" ? [{ kind: "paragraph", text: `**${block.text.replaceAll("*", "")}**` }] : [block]
}

const isShort = (text: string): boolean => text.length <= longestInLead && !text.trim().includes("\n")

/** The end of the first paragraph of a page, if the description is short. */
export const inLead = (description: string | undefined): ReadonlyArray<Html> =>
  description !== undefined && isShort(description) ? inline(description.replace(/\.?$/, ".")) : []

/** Paragraphs, lists, tables and code of a longer description, which documents of others have in Markdown. */
export const below = (description: string | undefined): ReadonlyArray<Html> =>
  description === undefined || isShort(description)
    ? []
    : blocksIn(cut(description.replaceAll("\r\n", "\n")).replace(note, "> **$1:**"))
        .flatMap(withoutHeadings)
        .flatMap((block) =>
          block.kind === "code" ? [html`<pre><code>${block.code}</code></pre>`] : rendered([block], "Description")
        )
