import * as Headers from "@tollgate/contract/Headers"
import { dollars as usd } from "@tollgate/contract/price/notation"
import { type DetailKind, detailNames, details, kindNames, kinds } from "@tollgate/contract/price/TokenKind"
import { type Html, html } from "../../html/html.ts"
import type { ModelPriceText, RatesText, VariantText } from "../catalogue/details.ts"
import { topicHref } from "./addresses.ts"
import { heading } from "./frame.ts"
import type { Entry, Site } from "./Site.ts"
import { table } from "./elements.ts"

const tokens = (count: number): string => count.toLocaleString("en-US")

const ratesRow = (name: Html, rates: RatesText, also: ReadonlyArray<DetailKind>): ReadonlyArray<Html> => [
  name,
  ...kindNames.map((kind) => html`${usd(rates[kind])}`),
  ...also.map((detail) => html`${rates[detail] === undefined ? "" : usd(rates[detail])}`)
]

const detailsIn = (models: ReadonlyArray<ModelPriceText>) =>
  detailNames.filter((detail) => models.some((model) => (model[detail] ?? model.longPrompt?.[detail]) !== undefined))

export const protocolsOf = ({ servedBy }: Entry, model: string): string => {
  const all = (servedBy(model) ?? []).map((by) => `${by.protocol}${by.isTranslated ? " (translated)" : ""}`)
  return [...new Set(all)].join(", ")
}

const byModel = (entry: Entry): Html | false => {
  const { models } = entry.price
  const also = detailsIn(models)
  const titles = [...kindNames.map((kind) => kinds[kind].title), ...also.map((detail) => details[detail].title)]
  return (
    models.length > 0 &&
    table({
      label: "Prices by model",
      columns: [{ title: "Model, upstream protocol" }, ...titles.map((title) => ({ title, isNumber: true }))],
      rows: models.flatMap(({ longPrompt, model, ...rates }) => [
        ratesRow(html`<code>${model}</code> ${protocolsOf(entry, model)}`, rates, also),
        ...(longPrompt === undefined
          ? []
          : [ratesRow(html`<code>${model}</code>, prompt above ${tokens(longPrompt.above)} tokens`, longPrompt, also)])
      ])
    })
  )
}

const byDimension = (models: ReadonlyArray<ModelPriceText>): Html | false => {
  const rows = models.flatMap(({ dimensions, model }) =>
    dimensions === undefined ? [] : [[html`<code>${model}</code>`, html`${dimensions.words.join("; ")}`]]
  )
  return (
    rows.length > 0 &&
    html`${table({
        label: "What else changes the price",
        columns: [{ title: "Model" }, { title: "What else changes the price" }],
        rows
      })}
      <p>
        The charge goes by what the answer reports: the tier that served it, the tools that ran, each model that took
        part. A quote and a cap go by the most that the request allows.
      </p>`
  )
}

const whereLong = (models: ReadonlyArray<ModelPriceText>): Html | false =>
  models.some(({ longPrompt }) => longPrompt !== undefined) &&
  html`<li>
    A price for longer prompts applies to all tokens of the call. Tokens read from a cache or written to it count
    towards the length.
  </li>`

const whereWords = ({ where }: VariantText): string =>
  Object.entries(where)
    .map(
      ([field, values]) =>
        `${field} is ${values.map((value) => (value === null ? "left out" : String(value))).join(" or ")}`
    )
    .join(" and ")

const byVariant = (variants: ReadonlyArray<VariantText>): Html | false =>
  variants.length > 0 &&
  table({
    label: "Prices by what is asked for",
    columns: [{ title: "If" }, { title: "Price", isNumber: true }],
    rows: variants.map((variant) => [html`${whereWords(variant)}`, html`${usd(variant.usd)}`])
  })

export const priceSection = ({ names, prefix }: Site, entry: Entry): Html => {
  const { operation, price } = entry
  const rules = `${topicHref(prefix, "rules")}`
  if (price.state === "free") {
    return html`<section>
      ${heading("price", "Price")}
      <p>Free. It counts towards the requests per minute, and towards nothing else.</p>
    </section>`
  }
  const isByModel = price.models.length > 0
  return html`<section>
    ${heading("price", "Price")}
    <p>${isByModel ? "In USD / 1M tokens:" : `${price.words.charAt(0).toUpperCase()}${price.words.slice(1)}.`}</p>
    ${byModel(entry)} ${byDimension(price.models)} ${byVariant(price.variants)}
    <ul>
      ${whereLong(price.models)}
      <li>
        <code>${Headers.costMode(names)}: quote</code> returns the estimate and the most that the call can cost. Nothing
        runs, and it is free.
      </li>
      <li>
        <code>${Headers.maxPrice(names)}: 0.01</code> is a cap: the call never costs more, or is refused with 402.
      </li>
      ${
        price.fields.length > 0 &&
        html`<li>
          The price depends on ${price.fields.map((field, i) => html`${i > 0 && ", "}<code>${field}</code>`)} of the
          request.
        </li>`
      }
      <li>
        The answer says what was charged, in <code>${Headers.cost(names)}</code>, rounded once to a micro-USD. Errors
        ${operation.limit.tasks !== undefined && "and tasks that fail"} cost nothing.
        <a href="${rules}#reservations-and-charges">Charges</a>
      </li>
    </ul>
  </section>`
}
