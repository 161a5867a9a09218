export type Json = Readonly<Record<string, unknown>>

/** A request or an answer is not of its protocol. */
export class Malformed extends Error {
  /** Where, in the words of the protocol. */
  readonly at: string

  constructor(at: string, expected: string) {
    super(`${at}: ${expected} is expected`)
    this.name = "Malformed"
    this.at = at
  }
}

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** `null` is written for what is not there. */
export const isMissing = (value: unknown): value is null | undefined => value === undefined || value === null

/** The value at these names, from the outer to the inner. */
export const valueAt = (value: unknown, path: ReadonlyArray<string>): unknown => {
  let found = value
  for (const name of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return undefined
    found = found[name as keyof typeof found]
  }
  return found
}

/** The object, or an empty one if there is none. */
export const object = (value: unknown, at: string): Json => {
  if (isMissing(value)) return {}
  if (isObject(value)) return value
  throw new Malformed(at, "an object")
}

/** The list, or an empty one if there is none. */
export const list = (value: unknown, at: string): ReadonlyArray<unknown> => {
  if (isMissing(value)) return []
  if (Array.isArray(value)) return value
  throw new Malformed(at, "an array")
}

/** The objects of a list, with the place of each. */
export const objects = (value: unknown, at: string): ReadonlyArray<readonly [item: Json, at: string]> =>
  list(value, at).map((item, i) => {
    if (!isObject(item)) throw new Malformed(`${at}[${i}]`, "an object")
    return [item, `${at}[${i}]`]
  })

/** The text, or an empty one if there is none. */
export const text = (value: unknown, at: string): string => {
  if (isMissing(value)) return ""
  if (typeof value === "string") return value
  throw new Malformed(at, "a string")
}

/** Of what an upstream sends: its kind of value, or nothing. */
export const textOr = (value: unknown): string => (typeof value === "string" ? value : "")
export const objectOr = (value: unknown): Json => (isObject(value) ? value : {})
export const listOr = (value: unknown): ReadonlyArray<Json> => (Array.isArray(value) ? value.filter(isObject) : [])
export const countOr = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined

/** Without what is undefined. */
export const defined = (fields: Json): Json => {
  const kept: Record<string, unknown> = {}
  for (const name in fields) if (fields[name] !== undefined) kept[name] = fields[name]
  return kept
}

/** A word in a table, which may be any text: `constructor` is in none. */
export const wordIn = <Word>(table: Readonly<Record<string, Word>>, word: string): Word | undefined =>
  Object.hasOwn(table, word) ? table[word] : undefined
