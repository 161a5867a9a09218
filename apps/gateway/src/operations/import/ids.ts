/** The words of an identifier: `getPetById`, `get-pet-by-id` and `pets/get pet` alike, in lower case. */
export const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .normalize("NFKD")
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")

const maxWords = 100

const startsWith = (words: ReadonlyArray<string>, start: ReadonlyArray<string>): boolean =>
  start.every((word, i) => words[i] === word)

/** `github.repos.get_content`: the prefix, the tag, and the operationId, or method and path without one. */
export const idOf = (parts: {
  readonly prefix: string
  readonly tag: string | undefined
  readonly operationId: string | undefined
  readonly method: string
  readonly path: string
}): string => {
  const tag = wordsOf(parts.tag ?? "")
  const own = wordsOf(parts.operationId ?? "")
  const words = own.length > 0 ? own : wordsOf(`${parts.method} ${parts.path}`)
  const rest = words.length > tag.length && startsWith(words, tag) ? words.slice(tag.length) : words
  return [wordsOf(parts.prefix), tag, rest]
    .map((part) => part.join("_").slice(0, maxWords))
    .filter((part) => part !== "")
    .join(".")
}

/** Adds a number to a name that is taken. */
export const uniqueIn = (taken: Set<string>, name: string): string => {
  let free = name
  for (let i = 2; taken.has(free); i++) free = `${name}_${i}`
  taken.add(free)
  return free
}
