/** A request that is not longer is shown as it is. */
const longest = 2_000
const longLine = /[^\n]{401,}/g
/** More than that of the beginning and of the end is never shown in short. */
const longestEnd = 20_000

const ends = (text: string, first: number, last: number, between = " … "): string =>
  text.slice(0, first).toWellFormed() + between + text.slice(-last).toWellFormed()

interface Part {
  readonly text: string
  /** Stands for a long line, so that it does not hide what comes after it. */
  readonly short?: string
}

/** A request, apart by its long lines. */
export const partsInShort = (request: string): ReadonlyArray<Part> => {
  if (request.length <= longest) return [{ text: request }]
  const parts: Array<Part> = []
  let from = 0
  for (const { 0: text, index } of request.matchAll(longLine)) {
    parts.push({ text: request.slice(from, index) }, { text, short: ends(text, 280, 80) })
    from = index + text.length
  }
  return [...parts, { text: request.slice(from) }]
}

/** A request where there is no room for all of it: the beginning and the end of each long line, and of all. */
export const inShort = (request: string): string => {
  if (request.length <= longest) return request
  const some = request.length > 2 * longestEnd ? ends(request, longestEnd, longestEnd, "\n…\n") : request
  const shown = partsInShort(some)
    .map(({ short, text }) => short ?? text)
    .join("")
  const note = `\n(this is not all of ${request.length} characters)`
  return (shown.length > longest ? ends(shown, longest - 400, 300, "\n…\n") : shown) + note
}
