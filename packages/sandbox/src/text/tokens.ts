import type { TokenUsage } from "@tollgate/contract/price/evidence"
import type { Scenario } from "../Scenario.ts"

/**
 * Splits a text into tokens, each with the white space before it: words, single punctuation marks, and pieces of four
 * letters of words longer than eight. A text never has more tokens than bytes.
 */
export const tokens = (text: string): ReadonlyArray<string> =>
  // Trimmed, because the expression would backtrack over trailing white space in quadratic time.
  (text.trimEnd().match(/\s*(?:[\p{L}\p{N}]+|[^\s\p{L}\p{N}])/gu) ?? []).flatMap((spaced) => {
    const word = spaced.trimStart()
    if (word.length <= 8) return [spaced]
    const [first = "", ...rest] = word.match(/.{1,4}/gsu) ?? []
    return [spaced.slice(0, spaced.length - word.length) + first, ...rest]
  })

export const count = (text: string): number => tokens(text).length

/** The tokens of all strings in a value, including field names. */
export const countAll = (value: unknown): number => {
  let total = 0
  // No recursion: a deeply nested body would overflow the stack.
  const rest: Array<unknown> = [value]
  while (rest.length > 0) {
    const next = rest.pop()
    if (typeof next === "string") total += count(next)
    else if (Array.isArray(next)) for (const item of next) rest.push(item)
    else if (typeof next === "object" && next !== null)
      for (const [name, item] of Object.entries(next)) rest.push(name, item)
  }
  return total
}

/** Splits a text into lower-case words without punctuation and without the most common English endings. */
export const terms = (text: string): ReadonlyArray<string> =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) =>
    word.length > 4 ? word.replace(/(?:ing|ed|es|s)$/u, "") : word
  )

/** How many tokens a model thinks, by the effort that is asked of it. */
export const effort = { none: 0, minimal: 16, low: 32, medium: 64, high: 128, xhigh: 256, max: 512 } as const

/** Tokens of a message in addition to its text. */
export const perMessage = 3

/** Tokens of an image or another part that is not text. No part has fewer bytes than this. */
export const perMedia = 8

export type InputUsage = Omit<TokenUsage, "output">

/** `marked` is the part of the prompt that the caller wants cached. Tokens read from the cache are not written again. */
export const inputUsage = (prompt: number, marked: number, scenario: Scenario): InputUsage => {
  const cacheRead = scenario.kind === "cached" ? Math.min(prompt, scenario.tokens) : 0
  const cacheWrite = Math.min(prompt - cacheRead, marked)
  return { input: prompt - cacheRead - cacheWrite, cacheRead, cacheWrite }
}

export const billed = ({ cacheRead, cacheWrite, input }: InputUsage, output: number) => ({
  input,
  output,
  cacheRead,
  cacheWrite
})
