const sizeOf = (value: unknown): number => JSON.stringify(value)?.length ?? 0

const shortenText = (text: string, most: number): string => {
  const kept = Math.max(0, most - 40)
  return `${text.slice(0, kept)}… (${text.length - kept} more characters)`
}

const shortenList = (list: ReadonlyArray<unknown>, most: number): ReadonlyArray<unknown> => {
  const kept: Array<unknown> = []
  let left = most - 30
  for (const item of list) {
    const size = sizeOf(item) + 1
    if (size > left) {
      // A list of which not even one item fits shows a part of that.
      if (kept.length === 0 && left > 200) kept.push(shorten(item, left))
      break
    }
    kept.push(item)
    left -= size
  }
  const rest = list.length - kept.length
  return rest === 0 ? kept : [...kept, `… ${rest} more items`]
}

/** Small fields stay whole. The large ones share what is left. */
const shortenFields = (fields: object, most: number): object => {
  const entries = Object.entries(fields).map(([name, value]: [string, unknown]) => ({
    name,
    value,
    size: sizeOf(value) + name.length + 4
  }))
  let left = most
  let share = 0
  const bySize = entries.toSorted((a, b) => a.size - b.size)
  const whole = new Set<string>()
  for (const [index, { name, size }] of bySize.entries()) {
    share = Math.floor(left / (bySize.length - index))
    if (size > share) break
    whole.add(name)
    left -= size
  }
  const shown = entries.flatMap(({ name, value }): ReadonlyArray<readonly [string, unknown]> => {
    if (whole.has(name)) return [[name, value]]
    return share < 60 + name.length ? [] : [[name, shorten(value, share - name.length - 4)]]
  })
  return Object.fromEntries(shown)
}

/**
 * A JSON value in about `most` characters: texts lose their end, lists their last items, and each says how much. What is small
 * stays, so that a model sees how the answer is built.
 */
export function shorten(value: unknown, most: number): unknown {
  if (sizeOf(value) <= most) return value
  if (typeof value === "string") return shortenText(value, most)
  if (Array.isArray(value)) return shortenList(value, most)
  return typeof value === "object" && value !== null ? shortenFields(value, most) : value
}
