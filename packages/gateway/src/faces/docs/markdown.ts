import type { Names } from "@tollgate/contract/Names"
import { rules } from "@tollgate/contract/reference/rules"
import { type Html, html } from "../../html/html.ts"
import { table } from "./table.ts"

// Of Markdown, what docs/reference.md uses: headings, paragraphs, lists, tables, code, bold and links.

const inlinePattern = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)]+)\)/g

/** Links within the page and to other sites stay. Others lead to files, which a gateway does not serve. */
const link = (text: string, href: string): Html =>
  /^(?:#|https:\/\/)/.test(href)
    ? html`<a href="${href}" ${!href.startsWith("#") && html` rel="nofollow"`}>${inline(text)}</a>`
    : html`${inline(text)}`

/** One line of Markdown. */
export const inline = (text: string): ReadonlyArray<Html> => {
  const out: Array<Html> = []
  let end = 0
  for (const match of text.matchAll(inlinePattern)) {
    const [whole, code, bold, label, href] = match
    out.push(html`${text.slice(end, match.index)}`)
    if (code !== undefined) out.push(html`<code>${code}</code>`)
    else if (bold !== undefined) out.push(html`<strong>${bold}</strong>`)
    else out.push(link(label ?? "", href ?? ""))
    end = match.index + whole.length
  }
  return [...out, html`${text.slice(end)}`]
}

const slug = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} -]/gu, "")
    .replaceAll(" ", "-")

const cellsOf = (line: string): ReadonlyArray<string> =>
  line
    .replace(/^\|/, "")
    .replace(/\|$/, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())

const tableOf = (lines: ReadonlyArray<string>, label: string): Html => {
  const [head = "", rule = "", ...rows] = lines
  return table({
    label,
    columns: cellsOf(head).map((title, i) => ({ title, isNumber: /^-+:$/.test(cellsOf(rule)[i] ?? "") })),
    rows: rows.map((row) => cellsOf(row).map((cell) => html`${inline(cell)}`))
  })
}

const listOf = (lines: ReadonlyArray<string>): Html => {
  const items = lines.reduce<ReadonlyArray<string>>(
    (items, line) =>
      line.startsWith("- ")
        ? [...items, line.slice(2)]
        : [...items.slice(0, -1), `${items.at(-1) ?? ""} ${line.trim()}`],
    []
  )
  return html`<ul>
    ${items.map((item) => html`<li>${inline(item)}</li>`)}
  </ul>`
}

export interface Section {
  /** The text before the first heading has none. */
  readonly title: string | undefined
  readonly id: string
  readonly body: ReadonlyArray<Html>
  /** For a search. */
  readonly text: string
}

/** A paragraph, a list or a table. */
export const blockOf = (block: string, label: string): Html => {
  const lines = block.split("\n")
  if (block.startsWith("|")) return tableOf(lines, label)
  if (block.startsWith("- ")) return listOf(lines)
  return html`<p>${inline(lines.join(" "))}</p>`
}

/** The parts under each third-level heading. */
export const sectionsOf = (markdown: string): ReadonlyArray<Section> =>
  `\n${markdown}`.split(/\n### /).map((part, i) => {
    const [first = "", ...blocks] = part.trim().split(/\n{2,}/)
    const title = i === 0 ? undefined : first
    const shown = blocks.filter((block) => block !== "" && !block.startsWith("## "))
    return {
      title,
      id: slug(title ?? "rules"),
      body: shown.map((block) => blockOf(block, title ?? "Rules")),
      text: shown.join(" ")
    }
  })

/** The first part is the table of all rules. */
export const ruleSections = ({ provider }: Names): ReadonlyArray<Section & { readonly title: string }> =>
  sectionsOf(rules.replaceAll("<provider>", provider)).map((section) => ({
    ...section,
    title: section.title ?? "At a glance"
  }))
