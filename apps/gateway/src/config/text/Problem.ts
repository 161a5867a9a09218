import { editDistance } from "@tollgate/contract/editDistance"

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

const maxWordLength = 100

/** `; did you mean …?` if a known word is similar, otherwise empty. */
export const didYouMean = (word: string, known: ReadonlyArray<string>): string => {
  if (word.length > maxWordLength) return ""
  let nearest: string | undefined
  let least = Math.min(Math.floor((word.length + 2) / 3), word.length - 1) + 1
  for (const candidate of known) {
    const letters = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (letters < least) [nearest, least] = [candidate, letters]
  }
  return nearest === undefined ? "" : `; did you mean ${JSON.stringify(nearest)}?`
}
