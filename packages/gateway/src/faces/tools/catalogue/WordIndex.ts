import * as Effect from "effect/Effect"
import { WordReader } from "./words.ts"

/** How many items are handled before other requests get a turn of the event loop. */
const atATime = 20

/** Applies `f` to each item, for work that would hold the event loop for long if it were done at once. */
const inSlices = Effect.fnUntraced(function* <A>(items: Iterable<A>, f: (item: A) => void) {
  let count = 0
  for (const item of items) {
    f(item)
    if (++count % atATime === 0) yield* Effect.yieldNow
  }
})

/** A text of a document, and how much a word in it counts. */
export interface WeightedText {
  readonly kind: string
  readonly weight: number
  readonly text: string
  /** Says what the document is about, so that a query with all of its words means this document. */
  readonly isTitle?: boolean
}

interface Posting {
  readonly index: number
  readonly frequency: number
}

/** How much a long text makes its words count less. */
const lengthEffect = 0.6

/** A document in which a word counts this much has it by half. */
const halfFrequency = 1

/** The documents by their words. */
export interface WordIndex {
  readonly postings: ReadonlyMap<string, ReadonlyArray<Posting>>
  /** How rare each word is. A document that only mentions a word hardly makes it less rare. */
  readonly rarities: ReadonlyMap<string, number>
  /** The words by their first letter, which typing errors seldom change. */
  readonly byLetter: ReadonlyMap<string, ReadonlyArray<string>>
  /** The words of each document's title, with the share of it that each makes up. */
  readonly titles: ReadonlyArray<ReadonlyArray<readonly [word: string, share: number]>>
}

const rarityAmong = (count: number, postings: ReadonlyArray<Posting>): number => {
  let having = 0
  for (const { frequency } of postings) having += frequency / (frequency + halfFrequency)
  return Math.log(1 + (count - having + 0.5) / (having + 0.5))
}

const countWords = (words: ReadonlyArray<string>): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

const listIn = <A>(lists: Map<string, Array<A>>, key: string): Array<A> => {
  let list = lists.get(key)
  if (list === undefined) lists.set(key, (list = []))
  return list
}

interface ReadText extends WeightedText {
  readonly words: ReadonlyArray<string>
}

/** How many texts of a kind have words, and how many words they have together. */
interface Total {
  length: number
  texts: number
}

const relativeLength = ({ words }: ReadText, { length, texts }: Total): number =>
  1 - lengthEffect + lengthEffect * (words.length / Math.max(1, length / Math.max(1, texts)))

/** Reads the documents of a thousand operations without holding other requests up. */
export const wordIndexOf = Effect.fnUntraced(function* <A>(
  items: ReadonlyArray<A>,
  textsOf: (item: A) => ReadonlyArray<WeightedText>
): Effect.fn.Return<WordIndex> {
  const { read } = new WordReader()
  const documents: Array<ReadonlyArray<ReadText>> = []
  const totals = new Map<string, Total>()
  yield* inSlices(items, (item) => {
    const document = textsOf(item).map((text) => ({ ...text, words: read(text.text) }))
    documents.push(document)
    for (const { kind, words } of document) {
      const { length, texts } = totals.get(kind) ?? { length: 0, texts: 0 }
      totals.set(kind, { length: length + words.length, texts: texts + (words.length === 0 ? 0 : 1) })
    }
  })

  const postings = new Map<string, Array<Posting>>()
  yield* inSlices(documents.entries(), ([index, document]) => {
    const frequencies = new Map<string, number>()
    for (const text of document) {
      const relative = relativeLength(text, totals.get(text.kind) ?? { length: 1, texts: 1 })
      for (const [word, count] of countWords(text.words)) {
        frequencies.set(word, (frequencies.get(word) ?? 0) + (text.weight * count) / relative)
      }
    }
    for (const [word, frequency] of frequencies) listIn(postings, word).push({ index, frequency })
  })

  const byLetter = new Map<string, Array<string>>()
  const rarities = new Map<string, number>()
  yield* inSlices(postings, ([word, having]) => {
    listIn(byLetter, word.charAt(0)).push(word)
    rarities.set(word, rarityAmong(items.length, having))
  })

  const titles: Array<WordIndex["titles"][number]> = []
  yield* inSlices(documents, (document) => {
    const words = new Set(document.flatMap(({ isTitle, words }) => (isTitle === true ? words : [])))
    const weighed = [...words].map((word) => [word, rarities.get(word) ?? 0] as const)
    const all = weighed.reduce((sum, [, rarity]) => sum + rarity, 0)
    titles.push(weighed.map(([word, rarity]) => [word, rarity / all]))
  })
  return { postings, rarities, byLetter, titles }
})
