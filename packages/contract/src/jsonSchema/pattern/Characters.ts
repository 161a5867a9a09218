/** A set of characters: ranges of code points, in order. */
export type Characters = ReadonlyArray<readonly [first: number, last: number]>

const lastCodePoint = 0x10ffff

export const any: Characters = [[0, lastCodePoint]]

export const union = (sets: ReadonlyArray<Characters>): Characters => {
  const merged: Array<[number, number]> = []
  for (const [first, last] of sets.flat().toSorted(([a], [b]) => a - b)) {
    const before = merged.at(-1)
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last)
    else merged.push([first, last])
  }
  return merged
}

export const complement = (set: Characters): Characters => {
  const rest: Array<[number, number]> = []
  let next = 0
  for (const [first, last] of union([set])) {
    if (first > next) rest.push([next, first - 1])
    next = last + 1
  }
  if (next <= lastCodePoint) rest.push([next, lastCodePoint])
  return rest
}

export const overlap = (a: Characters, b: Characters): boolean =>
  a.some(([first, last]) => b.some((other) => first <= other[1] && other[0] <= last))

const digits: Characters = [[48, 57]]
const word: Characters = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122]
]
const space: Characters = [
  [9, 13],
  [32, 32],
  [160, 160],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff]
]

/** What a dot matches. */
export const dot: Characters = complement([
  [10, 10],
  [13, 13],
  [0x2028, 0x2029]
])

/** `\d`, `\W` and so on, by their letter. */
export const classes: Readonly<Record<string, Characters>> = {
  d: digits,
  D: complement(digits),
  w: word,
  W: complement(word),
  s: space,
  S: complement(space)
}
