import type { Json } from "./Conversation.ts"

export const object = (value: unknown): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {}

export const list = (value: unknown): ReadonlyArray<Json> => (Array.isArray(value) ? value.map(object) : [])

export const text = (value: unknown): string => (typeof value === "string" ? value : "")

export const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined

/** Without the fields that are undefined. */
export const defined = (fields: Json): Json =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** The arguments of a tool as an object. A model may write none, or something else. */
export const argumentsOf = (written: string): unknown => {
  try {
    return JSON.parse(written === "" ? "{}" : written)
  } catch {
    return written
  }
}
