import { dollars as usd } from "@tollgate/contract/price/notation"
import { type Html, html } from "../../../html/html.ts"
import { topicHref } from "../addresses.ts"
import { table } from "../elements.ts"
import { breakable, frame } from "../frame.ts"
import { protocolsOf } from "../price.ts"
import type { Entry, Site } from "../Site.ts"

interface Row {
  readonly model: string
  readonly protocols: string
  readonly input: number
  readonly output: number
  readonly entries: Array<Entry>
}

/** Operations that reach a model by the same protocols and at the same price share a row. */
const rowsOf = ({ entries }: Site): ReadonlyArray<Row> => {
  const rows = new Map<string, Row>()
  for (const entry of entries) {
    for (const { input, model, output } of entry.price.models) {
      const head = { model, protocols: protocolsOf(entry, model), input, output }
      const id = JSON.stringify(head)
      const row = rows.get(id) ?? { ...head, entries: [] }
      row.entries.push(entry)
      rows.set(id, row)
    }
  }
  return [...rows.values()].toSorted((a, b) => (a.model === b.model ? 0 : a.model < b.model ? -1 : 1))
}

const operationsIn = ({ entries }: Row): ReadonlyArray<Html> =>
  entries.map(({ href, id }, i) => html`${i > 0 && ", "}<a href="${href}">${breakable(id)}</a>`)

export const modelsPage = (site: Site): Html => {
  const rows = rowsOf(site)
  return frame(
    site,
    {
      title: "Models",
      description: "Which operations reach each model, by which protocol and at what price.",
      href: topicHref(site.prefix, "models")
    },
    html`<article class="text">
      <h1>Models</h1>
      <p class="lead">
        Which operations reach each model, and its price in USD / 1M tokens. The page of an operation has the whole
        price.
      </p>
      ${
        rows.length === 0
          ? html`<p>No model is offered here.</p>`
          : table({
              label: "Models",
              columns: [
                { title: "Model" },
                { title: "Operations" },
                { title: "Upstream protocol" },
                { title: "Input", isNumber: true },
                { title: "Output", isNumber: true }
              ],
              rows: rows.map((row) => [
                html`<code>${row.model}</code>`,
                html`${operationsIn(row)}`,
                html`${row.protocols}`,
                html`${usd(row.input)}`,
                html`${usd(row.output)}`
              ])
            })
      }
    </article>`
  )
}
