import { foreignText, type Html, html } from "../../../html/html.ts"
import { rootHref } from "../addresses.ts"
import { frame } from "../frame.ts"
import type { Found, Site } from "../Site.ts"
import { row } from "./indexPage.ts"

/** `near`: what the reader may have meant. */
export const missingPage = (site: Site, id: string, near: ReadonlyArray<Found>): Html => {
  const rows = near.flatMap(({ entry }) => (entry === undefined ? [] : [row(entry)])).slice(0, 5)
  return frame(
    site,
    { title: "Page not found", description: "Page not found.", href: "" },
    html`<div class="text">
      <h1>Page not found</h1>
      <p class="lead">There is no page called <code>${foreignText(id, 100)}</code> here.</p>
      ${
        rows.length > 0 &&
        html`<p>Perhaps one of these:</p>
          <ul class="rows">
            ${rows}
          </ul>`
      }
      <p><a href="${rootHref(site.prefix)}">All operations</a></p>
    </div>`
  )
}
