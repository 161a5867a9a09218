import { type Html, html } from "../../../html/html.ts"
import { guideHref } from "../addresses.ts"
import { frame, heading } from "../frame.ts"
import { ruleSections } from "../markdown.ts"
import type { Site } from "../Site.ts"

export const rulesPage = (site: Site): Html => {
  const sections = ruleSections(site.names)
  return frame(
    site,
    {
      title: "Rules",
      description: "Retries, charges, rounding, limits, idempotency, streams and tasks.",
      href: guideHref(site.prefix, "rules")
    },
    html`<article class="text">
      <h1>Rules</h1>
      <p class="lead">
        What holds for every operation: when a call is charged, when it may be repeated, and what limits it.
      </p>
      <ul class="contents" aria-label="On this page">
        ${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}
      </ul>
      ${sections.map(({ body, id, title }) => html`<section>${heading(id, title)} ${body}</section>`)}
    </article>`
  )
}
