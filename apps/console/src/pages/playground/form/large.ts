/** A longer text is not laid out in a field that grows with it: a browser takes seconds for it. */
export const largeLength = 50_000

/** Whether a value has too much text for a form. It looks no further than it needs to. */
export const isLarge = (value: unknown): boolean => {
  let left = largeLength
  const take = (each: unknown): boolean => {
    if (left < 0) return true
    if (typeof each === "string") left -= each.length
    else if (typeof each === "object" && each !== null) return Object.values(each).some(take)
    else left -= 4
    return left < 0
  }
  return take(value)
}
