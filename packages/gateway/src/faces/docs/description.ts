import { type Html, html } from "../../html/html.ts"
import { blocksIn, inline, rendered } from "./markdown.ts"

/** Longer ones are read better below the summary than in it. */
const longestInLead = 200

/** A document of others may be as long as it likes, and its page is made while callers wait. */
const longestShown = 20_000

const cut = (text: string): string => (text.length > longestShown ? `${text.slice(0, longestShown)}…` : text)

const fence = /^```.*$/m

/** Lines that a block of their own begins with. */
const isItem = (line: string): boolean => /^\s*[-*] /.test(line)

/** A note in the way of some documents: `> [!NOTE]`. */
const unquoted = (line: string): string => line.replace(/^> ?/, "").replace(/^\[!([A-Z]+)\]\s*$/, "**$1:**")

const partsOf = (block: string): ReadonlyArray<string> => {
  const title = /^#{1,6} +(.+)$/.exec(block)?.[1]
  if (title !== undefined) return [`**${title.replaceAll("*", "")}**`]
  const parts: Array<Array<string>> = []
  for (const line of block.split("\n").map(unquoted)) {
    const last = parts.at(-1)
    const begins = last === undefined || (isItem(line) && !isItem(last[0] ?? ""))
    if (begins) parts.push([line.replace(/^\s*[-*] /, "- ")])
    else last.push(isItem(line) ? line.replace(/^\s*[-*] /, "- ") : line)
  }
  return parts.map((lines) => lines.join("\n"))
}

const isShort = (text: string): boolean => text.length <= longestInLead && !text.trim().includes("\n")

/** The end of the first paragraph of a page, if the description is short. */
export const inLead = (description: string | undefined): ReadonlyArray<Html> =>
  description !== undefined && isShort(description) ? inline(description.replace(/\.?$/, ".")) : []

/** Paragraphs, lists, tables and code of a longer description, which documents of others have in Markdown. */
export const below = (description: string | undefined): ReadonlyArray<Html> =>
  description === undefined || isShort(description)
    ? []
    : cut(description)
        .replaceAll("\r\n", "\n")
        .trim()
        .split(fence)
        .flatMap((text, i) =>
          i % 2 === 1
            ? [html`<pre><code>${text.trim()}</code></pre>`]
            : text
                .split(/\n\s*\n/)
                .filter((block) => block.trim() !== "")
                .flatMap((block) => partsOf(block.trim()).flatMap((part) => rendered(blocksIn(part), "Description")))
        )
