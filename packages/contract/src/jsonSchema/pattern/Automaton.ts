import type { Characters } from "./Characters.ts"
import { type Node, Unsafe } from "./parse.ts"

/**
 * The positions of a pattern (Glushkov's automaton): which characters each takes, and which may follow. A position that
 * follows in two ways is listed twice.
 */
export interface Automaton {
  readonly sets: ReadonlyArray<Characters>
  readonly follow: ReadonlyArray<ReadonlyArray<number>>
  readonly first: ReadonlyArray<number>
  readonly last: ReadonlyArray<number>
  /** How often the parts repeat at least that stand here only once. */
  readonly copies: number
}

interface Part {
  readonly isEmptyAllowed: boolean
  readonly first: ReadonlyArray<number>
  readonly last: ReadonlyArray<number>
}

const maxPositions = 400
const maxEdges = 4_000
/** More repetitions count as any number of them. */
const maxCopies = 64

const nothing: Part = { isEmptyAllowed: true, first: [], last: [] }

export const automatonOf = (root: Node): Automaton => {
  const sets: Array<Characters> = []
  const follow: Array<Array<number>> = []
  let edges = 0
  let copies = 1

  const connect = (from: ReadonlyArray<number>, to: ReadonlyArray<number>): void => {
    edges += from.length * to.length
    if (edges > maxEdges) throw new Unsafe("is too large")
    for (const position of from) follow[position]?.push(...to)
  }

  const join = (a: Part, b: Part): Part => {
    connect(a.last, b.first)
    return {
      isEmptyAllowed: a.isEmptyAllowed && b.isEmptyAllowed,
      first: a.isEmptyAllowed ? [...a.first, ...b.first] : a.first,
      last: b.isEmptyAllowed ? [...a.last, ...b.last] : b.last
    }
  }

  const atLeast = (part: Node, least: number): Part => {
    let before = nothing
    for (let i = 1; i < least; i++) before = join(before, build(part))
    const loop = build(part)
    connect(loop.last, loop.first)
    const whole = join(before, loop)
    return least === 0 ? { ...whole, isEmptyAllowed: true } : whole
  }

  const between = (part: Node, least: number, most: number): Part => {
    // One optional repetition inside the other: `(x(x)?)?`, as a matcher tries them.
    let rest = nothing
    for (let i = most; i > least; i--) rest = { ...join(build(part), rest), isEmptyAllowed: true }
    let before = nothing
    for (let i = 0; i < least; i++) before = join(before, build(part))
    return join(before, rest)
  }

  const build = (node: Node): Part => {
    switch (node.kind) {
      case "characters": {
        if (sets.length === maxPositions) throw new Unsafe("is too large")
        const position = sets.push(node.set) - 1
        follow.push([])
        return { isEmptyAllowed: false, first: [position], last: [position] }
      }
      case "sequence":
        return node.parts.map(build).reduce(join, nothing)
      case "alternatives": {
        const parts = node.parts.map(build)
        if (parts.filter(({ isEmptyAllowed }) => isEmptyAllowed).length > 1) {
          throw new Unsafe("matches an empty text in several ways")
        }
        return {
          isEmptyAllowed: parts.some(({ isEmptyAllowed }) => isEmptyAllowed),
          first: parts.flatMap(({ first }) => first),
          last: parts.flatMap(({ last }) => last)
        }
      }
      case "repeat": {
        if (mayBeEmpty(node.part)) throw new Unsafe("repeats what may be empty")
        const { least, most, part } = node
        if (least > maxCopies) copies *= least
        return most > maxCopies ? atLeast(part, least > maxCopies ? 1 : least) : between(part, least, most)
      }
      default:
        return nothing
    }
  }

  const { first, last } = build(root)
  return { sets, follow, first, last, copies }
}

const mayBeEmpty = (node: Node): boolean => {
  switch (node.kind) {
    case "characters":
      return false
    case "sequence":
      return node.parts.every(mayBeEmpty)
    case "alternatives":
      return node.parts.some(mayBeEmpty)
    case "repeat":
      return node.least === 0 || mayBeEmpty(node.part)
    default:
      return true
  }
}
