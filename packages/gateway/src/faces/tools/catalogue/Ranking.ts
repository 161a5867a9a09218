import { inTheirWords } from "./phrases.ts"
import { synonymsOf } from "./synonyms.ts"
import { wordsOf } from "./words.ts"

/** A text of a document, and how much a word in it counts. */
export interface WeightedText {
  readonly kind: string
  readonly weight: number
  readonly text: string
  /** Says what the document is about, so that a query with all of its words means this document. */
  readonly isTitle?: boolean
}

export interface Scored {
  readonly index: number
  readonly score: number
}

interface Posting {
  readonly index: number
  readonly frequency: number
}

/** How soon more of the same word stops to matter, and how much a long text makes its words count less. */
const saturation = 1.2
const lengthEffect = 0.6

/** A synonym counts less than the word itself, and a word with a typing error less too. */
const synonymWeight = 0.6
const similarWeight = 0.5

/** How much more a document counts whose whole title is in the query. */
const titleEffect = 0.7

const maxWords = 32

const countWords = (words: ReadonlyArray<string>): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

/** Whether one letter added, left out, replaced, or swapped with the next makes one word of the other. */
const isSimilar = (a: string, b: string): boolean => {
  if (Math.abs(a.length - b.length) > 1) return false
  let start = 0
  while (start < a.length && a[start] === b[start]) start++
  let end = 0
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const [x, y] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  return (x.length <= 1 && y.length <= 1) || (x.length === 2 && y.length === 2 && x[0] === y[1] && x[1] === y[0])
}

/** Ranks documents by the words of a query: BM25 with a weight for each kind of text. */
export class Ranking {
  readonly #postings = new Map<string, Array<Posting>>()
  /** The words by their first letter, which typing errors seldom change. */
  readonly #byLetter = new Map<string, Array<string>>()
  readonly #count: number
  /** The words of each document's title, with the share of it that each makes up. */
  readonly #titles: ReadonlyArray<ReadonlyArray<readonly [word: string, share: number]>>

  constructor(documents: ReadonlyArray<ReadonlyArray<WeightedText>>) {
    this.#count = documents.length
    const texts = documents.map((document) => document.map((text) => ({ ...text, words: wordsOf(text.text) })))
    const totals = new Map<string, { length: number; texts: number }>()
    for (const { kind, words } of texts.flat()) {
      const { length, texts } = totals.get(kind) ?? { length: 0, texts: 0 }
      totals.set(kind, { length: length + words.length, texts: texts + (words.length === 0 ? 0 : 1) })
    }
    texts.forEach((document, index) => {
      const frequencies = new Map<string, number>()
      for (const { kind, weight, words } of document) {
        const { length, texts } = totals.get(kind) ?? { length: 1, texts: 1 }
        const relative = 1 - lengthEffect + lengthEffect * (words.length / Math.max(1, length / Math.max(1, texts)))
        for (const [word, count] of countWords(words)) {
          frequencies.set(word, (frequencies.get(word) ?? 0) + (weight * count) / relative)
        }
      }
      for (const [word, frequency] of frequencies) {
        const postings = this.#postings.get(word) ?? []
        postings.push({ index, frequency })
        this.#postings.set(word, postings)
      }
    })
    for (const word of this.#postings.keys()) {
      const words = this.#byLetter.get(word.charAt(0)) ?? []
      words.push(word)
      this.#byLetter.set(word.charAt(0), words)
    }
    this.#titles = texts.map((document) => {
      const words = new Set(document.flatMap(({ isTitle, words }) => (isTitle === true ? words : [])))
      const rarities = [...words].map((word) => [word, this.#rarityOf(word)] as const)
      const all = rarities.reduce((sum, [, rarity]) => sum + rarity, 0)
      return rarities.map(([word, rarity]) => [word, rarity / all])
    })
  }

  /** The documents that have a word of the query or a synonym, best first. Equals stay in their order. */
  rank(query: string): ReadonlyArray<Scored> {
    const words = [...new Set(wordsOf(inTheirWords(query)))].slice(0, maxWords)
    const scores = new Map<number, { sum: number; matched: number }>()
    for (const word of words) {
      for (const [index, score] of this.#scoresOf(word)) {
        const { matched, sum } = scores.get(index) ?? { sum: 0, matched: 0 }
        scores.set(index, { sum: sum + score, matched: matched + 1 })
      }
    }
    const said = new Map(words.flatMap((word) => [...synonymsOf(word)].map((synonym) => [synonym, synonymWeight])))
    for (const word of words) said.set(word, 1)
    return [...scores]
      .map(([index, { matched, sum }]) => ({
        index,
        score: sum * (0.5 + (0.5 * matched) / words.length) * (1 + titleEffect * this.#titleShare(index, said))
      }))
      .toSorted((a, b) => b.score - a.score || a.index - b.index)
  }

  #rarityOf(word: string): number {
    const count = this.#postings.get(word)?.length ?? 0
    return Math.log(1 + (this.#count - count + 0.5) / (count + 0.5))
  }

  /** How much of a title the query says; rare words count more. */
  #titleShare(index: number, said: ReadonlyMap<string, number>): number {
    let found = 0
    for (const [word, share] of this.#titles[index] ?? []) found += share * (said.get(word) ?? 0)
    return found
  }

  /** The best of the word itself and what stands for it, for each document. */
  #scoresOf(word: string): Map<number, number> {
    const best = new Map<number, number>()
    const add = (term: string, weight: number) => {
      const postings = this.#postings.get(term) ?? []
      const rarity = this.#rarityOf(term)
      for (const { frequency, index } of postings) {
        const score = (weight * rarity * frequency * (saturation + 1)) / (frequency + saturation)
        if (score > (best.get(index) ?? 0)) best.set(index, score)
      }
    }
    add(word, 1)
    for (const synonym of synonymsOf(word)) add(synonym, synonymWeight)
    if (best.size === 0) for (const similar of this.#similarTo(word)) add(similar, similarWeight)
    return best
  }

  #similarTo(word: string): ReadonlyArray<string> {
    const candidates = word.length < 4 ? undefined : this.#byLetter.get(word.charAt(0))
    return (candidates ?? []).filter((term) => term.startsWith(word) || isSimilar(term, word))
  }
}
