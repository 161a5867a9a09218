import * as Characters from "./Characters.ts"

/** A regular expression as a tree. `start` is `^`; `assertion` is `$`, `\b` or `\B`. */
export type Node =
  | { readonly kind: "characters"; readonly set: Characters.Characters }
  | { readonly kind: "start" | "assertion" }
  | { readonly kind: "sequence" | "alternatives"; readonly parts: ReadonlyArray<Node> }
  | { readonly kind: "repeat"; readonly part: Node; readonly least: number; readonly most: number }

/** Why a pattern cannot be checked safely, in words that follow "the pattern". */
export class Unsafe extends Error {}

const letters: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, "0": 0 }

const deepest = 50

/** Parses a pattern that `new RegExp(pattern, "u")` accepts. */
export const parse = (pattern: string): Node => {
  const text = [...pattern]
  let at = 0
  let depth = 0

  const peek = (): string | undefined => text[at]
  const next = (): string => text[at++] ?? ""
  const follows = (word: string): boolean => text.slice(at, at + word.length).join("") === word
  const until = (end: string): string => {
    const from = at
    while (at < text.length && peek() !== end) at++
    return text.slice(from, at++).join("")
  }
  const hex = (length: number): number => {
    const digits = text.slice(at, at + length).join("")
    at += length
    return Number.parseInt(digits, 16)
  }

  const unicode = (): number => {
    if (peek() === "{") {
      at++
      return Number.parseInt(until("}"), 16)
    }
    const high = hex(4)
    if (high < 0xd800 || high > 0xdbff || !follows("\\u")) return high
    at += 2
    return 0x10000 + (high - 0xd800) * 0x400 + (hex(4) - 0xdc00)
  }

  /** After a backslash: a class, or one character. */
  const escape = (): Characters.Characters => {
    const letter = next()
    const known = Characters.classes[letter]
    if (known !== undefined) return known
    if (letter === "p" || letter === "P") {
      until("}")
      return Characters.any
    }
    const code =
      letters[letter] ??
      (letter === "x" ? hex(2) : letter === "u" ? unicode() : letter === "c" ? next().charCodeAt(0) % 32 : undefined)
    const point = code ?? letter.codePointAt(0) ?? 0
    return [[point, point]]
  }

  const member = (): Characters.Characters => {
    const character = next()
    if (character !== "\\") {
      const point = character.codePointAt(0) ?? 0
      return [[point, point]]
    }
    if (peek() !== "b") return escape()
    at++
    return [[8, 8]]
  }

  const set = (): Characters.Characters => {
    const isNegated = peek() === "^"
    if (isNegated) at++
    const sets: Array<Characters.Characters> = []
    while (peek() !== "]" && at < text.length) {
      const from = member()
      if (peek() === "-" && text[at + 1] !== "]") {
        at++
        sets.push([[from[0]?.[0] ?? 0, member()[0]?.[1] ?? 0]])
      } else sets.push(from)
    }
    at++
    const all = Characters.union(sets)
    return isNegated ? Characters.complement(all) : all
  }

  const group = (): Node => {
    if (peek() === "?") {
      if (follows("?:")) at += 2
      else if (follows("?<") && !follows("?<=") && !follows("?<!")) until(">")
      else throw new Unsafe("looks ahead or behind")
    }
    if (++depth > deepest) throw new Unsafe("is nested too deep")
    const inner = alternatives()
    depth--
    at++
    return inner
  }

  const atom = (): Node => {
    const character = next()
    switch (character) {
      case "^":
        return { kind: "start" }
      case "$":
        return { kind: "assertion" }
      case "(":
        return group()
      case "[":
        return { kind: "characters", set: set() }
      case ".":
        return { kind: "characters", set: Characters.dot }
      case "\\": {
        const letter = peek() ?? ""
        if (letter === "k" || /[1-9]/.test(letter)) throw new Unsafe("refers to one of its groups")
        if (letter !== "b" && letter !== "B") return { kind: "characters", set: escape() }
        at++
        return { kind: "assertion" }
      }
      default: {
        const point = character.codePointAt(0) ?? 0
        return { kind: "characters", set: [[point, point]] }
      }
    }
  }

  const bounds = (): readonly [number, number] | undefined => {
    switch (peek()) {
      case "*":
        return (at++, [0, Infinity])
      case "+":
        return (at++, [1, Infinity])
      case "?":
        return (at++, [0, 1])
      case "{": {
        at++
        const [least = "", most] = until("}").split(",")
        return [Number(least), most === undefined ? Number(least) : most === "" ? Infinity : Number(most)]
      }
      default:
        return undefined
    }
  }

  const sequence = (): Node => {
    const parts: Array<Node> = []
    while (at < text.length && peek() !== "|" && peek() !== ")") {
      const part = atom()
      const [least, most] = bounds() ?? [1, 1]
      // Lazy or greedy, the same ways are tried.
      if (peek() === "?") at++
      parts.push(least === 1 && most === 1 ? part : { kind: "repeat", part, least, most })
    }
    return { kind: "sequence", parts }
  }

  const alternatives = (): Node => {
    const parts = [sequence()]
    while (peek() === "|") {
      at++
      parts.push(sequence())
    }
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: "alternatives", parts }
  }

  return alternatives()
}
