import type { Catalogue } from "@tollgate/contract/Catalogue"
import { fill } from "@tollgate/contract/Names"
import type { Bound, Category } from "@tollgate/contract/Operation"
import { describedCategory } from "@tollgate/contract/openapi/OpenApi"
import { modelsOf } from "@tollgate/contract/price/Price"
import * as Effect from "effect/Effect"
import {
  listPrice,
  type Model,
  type PriceBook,
  type PriceRange,
  type PriceText,
  priceText
} from "../../../exchange/Prices.ts"
import { type Ranked, textIndexOf } from "./TextIndex.ts"
import { detailsOf, type OperationDetails } from "./details.ts"
import { askedFor, documentOf, kinds } from "./document.ts"

export const maxQueryLength = 500

interface Searched {
  readonly query: string
  readonly hasWords: boolean
  readonly category: string | undefined
  readonly hasCategory: boolean
  /** Of the categories in which the caller may use something. */
  readonly names: () => ReadonlyArray<string>
  readonly isFound: boolean
  /** Words of the query that no operation has. */
  readonly unknown: ReadonlyArray<string>
  /** What was found and may not be used. */
  readonly notAllowed: string | undefined
  readonly howToChange: string | undefined
}

export const countNotAllowed = (count: number): string | undefined =>
  count === 0 ? undefined : `${count} ${count === 1 ? "operation" : "operations"} of this category`

/** How many words a note names. */
const mostUnknown = 5

const aboutQuery = ({
  category,
  hasCategory,
  hasWords,
  isFound,
  names,
  query,
  unknown
}: Searched): string | undefined => {
  const listed = () => names().join(", ")
  if (!hasCategory) return `There is no category of this name. The categories are: ${listed()}.`
  if (!hasWords) {
    return category === undefined
      ? `The query has no words to search for. Say in a few words what you need, or name a category: ${listed()}.`
      : "The query has no words to search for, so these are the operations of the category."
  }
  if (!isFound) return `No operation has these words. Try others, in English, or name a category: ${listed()}.`
  if (query.length > maxQueryLength) return `Only the first ${maxQueryLength} characters were used.`
  if (unknown.length === 0) return undefined
  const words = unknown.slice(0, mostUnknown).map((word) => `"${word}"`)
  return `No operation mentions ${words.join(", ")}. If none of these fits, say it in other words.`
}

/** Why a search found nothing, what of the query was not used, and what the caller may not use. */
export const searchNote = (searched: Searched): string | undefined => {
  const about = aboutQuery(searched)
  const { howToChange, notAllowed } = searched
  if (notAllowed === undefined) return about
  const refused = `Not allowed by this grant: ${notAllowed}.${howToChange === undefined ? "" : ` ${howToChange}`}`
  return about === undefined ? refused : `${about} ${refused}`
}

export interface CategoryEntry {
  readonly name: string
  readonly description: string
  /** How many operations it has, and how many of them are free or have no price yet. */
  readonly count: number
  readonly free: number
  readonly pending: number
  /** One range for each unit. */
  readonly prices: ReadonlyArray<PriceRange>
}

interface Priced {
  readonly category: Category
  readonly price: PriceText
}

const merged = (ranges: ReadonlyArray<PriceRange>): ReadonlyArray<PriceRange> => {
  const byUnit = new Map<string, PriceRange>()
  for (const { from, per, to } of ranges) {
    const other = byUnit.get(per) ?? { per, from, to }
    byUnit.set(per, { per, from: Math.min(from, other.from), to: Math.max(to, other.to) })
  }
  return [...byUnit.values()]
}

const withState = (operations: ReadonlyArray<Priced>, state: PriceText["state"]): number =>
  operations.filter(({ price }) => price.state === state).length

/** The categories by name. */
export const categoriesOf = (operations: ReadonlyArray<Priced>): ReadonlyArray<CategoryEntry> => {
  const byName = Map.groupBy(operations, ({ category }) => category)
  return [...byName.keys()].sort().map((name) => {
    const own = byName.get(name) ?? []
    return {
      name,
      description: describedCategory(name) ?? "",
      count: own.length,
      free: withState(own, "free"),
      pending: withState(own, "pending"),
      prices: merged(own.flatMap(({ price }) => price.ranges))
    }
  })
}

export type { OperationDetails, PriceText }

/** An operation that a search found. */
export interface Found {
  readonly operationId: string
  readonly summary: string
  readonly category: string
  readonly price: PriceText
  /** Compares results of one search only; 0 if the search only listed a category. */
  readonly score: number
}

/** What the grant of a caller allows. */
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
  readonly found: ReadonlyArray<Found>
  /** What a caller should know about the search: why it found nothing, what was not used, or what is not allowed. */
  readonly note: string | undefined
}

/** What agents can find out about the operations of a gateway. */
export interface ToolCatalogue {
  readonly search: (query: string, options?: SearchOptions) => ReadonlyArray<Found>
  readonly lookUp: (query: string, options?: SearchOptions) => Lookup
  readonly details: (operationId: string) => OperationDetails | undefined
  readonly categories: (permission?: Permission) => ReadonlyArray<CategoryEntry>
}

export const defaultLimit = 5
export const maxLimit = 50

const boundedLimit = (limit = defaultLimit): number =>
  Number.isNaN(limit) ? defaultLimit : Math.min(maxLimit, Math.max(1, Math.trunc(limit)))

/** Without half a character at its end. */
const boundedQuery = (query: string): string => query.slice(0, maxQueryLength).toWellFormed()

/** Two texts are the same title if they differ in articles and marks. A plural is another one. */
const asTitle = (text: string): string =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !/^(?:an?|the)$/.test(word)).join(" ")

const rounded = (score: number): number => Math.round(score * 1000) / 1000

/** Built once for a catalogue and its prices; `models` are those of the model list. */
export const make = Effect.fnUntraced(function* (
  catalogue: Catalogue,
  prices: PriceBook,
  models: ReadonlyArray<Model> = []
): Effect.fn.Return<ToolCatalogue> {
  const entries = catalogue.bound
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map((operation) => {
      const price = listPrice(operation, prices, models)
      const priced = Object.keys(modelsOf(price))
      return { operation, category: operation.category, price: priceText(price), models: priced }
    })
  const asked = new Map(Object.entries(askedFor).map(([id, text]) => [fill(id, catalogue.names), text]))
  const textIndex = yield* textIndexOf(entries, kinds, ({ models, operation }) =>
    documentOf(operation, models, asked.get(operation.id))
  )
  const allCategories = categoriesOf(entries)
  const described = new Map(catalogue.operations.map((operation) => [fill(operation.id, catalogue.names), operation]))
  const known = new Map<string, OperationDetails>()

  const found = ({ category, operation, price }: (typeof entries)[number], score: number): Found => ({
    operationId: operation.id,
    summary: operation.summary,
    category,
    price,
    score: rounded(score)
  })

  const indexes = new Map(entries.map(({ operation }, index) => [operation.id, index]))

  const byTitle = Map.groupBy(entries.keys(), (index) => asTitle(entries[index]?.operation.summary ?? ""))

  /** An operation is first under its own id and under its own summary. */
  const rank = (query: string): Ranked => {
    const ranked = textIndex(query)
    const index = indexes.get(query.trim())
    const meant = new Set(index === undefined ? byTitle.get(asTitle(query)) : [index])
    if (meant.size === 0) return ranked
    const above = (ranked.found[0]?.score ?? 0) + 1
    const found = ranked.found.map((one) => (meant.has(one.index) ? { ...one, score: one.score + above } : one))
    return { ...ranked, found: found.toSorted((a, b) => b.score - a.score || a.index - b.index), unknown: [] }
  }

  const categories = (permission?: Permission): ReadonlyArray<CategoryEntry> =>
    permission === undefined
      ? allCategories
      : categoriesOf(entries.filter(({ operation }) => permission.isAllowed(operation)))

  const lookUp = (query: string, { category, limit, permission }: SearchOptions = {}): Lookup => {
    const { found: ranked, hasWords, unknown } = rank(boundedQuery(query))
    const isListed = !hasWords && category !== undefined
    const places = isListed ? entries.map((_, index) => ({ index, score: 0 })) : ranked
    const all = places.flatMap(({ index, score }) => {
      const entry = entries[index]
      return entry === undefined || (category !== undefined && entry.category !== category) ? [] : [{ entry, score }]
    })
    const isAllowed = ({ entry }: (typeof all)[number]) => permission?.isAllowed(entry.operation) ?? true
    const allowed = permission === undefined ? all : all.filter(isAllowed)
    const best = all[0]
    return {
      found: allowed.slice(0, boundedLimit(limit)).map(({ entry, score }) => found(entry, score)),
      note: searchNote({
        query,
        hasWords,
        category,
        hasCategory: category === undefined || allCategories.some(({ name }) => name === category),
        names: () => categories(permission).map(({ name }) => name),
        isFound: all.length > 0,
        unknown,
        notAllowed: isListed
          ? countNotAllowed(all.length - allowed.length)
          : best === undefined || isAllowed(best)
            ? undefined
            : `${best.entry.operation.id}, ${best.entry.operation.summary}`,
        howToChange: permission?.howToChange
      })
    }
  }

  const search = (query: string, options?: SearchOptions): ReadonlyArray<Found> => lookUp(query, options).found

  const details = (operationId: string): OperationDetails | undefined => {
    const operation = catalogue.byId.get(operationId)
    if (operation === undefined) return undefined
    const made = known.get(operationId) ?? detailsOf(operation, described.get(operationId) ?? operation, prices, models)
    known.set(operationId, made)
    return made
  }

  return { search, lookUp, details, categories }
})
