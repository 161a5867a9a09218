import { isVerb, meansTheSame } from "./intent.ts"
import { inTheirWords, subjectsOf } from "./phrases.ts"
import { synonymsOf } from "./synonyms.ts"
import type { WordIndex } from "./WordIndex.ts"
import { wordsOf } from "./words.ts"

export interface Scored {
  readonly index: number
  readonly score: number
}

/** How soon more of the same word stops to matter. */
const saturation = 1.2

/** A synonym counts less than the word itself, and a word with a typing error less too. */
const synonymWeight = 0.7
const similarWeight = 0.5

/** `remove` and `delete` ask for the same. */
const verbSynonymWeight = 0.95

/** How much a verb of most interfaces counts beside the thing: what the query asks for is weighed by itself. */
const verbEffect = 0.75

/** How much more a document counts whose whole title is in the query. */
const titleEffect = 0.7

/** How much more the words count that a question is about. */
const subjectEffect = 2

const maxWords = 32

/** Words, and no numbers: those are examples of what is meant. */
const spoken = /(?<![\p{L}\p{N}_])\p{L}{2,30}(?![\p{L}\p{N}_])/gu

const weightOf = (word: string, synonym: string): number =>
  meansTheSame(word, synonym) ? verbSynonymWeight : synonymWeight

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

/** An ending with a typing error is not cut off: `organizaton`. */
const hasMisspelledEnd = (word: string, stem: string): boolean =>
  stem.length >= 5 && word.length - stem.length <= 5 && word.startsWith(stem)

/** `unban` is to `ban` as `unblock` to `block`, a `subteam` is a team, and who wants to `recolor` it speaks of its color. */
const partsOf = (word: string): ReadonlyArray<readonly [part: string, weight: number]> => {
  const [, prefix, rest = ""] = /^(un|re|sub)(.{3,})$/.exec(word) ?? []
  if (prefix === undefined) return []
  const both = [rest, ...synonymsOf(rest)]
  if (prefix === "un") return both.map((part) => [`un${part}`, synonymWeight] as const)
  return [
    ...both.map((part) => [part, synonymWeight] as const),
    ...(prefix === "sub" ? [["child", synonymWeight] as const] : [])
  ]
}

/** How much rarer a synonym may count than the word that it stands for. */
const rarestSynonym = 1.25

/** Ranks documents by the words of a query: BM25 with a weight for each kind of text. */
export class Ranking {
  readonly #index: WordIndex

  constructor(index: WordIndex) {
    this.#index = index
  }

  /** Whether a document has the word, or one that stands for it. */
  knows(word: string): boolean {
    return this.#scoresOf(word, false).size > 0
  }

  /** The words of the query, as they were said, that no document has and that nothing stands for. */
  unknownIn(query: string): ReadonlyArray<string> {
    const said = new Set(query.toLowerCase().match(spoken))
    // What a phrase stands for was not said, and its words mean something else one by one.
    const words = new Set(inTheirWords(query).toLowerCase().match(spoken))
    return [...words]
      .slice(0, maxWords)
      .filter(
        (word) =>
          said.has(word) && wordsOf(word).length > 0 && wordsOf(word).every((stem) => this.#scoresOf(stem).size === 0)
      )
  }

  /** The documents that have a word of the query or a synonym, best first. Equals stay in their order. */
  rank(query: string): ReadonlyArray<Scored> {
    const words = [...new Set(wordsOf(inTheirWords(query)))].slice(0, maxWords)
    const subjects = subjectsOf(query)
    const scores = new Map<number, { sum: number; matched: number }>()
    let all = 0
    for (const word of words) {
      const share = isVerb(word) ? verbEffect : 1
      const effect = (subjects.has(word) ? subjectEffect : 1) * share
      all += share
      for (const [index, score] of this.#scoresOf(word)) {
        const { matched, sum } = scores.get(index) ?? { sum: 0, matched: 0 }
        scores.set(index, { sum: sum + effect * score, matched: matched + share })
      }
    }
    const said = new Map(
      words.flatMap((word) => [...synonymsOf(word)].map((synonym) => [synonym, weightOf(word, synonym)]))
    )
    for (const word of words) said.set(word, 1)
    return [...scores]
      .map(([index, { matched, sum }]) => ({
        index,
        score: sum * (0.5 + (0.5 * matched) / all) * (1 + titleEffect * this.#titleShare(index, said))
      }))
      .toSorted((a, b) => b.score - a.score || a.index - b.index)
  }

  /** How much of a title the query says; rare words count more. */
  #titleShare(index: number, said: ReadonlyMap<string, number>): number {
    let found = 0
    for (const [word, share] of this.#index.titles[index] ?? []) found += share * (said.get(word) ?? 0)
    return found
  }

  /** The best of the word itself and what stands for it, for each document. */
  #scoresOf(word: string, isLoose = true): Map<number, number> {
    const best = new Map<number, number>()
    // A rare synonym counts little more than the word that was said.
    const most = rarestSynonym * (this.#index.rarities.get(word) ?? Infinity)
    const add = (term: string, weight: number) => {
      const postings = this.#index.postings.get(term) ?? []
      // `cancel` is rarer than `delete`, but who says `delete` means it.
      const limit = meansTheSame(word, term) ? most / rarestSynonym : most
      const rarity = Math.min(limit, this.#index.rarities.get(term) ?? 0)
      for (const { frequency, index } of postings) {
        const score = (weight * rarity * frequency * (saturation + 1)) / (frequency + saturation)
        if (score > (best.get(index) ?? 0)) best.set(index, score)
      }
    }
    add(word, 1)
    for (const synonym of synonymsOf(word)) add(synonym, weightOf(word, synonym))
    if (best.size > 0 || !isLoose) return best
    for (const [part, weight] of partsOf(word)) add(part, weight)
    if (best.size === 0) for (const similar of this.#similarTo(word)) add(similar, similarWeight)
    return best
  }

  #similarTo(word: string): ReadonlyArray<string> {
    const candidates = word.length < 4 ? undefined : this.#index.byLetter.get(word.charAt(0))
    return (candidates ?? []).filter(
      (term) => term.startsWith(word) || isSimilar(term, word) || hasMisspelledEnd(word, term)
    )
  }
}
