import { fill, type Names } from "@tollgate/contract/Names"
import type { Bound, Category, Operation } from "@tollgate/contract/Operation"
import { categoryDescription } from "@tollgate/contract/openapi/OpenApi"
import type { Example } from "@tollgate/contract/reference/Example"
import { examplesOf } from "@tollgate/contract/reference/examples"
import type { Target } from "@tollgate/contract/reference/snippets/Snippet"
import * as Predicate from "effect/Predicate"
import type { Gateway } from "../../call/Gateway.ts"
import { isAcceptedBy, listPrice, type Model, type Serving } from "../../exchange/Prices.ts"
import { type PriceDetails, priceDetails } from "../catalogue/details.ts"
import { operationHref } from "./addresses.ts"
import { type Guides, readGuides } from "./guides.ts"

/** The models that the operation can be called with here, those with a price first. */
export const modelsOf = (id: string, price: PriceDetails, models: ReadonlyArray<Model>): ReadonlyArray<string> => [
  ...price.models.map(({ model }) => model),
  ...models.filter((model) => model.operations !== undefined && isAcceptedBy(model, id)).map((model) => model.id)
]

const withModel = (example: Example, models: ReadonlyArray<string>): Example => {
  const { body, path } = example
  const written = path?.model ?? (Predicate.hasProperty(body, "model") ? body.model : undefined)
  const [model] = models
  if (typeof written !== "string" || model === undefined || models.includes(written)) return example
  return path?.model === undefined
    ? { ...example, body: Object.assign({}, body, { model }) }
    : { ...example, path: { ...path, model } }
}

export const examplesFor = (
  operation: Operation,
  id: string,
  price: PriceDetails,
  models: ReadonlyArray<Model>
): readonly [Example, ...ReadonlyArray<Example>] => {
  const here = modelsOf(id, price, models)
  const [first, ...others] = examplesOf(operation)
  return [withModel(first, here), ...others.map((example) => withModel(example, here))]
}

export interface Entry {
  readonly id: string
  readonly href: string
  /** As the catalogue describes it, before it was bound. */
  readonly operation: Operation
  /** Missing while the operation has no path. */
  readonly bound: Bound | undefined
  readonly price: PriceDetails
  /** The upstreams that serve a model. `undefined`: they are not known. */
  readonly servedBy: (model: string) => ReadonlyArray<Serving> | undefined
  readonly examples: readonly [Example, ...ReadonlyArray<Example>]
}

export interface Found {
  readonly kind: "Operation" | "Guide" | "Page" | "Rule" | "Error"
  readonly href: string
  readonly title: string
  readonly text: string
  /** If it is an operation. */
  readonly entry?: Entry
}

export interface Group {
  readonly name: Category
  readonly description: string
  readonly entries: ReadonlyArray<Entry>
}

/** What the pages show: the definition of a gateway, and where it is. */
export interface Site {
  readonly names: Names
  /** Without a slash at its end. */
  readonly baseUrl: string
  /** The path of the base URL. */
  readonly prefix: string
  /** Whether people can see here what they gave access to. */
  readonly hasGrants: boolean
  /** Whether there is a console, in which people can try an operation. */
  readonly hasConsole: boolean
  readonly groups: ReadonlyArray<Group>
  readonly entries: ReadonlyArray<Entry>
  readonly target: Target
  readonly guides: Guides
}

type Options = Pick<Site, "baseUrl" | "hasGrants"> & Partial<Pick<Site, "hasConsole" | "guides">>

/** Of `http://host/path/`, it is `/path`. */
export const prefixOf = (baseUrl: string): string => /^[a-z]+:\/\/[^/]+(\/.*?)?\/?$/.exec(baseUrl)?.[1] ?? ""

const noGuides = readGuides(new Map())

/** The order in which people look for them. Those of the operator follow. */
const order: ReadonlyArray<Category> = [
  "models",
  "rerank",
  "video",
  "social",
  "finance",
  "web traffic",
  "account",
  "contracts"
]

export const siteOf = (
  { catalogue, models, prices }: Pick<Gateway, "catalogue" | "models" | "prices">,
  { baseUrl, guides = noGuides, hasConsole = false, hasGrants }: Options
): Site => {
  const { names } = catalogue
  const prefix = prefixOf(baseUrl)
  const entryOf = (operation: Operation): Entry => {
    const id = fill(operation.id, names)
    const bound = catalogue.byId.get(id)
    const price = priceDetails(bound === undefined ? operation.price : listPrice(bound, prices, models))
    let examples: Entry["examples"] | undefined
    return {
      id,
      href: operationHref(prefix, id),
      operation,
      bound,
      price,
      servedBy: (model) => prices.servedBy?.(id, model),
      // Made when a page needs them: there may be a thousand operations.
      get examples() {
        return (examples ??= examplesFor(operation, id, price, models))
      }
    }
  }
  const all = catalogue.operations.map(entryOf)
  const own = new Set(all.map(({ operation }) => operation.category))
  for (const name of order) own.delete(name)
  const groups = [...order, ...[...own].sort()].flatMap((name) => {
    const entries = all.filter(({ operation }) => operation.category === name)
    return entries.length === 0 ? [] : [{ name, description: categoryDescription(name), entries }]
  })
  const byTemplate = new Map(all.map((entry) => [entry.operation.id, entry]))
  return {
    names,
    baseUrl,
    prefix,
    hasGrants,
    hasConsole,
    guides,
    groups,
    entries: groups.flatMap(({ entries }) => entries),
    target: {
      baseUrl,
      find: (template) => {
        const entry = byTemplate.get(template)
        return entry?.bound === undefined ? undefined : { ...entry, bound: entry.bound }
      }
    }
  }
}
