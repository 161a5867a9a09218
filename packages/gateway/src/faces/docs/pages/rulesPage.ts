import type { Names } from "@tollgate/contract/Names"
import { rules } from "@tollgate/contract/reference/rules"
import { type Html, html } from "../../../html/html.ts"
import { guideHref } from "../addresses.ts"
import { frame, heading } from "../frame.ts"
import { type Section, sectionsOf } from "../markdown.ts"
import type { Site } from "../Site.ts"

/** The first part is the table of all rules. */
export const ruleSections = ({ provider }: Names): ReadonlyArray<Section & { readonly title: string }> =>
  sectionsOf(rules.replaceAll("<provider>", provider)).map((section) => ({
    ...section,
    title: section.title ?? "At a glance"
  }))

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
