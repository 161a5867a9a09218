import * as Effect from "effect/Effect"
import MiniSearch from "minisearch"

/** Words that say nothing about what is wanted. */
const stopWords = new Set(
  (
    "a about also am an and another any api are as at be been being but by can could d did do does doing each for " +
    "from give got had has have he her here hers him his how i id if in into is it its itself just let like ll long " +
    "look m me much my myself need no not of off on only onto or other our out over per please re return s see " +
    "shall she should so some somebody someone something t tell than that the their them then there these they " +
    "thing this those through to too under up us use used using ve very want was way we were what whats when where " +
    "whether while who whose why will with without would yet you your"
  ).split(" ")
)

/** A word without the endings that say the same of most words. A stem need not be a word. */
const stem = (word: string): string => {
  let out = word
  if (out.length > 4 && out.endsWith("ies")) out = `${out.slice(0, -3)}y`
  else if (out.length > 4 && /(?:ss|x|ch|sh)es$/.test(out)) out = out.slice(0, -2)
  else if (out.length > 3 && out.endsWith("s") && !/(?:ss|us|is)$/.test(out)) out = out.slice(0, -1)
  if (out.length > 5 && out.endsWith("ing")) out = undoubled(out.slice(0, -3))
  else if (out.length > 4 && out.endsWith("ed")) out = undoubled(out.slice(0, -2))
  return out.length > 3 && /[^aeiou]e$/.test(out) ? out.slice(0, -1) : out
}

const undoubled = (word: string): string => (/([^aeiouls])\1$/.test(word) ? word.slice(0, -1) : word)

const withoutSpaces = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u

/** Scripts without spaces are read in pairs of characters. */
const pairs = (text: string): ReadonlyArray<string> => {
  const characters = [...text]
  return characters.length < 2 ? characters : characters.slice(1).map((character, i) => `${characters[i]}${character}`)
}

/** The stems of a text in order: `tweetQuotes`, `tweet_quotes` and `SSHKeys` are two each, `OpenAI` is one. */
export const wordsOf = (text: string): Array<string> => {
  const plain = text
    .replace(/(?<=[\p{Ll}\d])(?=\p{Lu}\p{Ll}|ID|URL)|(?<=\p{Lu}{2})(?=\p{Lu}\p{Ll}{2})/gu, " ")
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]+/g, "")
    .toLowerCase()
  return (plain.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).flatMap((word) => {
    if (withoutSpaces.test(word)) return pairs(word)
    return stopWords.has(word) ? [] : [stem(word)]
  })
}

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
