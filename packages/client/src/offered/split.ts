import type { Parts } from "@tollgate/contract/Operation"
import { object } from "../events/Event.ts"
import type { Description } from "./Description.ts"

/** The names in braces. */
export const pathNames = (path: string): ReadonlyArray<string> =>
  [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = ""]) => name)

const isScalar = (value: unknown): boolean => typeof value !== "object" || value === null

/** A value of an address or a header. A list is written with commas, or as JSON if it would not be read as it was. */
const textOf = (value: unknown): string => {
  if (isScalar(value)) return String(value)
  const texts = Array.isArray(value) && value.every(isScalar) ? value.map(String) : []
  const isPlain = texts.length > 0 && texts.every((text) => !text.includes(",") && !text.startsWith("["))
  return isPlain ? texts.join(",") : JSON.stringify(value)
}

type Part = "path" | "query" | "header" | "body"

/** Parts in the order in which they claim a name. */
const order: ReadonlyArray<Part> = ["path", "query", "header", "body"]

/**
 * Splits an object of arguments into the parts of a request. A name that several parts have means the first of path, query,
 * header and body; the others are written `query.name`, `header.name` and `body.name`.
 */
export const splitter = ({ body, header = [], path, query = [] }: Description): ((input: unknown) => Parts) => {
  const names: Record<Exclude<Part, "body">, ReadonlySet<string>> = {
    path: new Set(pathNames(path)),
    query: new Set(query),
    header: new Set(header)
  }
  const others: Part = body === "fields" ? "body" : "query"
  const has = (part: Part, name: string): boolean =>
    part === "body"
      ? body === "fields" && (names.path.has(name) || names.query.has(name) || names.header.has(name))
      : names[part].has(name)
  const placeOf = (argument: string): readonly [Part, string] => {
    for (const part of order) if (part !== "body" && names[part].has(argument)) return [part, argument]
    for (const part of order) {
      const name = argument.slice(part.length + 1)
      if (argument.startsWith(`${part}.`) && has(part, name)) return [part, name]
    }
    return [others, argument]
  }
  return (input) => {
    const parts: Record<Part, Array<readonly [string, unknown]>> = { path: [], query: [], header: [], body: [] }
    for (const [argument, value] of Object.entries(object(input))) {
      if (body === "value" && argument === "body") continue
      const [part, name] = placeOf(argument)
      if (part === "body") parts.body.push([name, value])
      else if (value !== undefined && value !== null) parts[part].push([name, textOf(value)])
    }
    // A parameter that is missing must not stay in the path.
    const inPath = [...[...names.path].map((name) => [name, undefined] as const), ...parts.path]
    return {
      path: Object.fromEntries(inPath),
      query: Object.fromEntries(parts.query),
      header: Object.fromEntries(parts.header),
      body: body === "value" ? object(input)["body"] : Object.fromEntries(parts.body)
    }
  }
}
