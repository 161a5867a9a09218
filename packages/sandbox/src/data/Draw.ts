/** A number from 0 to 2³²-1 that the text decides. Spreads well; hides nothing. */
export const hash = (text: string): number => {
  let h = 0x811c9dc5
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** Eight hexadecimal digits by which a text is recognised as the sandbox's own. */
export const check = (text: string): string => hash(text).toString(16).padStart(8, "0")

export interface Draw {
  /** From `least` up to, but not, `most`. */
  readonly between: (least: number, most: number) => number
  /** A whole number; both ends can come. */
  readonly int: (least: number, most: number) => number
  readonly chance: (share: number) => boolean
  readonly pick: <A>(choices: readonly [A, ...ReadonlyArray<A>]) => A
  /** So many decimal digits, the first of them not 0. */
  readonly digits: (length: number) => string
}

/** Values that the key alone decides: the same key draws the same ones, in the same order, on every machine. */
export const draw = (...key: ReadonlyArray<string | number>): Draw => {
  let state = hash(JSON.stringify(key))
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0
    let z = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97)
    return ((z ^ (z >>> 15)) >>> 0) / 2 ** 32
  }
  const between = (least: number, most: number) => least + next() * (most - least)
  const int = (least: number, most: number) => Math.floor(between(least, most + 1))
  return {
    between,
    int,
    chance: (share) => next() < share,
    pick: (choices) => choices[int(0, choices.length - 1)] ?? choices[0],
    digits: (length) => Array.from({ length }, (_, at) => int(at === 0 ? 1 : 0, 9)).join("")
  }
}
