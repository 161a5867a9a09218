import { check } from "../SeededRandom.ts"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Effect from "effect/Effect"
import { InvalidInput } from "../BilledAnswer.ts"

export interface Page {
  readonly from: number
  /** The index after the last item of this page. */
  readonly to: number
  readonly next?: string
}

const write = (list: string, from: number) => `${from}-${check(`${list} ${from}`)}`

/** The page at a cursor. `undefined` if the cursor is not one of this list. */
export const page = (list: string, total: number, size: number, cursor: string | undefined): Page | undefined => {
  const from = cursor === undefined ? 0 : Number.parseInt(cursor, 10)
  if (cursor !== undefined && cursor !== write(list, from)) return undefined
  const to = Math.min(total, from + size)
  return to < total ? { from, to, next: write(list, to) } : { from, to }
}

const host = /^[A-Za-z0-9.-]{1,255}(?::\d{1,5})?$|^\[[0-9a-fA-F:.]{2,45}\](?::\d{1,5})?$/

/** The origin that the caller used, for URLs that lead back to the sandbox. */
export const originOf = (request: HttpServerRequest): string => {
  const [, scheme = "http", authority = ""] = /^(https?):\/\/([^/?#]*)/.exec(request.originalUrl) ?? []
  const found = [request.headers["host"], authority].find((text) => text !== undefined && host.test(text))
  return `${scheme}://${found ?? "sandbox.invalid"}`
}

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
