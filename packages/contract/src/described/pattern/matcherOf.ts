import { type MatchCost, matchCost } from "./patternProblem.ts"

export interface Matcher extends MatchCost {
  readonly pattern: RegExp
}

/** Documents repeat their patterns. */
const known = new Map<string, Matcher | undefined>()
const mostKnown = 100_000

/** Matches a pattern in time that grows with the text alone. `undefined`: a text may take longer, so it is not applied. */
export const matcherOf = (pattern: string): Matcher | undefined => {
  if (known.has(pattern)) return known.get(pattern)
  if (known.size >= mostKnown) known.clear()
  const cost = matchCost(pattern)
  const matcher = typeof cost === "string" ? undefined : { ...cost, pattern: new RegExp(pattern, "u") }
  known.set(pattern, matcher)
  return matcher
}
