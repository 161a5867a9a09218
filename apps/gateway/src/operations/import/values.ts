/** An object of a document that somebody else wrote. */
export type Fields = Readonly<Record<string, unknown>>

export const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined

/** Own fields only: a document may name `constructor` or `__proto__`. */
export const field = (value: unknown, name: string): unknown => {
  const fields = fieldsOf(value)
  return fields !== undefined && Object.hasOwn(fields, name) ? fields[name] : undefined
}

export const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

export const entriesOf = (value: unknown): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(fieldsOf(value) ?? {})

/** Text that is not blank. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value.trim() : undefined

/** Without the fields that are undefined. */
export const present = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** For messages and keys. An object of a document may have a `toString` of its own. */
export const shown = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing")
