/**
 * Splits a text into tokens, each with the white space before it: words, single punctuation marks, and pieces of four
 * letters of words longer than eight. A text never has more tokens than bytes.
 */
export const tokens = (text: string): ReadonlyArray<string> =>
  // Trimmed, because the expression would backtrack over trailing white space in quadratic time.
  (text.trimEnd().match(/\s*(?:[\p{L}\p{N}]+|[^\s\p{L}\p{N}])/gu) ?? []).flatMap((spaced) => {
    const word = spaced.trimStart()
    if (word.length <= 8) return [spaced]
    const [first = "", ...rest] = word.match(/.{1,4}/gsu) ?? []
    return [spaced.slice(0, spaced.length - word.length) + first, ...rest]
  })

export const count = (text: string): number => tokens(text).length

/** The tokens of all strings in a value, including field names. */
export const countAll = (value: unknown): number => {
  let total = 0
  // No recursion: a deeply nested body would overflow the stack.
  const rest: Array<unknown> = [value]
  while (rest.length > 0) {
    const next = rest.pop()
    if (typeof next === "string") total += count(next)
    else if (Array.isArray(next)) for (const item of next) rest.push(item)
    else if (typeof next === "object" && next !== null)
      for (const [name, item] of Object.entries(next)) rest.push(name, item)
  }
  return total
}

/** Splits a text into lower-case words without punctuation and without the most common English endings. */
export const terms = (text: string): ReadonlyArray<string> =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) =>
    word.length > 4 ? word.replace(/(?:ing|ed|es|s)$/u, "") : word
  )
