import { operations } from "@tollgate/contract/operations"
import { privateProblem, withoutSlash } from "../config/text/values.ts"
import { type ListedModel, type ListedOperation, type PriceList, priceOf } from "../prices/PriceList.ts"
import type { Found } from "./providers.ts"

const byId = new Map(operations.map((operation) => [operation.id, operation]))

/** Paths of operations begin with `/v1`, and most addresses that SDKs take end with it. */
const addressOf = (baseUrl: string) => {
  const address = withoutSlash(baseUrl)
  return address.endsWith("/v1") ? { address: address.slice(0, -3), ownPaths: false } : { address, ownPaths: true }
}

const isPrivate = (address: string): boolean => privateProblem(new URL(address), false) !== undefined

const upstreamText = ({ baseUrl, cloud, provider, variable }: Found): string => {
  const { address } = addressOf(baseUrl)
  const { header, lacks, name, outputLimit, protocol } = provider
  const settings = {
    ...(cloud === undefined ? { baseUrl: address } : {}),
    protocol,
    ...(variable === undefined || cloud !== undefined
      ? {}
      : { credential: { env: variable, ...(header && { header }) } }),
    ...(cloud && { cloud }),
    ...(cloud === undefined && isPrivate(address) ? { private: true } : {}),
    ...(outputLimit && { outputLimit }),
    ...(lacks && { lacks })
  }
  return `    ${JSON.stringify(name)}: ${inline(settings)}`
}

/** On one line, as the other examples of configuration are. */
const inline = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  return `{ ${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}: ${inline(item)}`)
    .join(", ")} }`
}

/** An address of the provider's own, or one that only speaks its protocol. */
const isOwnAddress = ({ baseUrl, provider }: Found): boolean =>
  provider.addressSuffix !== undefined || addressOf(baseUrl).address === provider.baseUrl

interface Route {
  readonly operation: string
  readonly model?: string
  readonly to: Array<object>
}

const routesOf = (found: Found): ReadonlyArray<Route> => {
  const { provider } = found
  const own = isOwnAddress(found)
  const { ownPaths } = addressOf(found.baseUrl)
  return Object.entries(provider.routes)
    .filter(([operation]) => byId.has(operation))
    .map(([operation, model]) => {
      const path = byId.get(operation)?.path ?? ""
      const to = { upstream: provider.name, ...(own || !ownPaths ? {} : { path: path.replace(/^\/v1/, "") }) }
      return { operation, ...(model === undefined || !own ? {} : { model }), to: [to] }
    })
}

/** The same models of two providers share a route. Of two that serve all others, the second gets an example. */
const routesText = (all: ReadonlyArray<Found>): string => {
  const routes = new Map<string, Route>()
  const examples: Array<string> = []
  for (const route of all.flatMap(routesOf)) {
    const { model, operation, to } = route
    const same = routes.get(`${operation} ${model}`)
    if (same === undefined) routes.set(`${operation} ${model}`, route)
    else if (model !== undefined) same.to.push(...to)
    else examples.push(`    // Name its models: ${inline({ operation, model: "name", to })}\n`)
  }
  return examples.join("") + [...routes.values()].map((route) => `    ${inline(route)}`).join(",\n")
}

/** A long one has a line for each of its fields. */
const longest = 120

const valueText = (value: object): string => {
  const line = inline(value)
  if (line.length <= longest) return line
  const fields = Object.entries(value).map(([name, item]) => `        ${JSON.stringify(name)}: ${inline(item)}`)
  return `{\n${fields.join(",\n")}\n      }`
}

const entryText = (
  { also = [], day, note, source }: ListedModel | ListedOperation,
  name: string,
  price: object
): string =>
  [
    `      // ${[day, source, ...also].join(", ")}`,
    ...(note === undefined ? [] : [`      // ${note}`]),
    `      ${JSON.stringify(name)}: ${valueText(price)}`
  ].join("\n")

const priceText = (model: ListedModel): string => entryText(model, model.model, priceOf(model))

const modelText = ({ model, provider }: ListedModel): string => `    ${inline({ id: model, ownedBy: provider })}`

const listText = (lines: ReadonlyArray<string>): string => (lines.length === 0 ? "[]" : `[\n${lines.join(",\n")}\n  ]`)

const ownNames = (all: ReadonlyArray<Found>): ReadonlySet<string> =>
  new Set(all.filter(isOwnAddress).map(({ provider }) => provider.pricedAs ?? provider.name))

const pricesFor = (all: ReadonlyArray<Found>, { models }: PriceList): ReadonlyArray<ListedModel> =>
  models.filter(({ makes, provider }) => makes === undefined && ownNames(all).has(provider))

/** The prices of these providers that are not by model. */
const operationPricesFor = (
  all: ReadonlyArray<Found>,
  { operations: listed = [] }: PriceList
): ReadonlyArray<ListedOperation> =>
  listed.filter(({ operation, provider }) => ownNames(all).has(provider) && byId.has(operation))

export const hasPrices = (all: ReadonlyArray<Found>, list: PriceList): boolean =>
  pricesFor(all, list).length + operationPricesFor(all, list).length > 0

/** What an upstream reports can be the price of an operation only if no other serves it. */
const reportedText = (all: ReadonlyArray<Found>): ReadonlyArray<string> =>
  all.flatMap(({ provider: { name, reportedCost: cost, routes } }) => {
    if (cost === undefined) return []
    const price = inline({ contract: "reported_cost", cost, factor: "1", most: "1" })
    const mark = all.length === 1 ? "" : `// ${name} reports its cost; if it alone serves an operation: `
    return Object.keys(routes).map((operation) => `      ${mark}${JSON.stringify(operation)}: ${price}`)
  })

const operationsText = (all: ReadonlyArray<Found>, list: PriceList): string => {
  const own = operationPricesFor(all, list).map((entry) =>
    entryText(entry, entry.operation, { perUnit: entry.perUnit })
  )
  const reported = reportedText(all)
  if (own.length + reported.length === 0) return ""
  const entries = all.length === 1 ? [...own, ...reported].join(",\n") : [...reported, own.join(",\n")].join("\n")
  return `,\n    // In USD for each unit that an answer reports.\n    "operations": {\n${entries}\n    }`
}

export const compatibleServers = (all: ReadonlyArray<Found>): ReadonlyArray<string> =>
  all.filter((found) => !isOwnAddress(found)).map(({ provider }) => provider.name)

/** The names of upstreams whose models have no price in the list. */
export const unpriced = (all: ReadonlyArray<Found>, list: PriceList): ReadonlyArray<string> =>
  all
    .filter((found) => !hasPrices([found], list) && (found.provider.reportedCost === undefined || all.length > 1))
    .map(({ provider }) => provider.name)

/** The text of a configuration file for these providers. It has names of variables and no key. */
export const configurationText = (all: ReadonlyArray<Found>, list: PriceList): string => {
  const models = pricesFor(all, list)
  const toAdd = unpriced(all, list).map(
    (name) =>
      `      // The models of ${name} are not in the price list: add each as "name": { "input": "1", "output": "2" }`
  )
  const prices = [...(models.length === 0 ? [] : [models.map(priceText).join(",\n")]), ...toAdd].join("\n")
  return `// Keys stay in the environment: this file has only the names of their variables.
// Check it with \`tollgate config check\`; docs/configuration.md describes every section.
{
  "upstreams": {
${all.map(upstreamText).join(",\n")}
  },

  // Which upstream answers. A name ends in * to stand for all that begin with it; without a model, for all others.
  "routes": [
${routesText(all)}
  ],

  // What \`GET /v1/models\` lists.
  "models": ${listText(models.filter(({ model }) => !model.endsWith("*")).map(modelText))},

  // What your callers pay, in USD per million tokens. A model without a price is not offered.
  // These are the providers' own list prices of the day above each: check them at the source, then set what you charge,
  // or leave them and give accounts a multiplier. \`tollgate prices diff\` compares them with a newer list.
  "prices": {
    "models": ${prices === "" ? "{}" : `{\n${prices}\n    }`}${operationsText(all, list)}
  }
}
`
}
