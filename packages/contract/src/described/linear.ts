import { patternProblem } from "./pattern/patternProblem.ts"

/** Documents repeat their patterns. */
const known = new Map<string, boolean>()
const mostKnown = 10_000

/**
 * Whether a pattern can be matched in time that grows with the text alone. A document from elsewhere may have patterns that take
 * minutes, and callers choose the text.
 */
export const isLinear = (pattern: string): boolean => {
  let linear = known.get(pattern)
  if (linear === undefined) {
    if (known.size >= mostKnown) known.clear()
    known.set(pattern, (linear = patternProblem(pattern) === undefined))
  }
  return linear
}
