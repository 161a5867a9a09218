import { attempt } from "../../attempt.ts"
/** What a part of a pattern can cost: it is tried in `ways × length ** loops` ways at most, each over `size` characters. */
interface Part {
  readonly size: number
  readonly ways: number
  readonly loops: number
  /** How many of its parts repeat a varying number of times, or are one of several. */
  readonly choices: number
  /** The characters and sets that it consists of, as they are written. */
  readonly atoms: ReadonlyArray<string>
  /** It begins with `^`. */
  readonly isAtStart: boolean
}

/** Why a pattern cannot be applied, in words that follow "the pattern". */
class Unsafe extends Error {}

const inVeryManyWays = "can match one text in very many ways"

const longest = 1_000
const mostSize = 1_000
const mostWays = 1_000
const mostLoops = 3
/** A part that repeats up to so often counts as so many ways, and beyond it as a loop. */
const mostRepeats = 100

const tokens =
  /\\(?:u\{[^}]*\}|[pP]\{[^}]*\}|u[\da-f]{4}|x[\da-f]{2}|c[a-z]|[^])|\[(?:\\[^]|[^\]\\])*\]|\((?:\?:|\?<[^>]*>)?|[*+?]\??|\{\d+(?:,\d*)?\}\??|[^]/giu

const bounded = (part: Part): Part => {
  if (part.size > mostSize) throw new Unsafe("is too large")
  if (part.ways > mostWays || part.loops > mostLoops) throw new Unsafe(inVeryManyWays)
  return part
}

const sequence = (parts: ReadonlyArray<Part>): Part =>
  bounded({
    size: parts.reduce((sum, { size }) => sum + size, 0),
    ways: parts.reduce((product, { ways }) => product * ways, 1),
    loops: parts.reduce((sum, { loops }) => sum + loops, 0),
    choices: parts.reduce((sum, { choices }) => sum + choices, 0),
    atoms: parts.flatMap(({ atoms }) => atoms),
    isAtStart: parts[0]?.isAtStart ?? false
  })

const either = (parts: ReadonlyArray<Part>): Part =>
  bounded({
    size: Math.max(...parts.map(({ size }) => size)),
    ways: parts.reduce((sum, { ways }) => sum + ways, 0),
    loops: Math.max(...parts.map(({ loops }) => loops)),
    choices: parts.reduce((sum, { choices }) => sum + choices, parts.length - 1),
    atoms: parts.flatMap(({ atoms }) => atoms),
    isAtStart: parts.every(({ isAtStart }) => isAtStart)
  })

/** Whether a character that nothing else in it matches begins or ends each round, so that a text has one division into rounds. */
const isDelimited = ({ atoms, choices }: Part): boolean =>
  choices === 1 &&
  [0, atoms.length - 1].some((at) => {
    const character = atoms[at]?.replace(/^\\(?=\W)/, "") ?? ""
    if (atoms.length === 1 || [...character].length !== 1 || atoms[at] === ".") return false
    return !atoms.some((atom, i) => i !== at && new RegExp(`^${atom}$`, "u").test(character))
  })

const timesOf = (quantifier: string): readonly [least: number, most: number] => {
  const [sign = ""] = quantifier
  if (sign !== "{") return [sign === "+" ? 1 : 0, sign === "?" ? 1 : Infinity]
  const [least = "", most = least] = quantifier.replaceAll(/[{}?]/g, "").split(",")
  return [Number(least), most === "" ? Infinity : Number(most)]
}

const repeated = (part: Part, quantifier: string): Part => {
  const [least, most] = timesOf(quantifier)
  // Otherwise the ways multiply in each round.
  if (part.choices > 0 && most > 1 && !isDelimited(part)) throw new Unsafe(inVeryManyWays)
  const varies = most > least
  const isLoop = varies && most - least > mostRepeats
  return bounded({
    ...part,
    size: part.size * Math.max(1, varies ? least : most),
    ways: varies && !isLoop ? part.ways * (most - least + 1) : part.ways,
    loops: part.loops + (isLoop ? 1 : 0),
    choices: part.choices + (varies ? 1 : 0),
    isAtStart: false
  })
}

const atom = (token: string): Part => {
  if (/^\\[1-9k]/.test(token)) throw new Unsafe("refers to one of its groups")
  const isAssertion = token === "^" || token === "$" || /^\\b$/i.test(token)
  const size = isAssertion ? 0 : 1
  return { size, ways: 1, loops: 0, choices: 0, atoms: isAssertion ? [] : [token], isAtStart: token === "^" }
}

/** Reads up to the end of the group that is open. */
const parse = (rest: Iterator<string, undefined>): Part => {
  const alternatives: Array<Part> = []
  let parts: Array<Part> = []
  for (;;) {
    const token = rest.next().value
    if (token === undefined || token === "|" || token === ")") {
      alternatives.push(sequence(parts))
      parts = []
      if (token !== "|") return either(alternatives)
    } else if (token.startsWith("(")) parts.push(parse(rest))
    else if (/^(?:[*+?]|\{\d)/.test(token)) parts.push(repeated(parts.pop() ?? sequence([]), token))
    else parts.push(atom(token))
  }
}

export interface Matcher {
  readonly pattern: RegExp
  /** How many characters are compared at most in a text of this length, roughly. */
  readonly costOf: (length: number) => number
}

/** How to match a pattern, or why a caller's text could take very long. A matcher tries one way after the other. */
const read = (pattern: string): Matcher | string => {
  if (pattern.length > longest) return "is too long"
  const compiled = attempt(() => RegExp(pattern, "u"))
  if (compiled === undefined) return "is not a regular expression of ECMAScript with the flag u"
  if (/\(\?(?!:|<[^=!])/.test(pattern)) return "looks ahead or behind"
  try {
    const { isAtStart, loops, size, ways } = parse((pattern.match(tokens) ?? []).values())
    const power = loops + (isAtStart ? 0 : 1)
    return { pattern: new RegExp(pattern, "u"), costOf: (length) => ways * (size + 1) * (length + 1) ** power }
  } catch (error) {
    if (error instanceof Unsafe) return error.message
    throw error
  }
}

/** Documents repeat their patterns. */
const known = new Map<string, Matcher | string>()
const mostKnown = 100_000

const readOnce = (pattern: string): Matcher | string => {
  const found = known.get(pattern) ?? read(pattern)
  if (known.size >= mostKnown) known.clear()
  known.set(pattern, found)
  return found
}

/** Why a pattern is not applied: a caller's text could take very long. `undefined`: it is, to texts that are short enough. */
export const patternProblem = (pattern: string): string | undefined => {
  const found = readOnce(pattern)
  return typeof found === "string" ? found : undefined
}

/** `undefined`: the pattern is not applied. */
export const matcherOf = (pattern: string): Matcher | undefined => {
  const found = readOnce(pattern)
  return typeof found === "string" ? undefined : found
}
