import { dollars as usd } from "@tollgate/contract/price/notation"
import { type Html, html } from "../../../html/html.ts"
import { topicHref } from "../addresses.ts"
import { table } from "../elements.ts"
import { frame } from "../frame.ts"
import { protocolsOf } from "../price.ts"
import type { Site } from "../Site.ts"

const titles = ["Model", "Operation", "Upstream protocol", "Input", "Output"]

export const modelsPage = (site: Site): Html => {
  const rows = site.entries
    .flatMap((entry) => entry.price.models.map((price) => ({ ...price, entry })))
    .toSorted((a, b) => (a.model === b.model ? 0 : a.model < b.model ? -1 : 1))
  const description = "Which operations reach each model, by which protocol and at what price."
  return frame(
    site,
    { title: "Models", description, href: topicHref(site.prefix, "models") },
    html`<article class="text">
      <h1>Models</h1>
      <p class="lead">${description} In USD / 1M tokens; the page of an operation has the whole price.</p>
      ${table({
        label: "Models",
        columns: titles.map((title, i) => ({ title, isNumber: i > 2 })),
        rows: rows.map(({ entry, input, model, output }) => [
          html`<code>${model}</code>`,
          html`<a href="${entry.href}">${entry.id}</a>`,
          html`${protocolsOf(entry, model)}`,
          html`${usd(input)}`,
          html`${usd(output)}`
        ])
      })}
    </article>`
  )
}
