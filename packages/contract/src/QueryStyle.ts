import * as Schema from "effect/Schema"
import * as Transformation from "effect/SchemaTransformation"
import * as Predicate from "effect/Predicate"

/** An integer in a query string. Only digits: `1e3`, ` 5` and the empty string are rejected. */
export const IntFromQuery = Schema.String.check(Schema.isPattern(/^-?\d{1,15}$/, { expected: "a whole number" })).pipe(
  Schema.decodeTo(Schema.Int, Transformation.transform({ decode: Number, encode: String }))
)

/** Parameters that the interface does not define pass through under any name. */
export const AnyQuery = Schema.Record(Schema.String, Schema.String)

const rest = [AnyQuery] as const

/** Named parameters, and any others the caller sends. */
export const OpenQuery = <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.StructWithRest(Schema.Struct(fields), rest)

/**
 * How a list or an object is written into a query, if it is not one text.
 *
 * - `repeat`: `tag=a&tag=b`
 * - `spaces`: `tag=a%20b`
 * - `pipes`: `tag=a|b`
 * - `brackets`: `filter[color]=red&filter[size]=3`
 */
export type QueryStyle = "repeat" | "spaces" | "pipes" | "brackets"

/** By the name of the parameter. */
export type QueryStyles = Readonly<Record<string, QueryStyle>>

export type QueryPair = readonly [name: string, text: string]

const separators = { spaces: " ", pipes: "|" } as const

const textOf = (value: unknown): string =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : String(value)

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [value])

const isThere = (value: unknown): boolean => value !== undefined && value !== null

/** The pairs that write a value. What its style has no form for is written as JSON. */
export const pairsOf = (name: string, value: unknown, style: QueryStyle): ReadonlyArray<QueryPair> => {
  if (style === "brackets") {
    return Predicate.isObject(value)
      ? Object.entries(value).flatMap(([key, inner]: readonly [string, unknown]) =>
          Array.isArray(inner)
            ? pairsOf(`${name}[${key}]`, inner, "repeat")
            : isThere(inner)
              ? pairsOf(`${name}[${key}]`, inner, "brackets")
              : []
        )
      : [[name, textOf(value)]]
  }
  const texts = listOf(value).filter(isThere).map(textOf)
  if (style === "repeat") return texts.map((text) => [name, text])
  return texts.length === 0 ? [] : [[name, texts.join(separators[style])]]
}

/** The name before its brackets: `filter` of `filter[color]`. */
export const baseName = (name: string): string => {
  const at = name.indexOf("[")
  return at > 0 && name.endsWith("]") ? name.slice(0, at) : name
}

const deepest = 4

const keysIn = (name: string): ReadonlyArray<string> =>
  name
    .slice(name.indexOf("[") + 1, -1)
    .split("][")
    .slice(0, deepest)

interface Level {
  [key: string]: string | Array<string> | Level
}

const put = (level: Level, [key = "", ...rest]: ReadonlyArray<string>, text: string): void => {
  const known = Object.hasOwn(level, key) ? level[key] : undefined
  if (rest.length > 0) {
    const inner: Level = typeof known === "object" && !Array.isArray(known) ? known : {}
    if (inner !== known) Object.defineProperty(level, key, { value: inner, enumerable: true, writable: true })
    return put(inner, rest, text)
  }
  const value = known === undefined ? text : [...(Array.isArray(known) ? known : [textOf(known)]), text]
  Object.defineProperty(level, key, { value, enumerable: true, writable: true })
}

/** Reads the pairs of a query: those of a styled parameter become one text of JSON, whose values are texts. */
export const readStyled = (pairs: Iterable<QueryPair>, styles: QueryStyles): ReadonlyArray<QueryPair> => {
  const plain: Array<QueryPair> = []
  const lists = new Map<string, Array<string>>()
  const objects = new Map<string, Level>()
  const styleOf = (name: string) => (Object.hasOwn(styles, name) ? styles[name] : undefined)
  for (const [name, text] of pairs) {
    const style = styleOf(name)
    const base = baseName(name)
    if (style === "repeat" || style === "spaces" || style === "pipes") {
      const list = lists.get(name) ?? []
      lists.set(name, list)
      list.push(...(style === "repeat" ? [text] : text.split(separators[style])))
    } else if (base !== name && styleOf(base) === "brackets") {
      const object: Level = objects.get(base) ?? {}
      objects.set(base, object)
      put(object, keysIn(name), text)
    } else plain.push([name, text])
  }
  return [...plain, ...[...lists, ...objects].map(([name, value]): QueryPair => [name, JSON.stringify(value)])]
}

/** For a client: the parameters of a query that are one text each, and the pairs that write the others. */
export const splitStyled =
  (styles: QueryStyles) =>
  (query: unknown): { readonly rest: object; readonly pairs: ReadonlyArray<QueryPair> } => {
    const all = Object.entries(Predicate.isObject(query) ? query : {}) as ReadonlyArray<readonly [string, unknown]>
    return {
      rest: Object.fromEntries(all.filter(([name]) => !Object.hasOwn(styles, name))),
      pairs: all.flatMap(([name, value]) => {
        const style = Object.hasOwn(styles, name) ? styles[name] : undefined
        return style === undefined || !isThere(value) ? [] : pairsOf(name, value, style)
      })
    }
  }
