import { terms } from "../rerank/terms.ts"
import { hash } from "../text/hash.ts"

/** Each feature changes this many of the vector's numbers. */
const spread = 8

const letterGroups = (word: string): ReadonlyArray<string> => {
  const padded = `<${word}>`
  return Array.from({ length: Math.max(1, padded.length - 2) }, (_, start) => padded.slice(start, start + 3))
}

/** Words count more than the groups of letters in them, by which related words are near each other too. */
const featuresOf = (text: string): ReadonlyArray<readonly [feature: string, weight: number]> => {
  const words = terms(text)
  if (words.length === 0) return [[`text ${text}`, 1]]
  return words.flatMap((word) => [
    [`word ${word}`, 1] as const,
    ...letterGroups(word).map((group) => [`letters ${group}`, 0.3] as const)
  ])
}

const unit = (numbers: Float64Array): ReadonlyArray<number> => {
  const length = Math.hypot(...numbers)
  // Eight decimals are what a 32-bit number holds.
  return Array.from(numbers, (number) => Math.round((number / length) * 1e8) / 1e8)
}

/** A vector of length 1 from hashed words: texts with common words are near each other, whatever their order. */
export const vector = (text: string, dimensions: number): ReadonlyArray<number> => {
  const numbers = new Float64Array(dimensions)
  for (const [feature, weight] of featuresOf(text)) {
    for (let i = 0; i < spread; i++) {
      const hashed = hash(`${i} ${feature}`)
      const at = (hashed >>> 1) % dimensions
      numbers[at] = (numbers[at] ?? 0) + (hashed % 2 === 0 ? weight : -weight)
    }
  }
  if (numbers.every((number) => number === 0)) numbers[0] = 1
  return unit(numbers)
}
