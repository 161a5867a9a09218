import { type Fields, fieldsOf } from "./values.ts"

const start = "#/schemas/"

const namesIn = (root: unknown): ReadonlySet<string> => {
  const names = new Set<string>()
  const stack = [root]
  while (stack.length > 0) {
    const value = stack.pop()
    if (typeof value !== "object" || value === null) continue
    const reference = fieldsOf(value)?.$ref
    if (typeof reference === "string" && reference.startsWith(start)) names.add(reference.slice(start.length))
    // A list may be longer than a call can have arguments.
    for (const part of Object.values(value)) stack.push(part)
  }
  return names
}

/** The names of the schemas that operations refer to, directly or through another. */
export const usedSchemas = (operations: ReadonlyArray<Fields>, schemas: Fields): ReadonlySet<string> => {
  const used = new Set(namesIn(operations))
  for (const name of used) {
    for (const other of namesIn(Object.hasOwn(schemas, name) ? schemas[name] : undefined)) used.add(other)
  }
  return used
}

export const pickSchemas = (schemas: Fields, isKept: (name: string) => boolean): Fields =>
  Object.fromEntries(
    Object.entries(schemas)
      .filter(([name]) => isKept(name))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
  )
