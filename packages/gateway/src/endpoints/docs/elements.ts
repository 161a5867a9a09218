import { pricesInShort } from "@tollgate/contract/price/notation"
import type { PriceText } from "../../exchange/Prices.ts"
import { type Html, html } from "../../html/html.ts"

export type Syntax = "sh" | "ts" | "json" | "jsonc" | "text"

/** Groups: comment, string, keyword, number. */
const patterns: Readonly<Record<Syntax, RegExp>> = {
  sh: /(^#.*$|(?<=\s)# .*$)|('(?:[^']|'\\'')*'|"(?:[^"\\]|\\.)*")|(\bcurl\b|(?<=\s)--?[A-Za-z][\w-]*|\bexport\b|\bnpm\b)|(\$\w+)/gm,
  ts: /(\/\/.*$)|("(?:[^"\\]|\\.)*")|\b(import|from|const|await|new|function|yield|for|of|return)\b|\b(\d[\d_.]*)\b/gm,
  json: /"(?:[^"\\]|\\.)*"(?=\s*:)|((?!))|("(?:[^"\\]|\\.)*")|\b(true|false|null)\b|(-?\b\d[\d.]*\b)/gm,
  jsonc: /(?:"(?:[^"\\]|\\.)*"(?=\s*:))|(\/\/.*$)|("(?:[^"\\]|\\.)*")|\b(true|false|null)\b|(-?\b\d[\d.]*\b)/gm,
  text: /(?!)/g
}

const kinds = ["comment", "string", "keyword", "number"] as const

/** Of longer code no part is told apart: with quotes that are never closed that would take long. */
const longestHighlighted = 4_000

const highlighted = (code: string, syntax: Syntax): ReadonlyArray<Html> => {
  const out: Array<Html> = []
  let end = 0
  for (const match of code.matchAll(patterns[code.length > longestHighlighted ? "text" : syntax])) {
    const kind = kinds.find((_, i) => match[i + 1] !== undefined)
    if (kind === undefined) continue
    out.push(html`${code.slice(end, match.index)}<i class="${kind}">${match[0]}</i>`)
    end = match.index + match[0].length
  }
  return [...out, html`${code.slice(end)}`]
}

export interface Shown {
  readonly code: string
  readonly syntax: Syntax
  /** What it is: a language, a file. */
  readonly title: string
  /** Shown only while this language is chosen. */
  readonly language?: string
}

export const codeBlock = ({ code, language, syntax, title }: Shown): Html =>
  html`<figure class="code" ${language !== undefined && html`data-language="${language}"`}>
    <figcaption>${title}</figcaption>
    <pre tabindex="0"><code>${highlighted(code, syntax)}</code></pre>
  </figure>`

interface Column {
  readonly title: string
  readonly isNumber?: boolean
}

export interface Table {
  /** What a screen reader calls it. */
  readonly label: string
  readonly columns: ReadonlyArray<Column>
  readonly rows: ReadonlyArray<ReadonlyArray<Html>>
  /** The ids of the rows, for links to them. */
  readonly ids?: ReadonlyArray<string>
}

const numeric = ({ isNumber = false }: Column = { title: "" }): Html | false => isNumber && html` class="number"`

/** The first cell of a row is its heading, unless it is empty. A table that is wider than the page scrolls by itself. */
export const table = ({ columns, ids = [], label, rows }: Table): Html =>
  html`<div class="table" role="group" aria-label="${label}" tabindex="0">
    <table>
      <thead>
        <tr>
          ${columns.map((column) =>
            column.title === "" ? html`<td></td>` : html`<th scope="col" ${numeric(column)}>${column.title}</th>`
          )}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells, i) =>
            html`<tr ${ids[i] !== undefined && html`id="${ids[i]}"`}>
              ${cells.map((cell, j) =>
                j === 0 && cell.toString() !== ""
                  ? html`<th scope="row">${cell}</th>`
                  : html`<td${numeric(columns[j])}>${cell}</td>`
              )}
            </tr>`
        )}
      </tbody>
    </table>
  </div>`

/** A price in a few words, for a list. */
export const shortPrice = ({ ranges, state }: PriceText): string =>
  state === "free" ? "Free" : ranges.length === 0 ? "No price yet" : pricesInShort(ranges)
