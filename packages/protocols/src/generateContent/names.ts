import { type Json, Malformed } from "../json.ts"

/** Google takes each name of a field also in snake case. Only the names of the object itself are changed. */
export const camel = (value: Json, at: string): Json => {
  const entries = Object.entries(value)
  if (!entries.some(([name]) => name.includes("_"))) return value
  const named = new Map<string, unknown>()
  for (const [name, field] of entries) {
    const key = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    if (named.has(key)) throw new Malformed(`${at}.${key}`, "one spelling")
    named.set(key, field)
  }
  return Object.fromEntries(named)
}
