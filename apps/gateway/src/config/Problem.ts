export type Path = ReadonlyArray<PropertyKey>

/** A problem in the file. The message never contains a value, which may be a secret. */
export interface Problem {
  readonly path: Path
  readonly message: string
}

const identifier = /^[A-Za-z_$][A-Za-z0-9_$]*$/

/** In JavaScript syntax: `prices.operations["chat.completions"].models`. */
export const formatPath = (path: Path): string =>
  path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`
    const name = String(key)
    return identifier.test(name) ? `${text}${text === "" ? "" : "."}${name}` : `${text}[${JSON.stringify(name)}]`
  }, "")

/** The Levenshtein distance. */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

const maxWordLength = 100

/** `; did you mean …?` if a known word is similar, otherwise empty. */
export const didYouMean = (word: string, known: ReadonlyArray<string>): string => {
  if (word.length > maxWordLength) return ""
  let nearest: string | undefined
  let least = Math.min(Math.floor((word.length + 2) / 3), word.length - 1) + 1
  for (const candidate of known) {
    const letters = distance(word.toLowerCase(), candidate.toLowerCase())
    if (letters < least) [nearest, least] = [candidate, letters]
  }
  return nearest === undefined ? "" : `; did you mean ${JSON.stringify(nearest)}?`
}
