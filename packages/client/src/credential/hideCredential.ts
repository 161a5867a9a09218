import * as Redacted from "effect/Redacted"

/** Replaces the credential in a text that is to be part of an error. */
export type Hide = (text: string) => string

/** A shorter text may occur by chance. */
const leastLength = 6

/** Each character as itself, percent-encoded or as one of JSON's escapes. */
const spellings = (secret: string): string =>
  secret.replace(/[^]/g, (character) => {
    const hex = character.charCodeAt(0).toString(16).padStart(2, "0")
    return `(?:\\\\?${character.replace(/\W/, "\\$&")}|%${hex}|\\\\u00${hex})`
  })

/** For the credential of a request: a server or a proxy may repeat it. Also in other case, and in the usual encodings. */
export const hiding = (credential: Redacted.Redacted): Hide => {
  let pattern: RegExp | undefined
  return (text) => {
    const secret = Redacted.value(credential)
    if (secret.length < leastLength || text.length < secret.length) return text
    pattern ??= new RegExp(spellings(secret), "gi")
    return text.replace(pattern, "[credential]")
  }
}

const hideWithin = (value: unknown, hide: Hide, depth: number): unknown => {
  if (typeof value === "string") return hide(value)
  if (typeof value !== "object" || value === null) return value
  if (depth === 0) return undefined
  if (Array.isArray(value)) return value.map((item) => hideWithin(item, hide, depth - 1))
  return Object.fromEntries(Object.entries(value).map(([name, of]) => [hide(name), hideWithin(of, hide, depth - 1)]))
}

/** Replaces it in a JSON value. What is nested too deeply to be walked is left out. */
export const hideIn = <A>(value: A, hide: Hide): A => hideWithin(value, hide, 200) as A

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return value instanceof Error || Array.isArray(value) || prototype === Object.prototype || prototype === null
}

/** Whether nothing that is reachable can hold the credential. What a class instance holds is not known. */
const isClean = (value: unknown, hide: Hide, depth = 5): boolean => {
  if (typeof value === "string") return hide(value) === value
  if (typeof value !== "object" || value === null) return true
  if (depth === 0 || !isPlain(value) || (value instanceof Error && !isClean(String(value), hide))) return false
  return Reflect.ownKeys(value).every((key) => isClean(Reflect.get(value, key), hide, depth - 1))
}

/** The platform's own error, or a copy of its texts if it can hold the credential. */
export const cleanCause = (cause: unknown, hide: Hide, depth = 5): unknown => {
  if (typeof cause === "string") return hide(cause)
  if (isClean(cause, hide)) return cause
  if (!(cause instanceof Error) || depth === 0) return undefined
  const { message, name, stack = "" } = cause
  const copy = new Error(hide(message), { cause: cleanCause(cause.cause, hide, depth - 1) })
  const code = "code" in cause && typeof cause.code === "string" ? { code: hide(cause.code) } : {}
  return Object.assign(copy, { name, stack: hide(stack), ...code })
}
