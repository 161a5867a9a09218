import * as Effect from "effect/Effect"
import MiniSearch from "minisearch"
import { wordsOf } from "./words.ts"

/** How many items are indexed before other requests get a turn of the event loop. */
const atATime = 20

/** The most words of a query that are searched for. */
const maxWords = 32

/** To find what a misspelled word may mean takes long. */
const mostCorrected = 4

/** Shorter words begin, and resemble, too many others. */
const shortestPart = 4

/** Words, and no numbers: those are examples of what is meant. */
const spoken = /(?<![\p{L}\p{N}_])\p{L}{2,30}(?![\p{L}\p{N}_])/gu

export interface Ranked {
  readonly hasWords: boolean
  /** The items with a word of the query by their place in the list, best first. Equals stay in their order. */
  readonly found: ReadonlyArray<{ readonly index: number; readonly score: number }>
  /** The words of the query, as they were said, that no item has. */
  readonly unknown: ReadonlyArray<string>
}

/** Finds items by the words of their texts. */
type TextIndex = (query: string) => Ranked

type Texts = Readonly<Partial<Record<string, string>>>

/** Indexes the texts of a thousand items without holding other requests up. Items have texts of the same kinds. */
export const textIndexOf = Effect.fnUntraced(function* <A>(
  items: ReadonlyArray<A>,
  kinds: Readonly<Record<string, number>>,
  textsOf: (item: A) => Texts
): Effect.fn.Return<TextIndex> {
  /** Descriptions repeat a few thousand words. */
  const read = new Map<string, ReadonlyArray<string>>()
  const known = new Set<string>()
  const isNew = (word: string) => !known.has(word)
  const mayBeMisspelled = (word: string, before: ReadonlyArray<string>) =>
    word.length >= shortestPart && isNew(word) && before.filter(isNew).length < mostCorrected
  const index = new MiniSearch<{ readonly at: number; readonly texts: Texts }>({
    idField: "at",
    fields: Object.keys(kinds),
    extractField: ({ at, texts }, field): unknown => (field === "at" ? at : texts[field]),
    tokenize: (text) =>
      text.split(/\s+/).flatMap((written) => {
        const words = read.get(written) ?? wordsOf(written)
        read.set(written, words)
        return words
      }),
    processTerm: (word) => {
      known.add(word)
      return word
    },
    searchOptions: {
      boost: { ...kinds },
      processTerm: (word) => word,
      fuzzy: (word, at, words) => mayBeMisspelled(word, words.slice(0, at)) && 0.25,
      maxFuzzy: 2,
      prefix: (word) => word.length >= shortestPart
    }
  })
  for (const [at, item] of items.entries()) {
    index.add({ at, texts: textsOf(item) })
    if (at % atATime === 0) yield* Effect.yieldNow
  }
  read.clear()
  return (query) => {
    const words = [...new Set(wordsOf(query))].slice(0, maxWords)
    const found = index.search(words.join(" "), { tokenize: () => words })
    const matched = new Set(found.flatMap(({ queryTerms }) => queryTerms))
    const isUnknown = (stems: ReadonlyArray<string>) =>
      stems.length > 0 && stems.every((stem) => words.includes(stem) && !matched.has(stem))
    return {
      found: found
        .map(({ id, score }) => ({ index: id as number, score }))
        .toSorted((a, b) => b.score - a.score || a.index - b.index),
      hasWords: words.length > 0,
      unknown: [...new Set(query.toLowerCase().match(spoken))].filter((said) => isUnknown(wordsOf(said)))
    }
  }
})
