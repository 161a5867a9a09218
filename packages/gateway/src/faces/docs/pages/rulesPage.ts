import { type Html, html } from "../../../html/html.ts"
import { topicHref } from "../addresses.ts"
import { frame, heading } from "../frame.ts"
import { linksOf } from "../links.ts"
import { rendered } from "../markdown.ts"
import { ruleSections } from "../rules.ts"
import type { Site } from "../Site.ts"

export const rulesPage = (site: Site): Html => {
  const links = linksOf(site)
  const sections = ruleSections(site.names)
  return frame(
    site,
    {
      title: "Rules",
      description: "Retries, charges, rounding, limits, idempotency, streams and tasks.",
      href: topicHref(site.prefix, "rules")
    },
    html`<article class="text">
      <h1>Rules</h1>
      <p class="lead">
        What holds for every operation: when a call is charged, when it may be repeated, and what limits it.
      </p>
      <ul class="contents" aria-label="On this page">
        ${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}
      </ul>
      ${sections.map(({ blocks, id, title }) => html`<section>${heading(id, title)} ${rendered(blocks, title, links)}</section>`)}
    </article>`
  )
}
