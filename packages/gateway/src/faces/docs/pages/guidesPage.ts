import { type Html, html } from "../../../html/html.ts"
import { guideHref, guidesHref, rootHref } from "../addresses.ts"
import { frame } from "../frame.ts"
import type { Site } from "../Site.ts"

/** All guides. */
export const guidesPage = (site: Site): Html => {
  const { guides, prefix } = site
  return frame(
    site,
    { title: "Guides", description: "How to set a gateway up, run it, and call it.", href: guidesHref(prefix) },
    html`<article class="text">
      <p class="crumbs"><a href="${rootHref(prefix)}">Docs</a></p>
      <h1>Guides</h1>
      <p class="lead">How to set a gateway up, run it, and call it.</p>
      ${guides.groups.map(
        (group) =>
          html`<section>
            <h2>${group.title}</h2>
            <ul class="rows words">
              ${group.guides.map(
                ({ name, summary, title }) =>
                  html`<li>
                    <a href="${guideHref(prefix, name)}"><b>${title}</b> <span class="what">${summary}</span></a>
                  </li>`
              )}
            </ul>
          </section>`
      )}
    </article>`
  )
}
