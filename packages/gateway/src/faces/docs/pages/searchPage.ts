import { foreignText, type Html, html } from "../../../html/html.ts"
import { rootHref } from "../addresses.ts"
import { frame } from "../frame.ts"
import type { Found, Site } from "../Site.ts"
import { row } from "./indexPage.ts"

const result = ({ entry, href, text, title }: Found): Html =>
  entry === undefined
    ? html`<li>
        <a href="${href}"><b>${title}</b> <span class="what">${text}</span></a>
      </li>`
    : row(entry)

export const searchPage = (site: Site, query: string, found: ReadonlyArray<Found>): Html => {
  const shown = foreignText(query, 100)
  return frame(
    site,
    { title: `Search: ${shown}`, description: "Results of a search.", href: "", query },
    html`<div class="text">
      <h1>${found.length === 0 ? "Nothing found" : `${found.length} ${found.length === 1 ? "result" : "results"}`}</h1>
      <p class="lead">for “${shown}”</p>
      ${
        found.length === 0
          ? html`<p>
              Try other words, in English, or look through
              <a href="${rootHref(site.prefix)}">all operations</a>.
            </p>`
          : html`<ul class="rows">
              ${found.map(result)}
            </ul>`
      }
    </div>`
  )
}
