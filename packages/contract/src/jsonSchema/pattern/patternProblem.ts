import { type Automaton, automatonOf } from "./Automaton.ts"
import { overlap } from "./Characters.ts"
import { type Node, Unsafe, parse } from "./parse.ts"

/** How many characters are compared at most, roughly: so many for a text, and so many for each of its characters. */
export interface MatchCost {
  readonly perText: number
  readonly perCharacter: number
}

const longest = 1_000
/** The most ways that may be tried at one place of a text. */
const maxWays = 1_000

/** The positions that can be reached from each. */
const reachable = ({ follow }: Automaton): ReadonlyArray<ReadonlySet<number>> =>
  follow.map((followers) => {
    const reached = new Set(followers)
    for (const position of reached) for (const next of follow[position] ?? []) reached.add(next)
    return reached
  })

const startsAtStart = (node: Node): boolean => {
  if (node.kind === "start") return true
  if (node.kind === "sequence") return node.parts[0] !== undefined && startsAtStart(node.parts[0])
  return node.kind === "alternatives" && node.parts.every(startsAtStart)
}

const hasAssertion = (node: Node): boolean => {
  if (node.kind === "repeat") return hasAssertion(node.part)
  return "parts" in node ? node.parts.some(hasAssertion) : node.kind === "assertion" || node.kind === "start"
}

/**
 * A matcher backtracks where two positions that may follow take the same character. Inside a loop, at most one of them may
 * lead to a loop again: otherwise the ways multiply with the length of the text.
 */
const check = (root: Node): MatchCost => {
  const automaton = automatonOf(root)
  const { copies, first, follow, last, sets } = automaton
  const reached = reachable(automaton)
  const isInLoop = (position: number) => reached[position]?.has(position) === true
  const leadsToLoop = (position: number) => isInLoop(position) || [...(reached[position] ?? [])].some(isInLoop)
  let ways = 1

  const checkChoices = (followers: ReadonlyArray<number>, inLoop: boolean): void => {
    let most = 1
    followers.forEach((a, i) => {
      const same = followers.filter((b, j) => j > i && overlap(sets[a] ?? [], sets[b] ?? []))
      most = Math.max(most, same.length + 1)
      if (inLoop && same.some((b) => leadsToLoop(a) && leadsToLoop(b))) {
        throw new Unsafe("can match one text in very many ways")
      }
    })
    ways *= most
    if (ways > maxWays) throw new Unsafe("can match one text in very many ways")
  }

  checkChoices(first, false)
  follow.forEach((followers, position) => checkChoices(followers, isInLoop(position)))

  const loops = [...sets.keys()].filter(isInLoop)
  const once = (sets.length + 1) * ways
  const isAtStart = startsAtStart(root)
  if (isAtStart && loops.length === 0) return { perText: once, perCharacter: 0 }
  if (isAtStart || loops.length === 0) return { perText: once, perCharacter: once }
  // The loop is tried again at each character, unless it matches as soon as it is reached.
  const ends = new Set(last)
  if (hasAssertion(root) || !loops.every((position) => ends.has(position))) {
    throw new Unsafe("repeats without a limit and does not begin with ^")
  }
  return { perText: once, perCharacter: once * copies }
}

/** What it costs to match a pattern, or why a caller's text could take very long. */
export const matchCost = (pattern: string): MatchCost | string => {
  if (pattern.length > longest) return "is too long"
  try {
    RegExp(pattern, "u")
  } catch {
    return "is not a regular expression of ECMAScript with the flag u"
  }
  try {
    return check(parse(pattern))
  } catch (error) {
    if (error instanceof Unsafe) return error.message
    throw error
  }
}

/** Why a caller's text could take very long to match this pattern; `undefined` if it takes time in proportion to the text. */
export const patternProblem = (pattern: string): string | undefined => {
  const cost = matchCost(pattern)
  return typeof cost === "string" ? cost : undefined
}

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
