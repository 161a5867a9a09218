import type { Catalogue } from "@tollgate/contract/Catalogue"
import { fill } from "@tollgate/contract/Names"
import { modelsOf } from "@tollgate/contract/price/Price"
import * as Effect from "effect/Effect"
import type { Model } from "../../../exchange/Models.ts"
import type { PriceBook } from "../../../exchange/Prices.ts"
import { askedFor } from "./askedFor.ts"
import { detailsOf, type OperationDetails } from "./details.ts"
import { documentOf } from "./document.ts"
import { doneBy, factorOf, intentOf, isSaidVerb } from "./intent.ts"
import { inTheirWords } from "./phrases.ts"
import { Ranking, type Scored } from "./Ranking.ts"
import { listPrice, type PriceText, priceText, type PriceRange } from "../../../exchange/listPrice.ts"
import { countNotAllowed, maxQueryLength, searchNote } from "./searchNote.ts"
import { aboutness, asksForPeople, subjectOf } from "./subject.ts"
import { wordIndexOf } from "./WordIndex.ts"
import { stem, wordsOf } from "./words.ts"
import { describedCategory } from "@tollgate/contract/openapi/OpenApi"
import type { Bound, Category } from "@tollgate/contract/Operation"

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

/** `someone's repositories`, `what she starred`. */
const ofOthers =
  /\b(?:someone|somebody|stranger|friend|colleague|person|user|developer|he|she|his|her|him|they|their)\b|\b[a-z]{3,}'s\b/i

/** `GET /users/me`, `List repositories for the authenticated user`. */
const isOfCaller = ({ path, summary }: Bound): boolean =>
  /\b(?:authenticated|current|logged[ -]in) user\b/i.test(summary) || /\/(?:me|self|whoami)(?:\/|$)/.test(path)

const saidIn = (text: string): ReadonlyArray<string> => text.toLowerCase().match(/[a-z]+/g) ?? []

const firstWord = (text: string): string => stem(saidIn(text)[0] ?? "")

const firstTwo = (text: string): string => saidIn(text).slice(0, 2).join(" ")

/** Two texts are the same title if they differ in articles and marks. A plural is another one. */
const asTitle = (text: string): string =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !/^(?:an?|the)$/.test(word)).join(" ")

const rounded = (score: number): number => Math.round(score * 1000) / 1000

/** How much more an operation counts that is about the caller, if the caller speaks of herself. */
const ownEffect = 1.15

/** How much more an operation counts that is about people, if the query asks for people. */
const peopleEffect = 1.25

/** How much more an operation counts that is about the thing that the query names first. */
const subjectEffect = 0.4

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
  const ranking = new Ranking(
    yield* wordIndexOf(entries, ({ models, operation }) => documentOf(operation, models, asked.get(operation.id)))
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

  const done = entries.map(({ operation }) => doneBy(operation))
  const own = entries.map(({ operation }) => isOfCaller(operation))
  const others = entries.map(({ operation }) => /\b(?:for|of|by) an? user\b/i.test(operation.summary))
  const subjects = entries.map(({ operation }) => subjectOf(operation))
  /** The words with which summaries begin: what operations do, in most interfaces. */
  const verbs = new Set(entries.map(({ operation }) => firstWord(operation.summary)))

  /** How summaries of changes begin: `request reviewers`, which else would be read as those that were requested. */
  const orders = new Set(
    entries.flatMap(({ operation }) => (operation.method === "GET" ? [] : [firstTwo(operation.summary)]))
  )

  /** Of similar operations, the one that does what the query asks for comes first. */
  const byIntent = (query: string): ReadonlyArray<Scored> => {
    const said = inTheirWords(query)
    const isOrder = orders.has(firstTwo(said)) && !isSaidVerb(saidIn(said)[0] ?? "")
    // `merge pull request` needs no article to be an order.
    const order = isOrder ? "act" : (intentOf(said) ?? (verbs.has(firstWord(said)) ? "act" : undefined))
    // A verb that no interface has is mostly a change of what is there: `postpone a milestone`.
    const wanted = order === "act" && !ranking.knows(firstWord(said)) ? "update" : order
    const about = aboutness(said, order === "act")
    // `my repositories` are those of the caller.
    const isOwn = /\b(?:my|me|mine|i|personal)\b/i.test(query)
    const isOthers = !isOwn && ofOthers.test(query)
    const isWho = asksForPeople(query)
    return ranking
      .rank(query)
      .map(({ index, score }) => {
        const subject = subjects[index]
        const named = subject === undefined ? 1 : 1 + subjectEffect * about(subject)
        const owned = (isOwn && own[index] === true) || (isOthers && others[index] === true) ? ownEffect : 1
        const people = isWho && subject?.isPeople === true ? peopleEffect : 1
        return { index, score: score * factorOf(wanted, done[index] ?? "get") * owned * people * named }
      })
      .toSorted((a, b) => b.score - a.score || a.index - b.index)
  }

  const byTitle = Map.groupBy(entries.keys(), (index) => asTitle(entries[index]?.operation.summary ?? ""))

  /** An operation is first under its own id and under its own summary. */
  const ranked = (query: string): ReadonlyArray<Scored> => {
    const all = byIntent(query)
    const index = indexes.get(query.trim())
    const meant = new Set(index === undefined ? byTitle.get(asTitle(query)) : [index])
    if (meant.size === 0) return all
    const above = (all[0]?.score ?? 0) + 1
    // Of those with the same summary, the one that fits best in other ways comes first.
    const places = new Map(all.map(({ index }, place) => [index, place]))
    const place = (index: number) => places.get(index) ?? all.length
    const first = [...meant].toSorted((a, b) => place(a) - place(b)).map((index) => ({ index, score: above }))
    return [...first, ...all.filter(({ index }) => !meant.has(index))]
  }

  const categories = (permission?: Permission): ReadonlyArray<CategoryEntry> =>
    permission === undefined
      ? allCategories
      : categoriesOf(entries.filter(({ operation }) => permission.isAllowed(operation)))

  const lookUp = (query: string, { category, limit, permission }: SearchOptions = {}): Lookup => {
    const bounded = boundedQuery(query)
    const hasWords = wordsOf(bounded).length > 0
    const isListed = !hasWords && category !== undefined
    const places = isListed ? entries.map((_, index) => ({ index, score: 0 })) : ranked(bounded)
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
        unknown: isListed || indexes.has(bounded.trim()) ? [] : ranking.unknownIn(bounded),
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
