/**
 * A text as its tokens, each with the white space before it: words and single signs, words of more than eight letters
 * in pieces of four. Near what subword tokenizers make of English, and never more tokens than the text has bytes.
 */
export const tokens = (text: string): ReadonlyArray<string> =>
  // White space at the end belongs to no token; left in, the expression would try it from each place anew.
  (text.trimEnd().match(/\s*(?:[\p{L}\p{N}]+|[^\s\p{L}\p{N}])/gu) ?? []).flatMap((spaced) => {
    const word = spaced.trimStart()
    if (word.length <= 8) return [spaced]
    const [first = "", ...rest] = word.match(/.{1,4}/gsu) ?? []
    return [spaced.slice(0, spaced.length - word.length) + first, ...rest]
  })

export const count = (text: string): number => tokens(text).length

/** Of all texts in a value, names of fields included. */
export const countAll = (value: unknown): number => {
  let total = 0
  // A list of its own, not recursion: a body nested deep enough would exhaust the stack.
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
