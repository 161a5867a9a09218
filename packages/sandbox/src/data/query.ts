import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { InvalidInput } from "../BilledAnswer.ts"

export type Query = ReadonlyMap<string, string>

const maxLength = 16_384

const refuse = (message: string, param?: string) =>
  Effect.fail(new InvalidInput({ message, ...(param === undefined ? {} : { param }) }))

/** Parses `a=1&b=2`. Rejects a name that appears twice. */
export const parse = (text: string): Effect.Effect<Query, InvalidInput> => {
  if (text.length > maxLength) return refuse(`the parameters have more than ${maxLength} characters`)
  const query = new Map<string, string>()
  for (const part of text.split("&")) {
    if (part === "") continue
    const at = part.indexOf("=")
    let name, value
    try {
      name = decodeURIComponent((at === -1 ? part : part.slice(0, at)).replaceAll("+", " "))
      value = at === -1 ? "" : decodeURIComponent(part.slice(at + 1).replaceAll("+", " "))
    } catch {
      return refuse("the parameters are not valid percent-encoding")
    }
    if (query.has(name)) return refuse("a parameter is given more than once")
    query.set(name, value)
  }
  return Effect.succeed(query)
}

export const of = (request: HttpServerRequest): Effect.Effect<Query, InvalidInput> => {
  const at = request.url.indexOf("?")
  return parse(at === -1 ? "" : (request.url.slice(at + 1).split("#", 1)[0] ?? ""))
}

/** An empty value counts as missing. */
export const optional = (query: Query, name: string): string | undefined => query.get(name) || undefined

export const required = (query: Query, name: string, most = 2_048): Effect.Effect<string, InvalidInput> => {
  const value = optional(query, name)
  if (value === undefined) return refuse(`${name} is required`, name)
  return value.length > most ? refuse(`${name} has more than ${most} characters`, name) : Effect.succeed(value)
}

/** A non-negative integer; a larger one than `most` becomes `most`. */
export const count = (
  query: Query,
  name: string,
  fallback: number,
  most: number
): Effect.Effect<number, InvalidInput> => {
  const value = optional(query, name)
  if (value === undefined) return Effect.succeed(fallback)
  return /^\d{1,9}$/.test(value)
    ? Effect.succeed(Math.min(most, Number(value)))
    : refuse(`${name} must be a non-negative integer`, name)
}
