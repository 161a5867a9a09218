import type { Catalogue } from "@tollgate/contract/Catalogue"
import { fill } from "@tollgate/contract/Names"
import type { Bound } from "@tollgate/contract/Operation"
import { modelsOf } from "@tollgate/contract/price/Price"
import * as Effect from "effect/Effect"
import { categoriesOf, type CategoryEntry } from "@tollgate/gateway/endpoints/catalogue/categories"
import { listPrice, type Model, type PriceBook, priceText } from "@tollgate/gateway/exchange/Prices"
import { type Ranked, textIndexOf } from "@tollgate/gateway/endpoints/catalogue/TextIndex"
import { detailsOf, type OperationDetails } from "@tollgate/gateway/endpoints/catalogue/details"
import { documentOf, kinds } from "@tollgate/gateway/endpoints/catalogue/document"
import { askedFor } from "./askedFor.ts"

export const maxQueryLength = 500

/** How many words a note names. */
const mostUnknown = 5

export interface Found {
  readonly operation_id: string
  readonly summary: string
  readonly category: string
  readonly price: string
}

export interface Permission {
  readonly isAllowed: (operation: Pick<Bound, "category" | "id">) => boolean
  /** What a caller is told who wants more. */
  readonly howToChange: string
}

export interface SearchOptions {
  readonly category?: string | undefined
  readonly limit?: number | undefined
  /** `undefined`: every operation is allowed. */
  readonly permission?: Permission | undefined
}

export interface Lookup {
  /** Best first. Without words in the query, the operations of the category. */
  readonly results: ReadonlyArray<Found>
  /** Why it found nothing, what of the query was not used, or what is not allowed. */
  readonly note?: string
}

export const defaultLimit = 5
export const maxLimit = 50

/** Two texts are the same title if they differ in articles and marks. A plural is another one. */
const asTitle = (text: string): string =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !/^(?:an?|the)$/.test(word)).join(" ")

/** What agents can find out. Built once for a catalogue and its prices; `models` are those of the model list. */
export const make = Effect.fnUntraced(function* (
  catalogue: Catalogue,
  prices: PriceBook,
  models: ReadonlyArray<Model> = []
) {
  const entries = catalogue.bound
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map((operation) => {
      const price = listPrice(operation, prices, models)
      const priced = Object.keys(modelsOf(price))
      return { operation, category: operation.category, price: priceText(price), models: priced }
    })
  type Entry = (typeof entries)[number]
  const asked = new Map(Object.entries(askedFor).map(([id, text]) => [fill(id, catalogue.names), text]))
  const textIndex = yield* textIndexOf(entries, kinds, ({ models, operation }) =>
    documentOf(operation, models, asked.get(operation.id))
  )
  const allCategories = categoriesOf(entries)
  const described = new Map(catalogue.operations.map((operation) => [fill(operation.id, catalogue.names), operation]))
  const known = new Map<string, OperationDetails>()
  const byTitle = Map.groupBy(entries, ({ operation }) => asTitle(operation.summary))

  /** What is found by the words of the query. An operation is first under its own id and under its own summary. */
  const rank = (query: string) => {
    const ranked = textIndex(query)
    const byId = entries.filter(({ operation }) => operation.id === query.trim())
    const meant = new Set(byId.length > 0 ? byId : byTitle.get(asTitle(query)))
    const found = ranked.found.flatMap(({ index }) => entries[index] ?? [])
    if (meant.size === 0) return { ...ranked, found }
    const [others = [], first = []] = [false, true].map((isMeant) => found.filter((one) => meant.has(one) === isMeant))
    return { ...ranked, found: [...first, ...others], unknown: [] }
  }

  const categories = (permission?: Permission): ReadonlyArray<CategoryEntry> =>
    permission === undefined
      ? allCategories
      : categoriesOf(entries.filter(({ operation }) => permission.isAllowed(operation)))

  /** Why a search found nothing, or what of its query was not used. */
  const aboutQuery = (
    query: string,
    { found, hasWords, unknown }: Pick<Ranked, "hasWords" | "unknown"> & { readonly found: ReadonlyArray<Entry> },
    { category, permission }: SearchOptions
  ): string | undefined => {
    const listed = () =>
      categories(permission)
        .map(({ name }) => name)
        .join(", ")
    if (category !== undefined && !allCategories.some(({ name }) => name === category)) {
      return `There is no category of this name. The categories are: ${listed()}.`
    }
    if (!hasWords) {
      return category === undefined
        ? `The query has no words to search for. Say in a few words what you need, or name a category: ${listed()}.`
        : "The query has no words to search for, so these are the operations of the category."
    }
    if (found.length === 0)
      return `No operation has these words. Try others, in English, or name a category: ${listed()}.`
    if (query.length > maxQueryLength) return `Only the first ${maxQueryLength} characters were used.`
    if (unknown.length === 0) return undefined
    const words = unknown.slice(0, mostUnknown).map((word) => `"${word}"`)
    return `No operation mentions ${words.join(", ")}. If none of these fits, say it in other words.`
  }

  const search = (query: string, options: SearchOptions = {}): Lookup => {
    const { category, limit = defaultLimit, permission } = options
    // Without half a character at its end.
    const ranked = rank(query.slice(0, maxQueryLength).toWellFormed())
    const isListed = !ranked.hasWords && category !== undefined
    const found = (isListed ? entries : ranked.found).filter(
      (one) => category === undefined || one.category === category
    )
    const isAllowed = ({ operation }: Entry) => permission?.isAllowed(operation) ?? true
    const allowed = found.filter(isAllowed)
    const [best] = found
    const refused = found.length - allowed.length
    const notAllowed = isListed
      ? refused > 0 && `${refused} ${refused === 1 ? "operation" : "operations"} of this category`
      : best !== undefined && !isAllowed(best) && `${best.operation.id}, ${best.operation.summary}`
    const notes = [
      aboutQuery(query, { ...ranked, found }, options) ?? [],
      notAllowed === false ? [] : `Not allowed by this grant: ${notAllowed}. ${permission?.howToChange}`
    ].flat()
    return {
      results: allowed.slice(0, limit).map(({ category, operation: { id, summary }, price }) => ({
        operation_id: id,
        summary,
        category,
        price: price.words
      })),
      ...(notes.length === 0 ? {} : { note: notes.join(" ") })
    }
  }

  const details = (operationId: string): OperationDetails | undefined => {
    const operation = catalogue.byId.get(operationId)
    if (operation === undefined) return undefined
    const made = known.get(operationId) ?? detailsOf(operation, described.get(operationId) ?? operation, prices, models)
    known.set(operationId, made)
    return made
  }

  return { search, details, categories }
})

export type ToolCatalogue = Effect.Success<ReturnType<typeof make>>
