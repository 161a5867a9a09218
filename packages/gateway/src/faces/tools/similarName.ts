/** Letters and digits only, so that `maxPriceUsd` is `max_price_usd`. */
const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "")

/** How many letters have to be added, removed or replaced (Levenshtein). */
const edits = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
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

const shortestPart = 4
const longestName = 50
const mostEdits = 2

/** The known name that was probably meant. */
export const similarName = (name: string, known: ReadonlyArray<string>): string | undefined => {
  const given = plain(name)
  if (given.length < shortestPart || given.length > longestName) return undefined
  return known.find((other) => {
    const meant = plain(other)
    return meant.includes(given) || given.includes(meant) || edits(given, meant) <= mostEdits
  })
}
