import { resolved } from "@tollgate/client/discovered/inDocument"
import { comment, isJson, type Json, list, object, text } from "./text.ts"
import type { TypeNames } from "./names.ts"
import { isIntersection, TypeWriter } from "./TypeWriter.ts"

const prefix = "#/components/schemas/"

const partsOf = (schema: Json): ReadonlyArray<unknown> => [
  ...list(schema["anyOf"]),
  ...list(schema["oneOf"]),
  ...list(schema["allOf"])
]

/** References that stand in the type itself, not in a field of it, nor in a list that is not intersected. */
const directReferences = (schema: unknown, intersected = false, depth = 0): ReadonlyArray<string> => {
  if (!isJson(schema) || depth > 32) return []
  const own = text(schema["$ref"])
  const within = intersected || isIntersection(schema)
  const items = within ? [schema["items"], ...list(schema["prefixItems"])] : []
  return [
    ...(own === undefined ? [] : [own]),
    ...[...partsOf(schema), ...items].flatMap((part) => directReferences(part, within, depth + 1))
  ]
}

const references = (value: unknown, found = new Set<string>(), depth = 0): Set<string> => {
  if (depth > 64) return found
  if (Array.isArray(value)) for (const item of value) references(item, found, depth + 1)
  else if (isJson(value)) {
    for (const [key, item] of Object.entries(value)) {
      if (key === "$ref" && typeof item === "string") found.add(item)
      else references(item, found, depth + 1)
    }
  }
  return found
}

/** The shared schemas of a document, as named types. */
export class Components {
  readonly writer: TypeWriter
  readonly #document: unknown
  readonly #names = new Map<string, string>()
  readonly #schemas: Json

  constructor(document: unknown, names: TypeNames, used: ReadonlyArray<unknown>) {
    this.#document = document
    this.#schemas = object(object(object(document)["components"])["schemas"])
    for (const reference of [...this.reachable(used)].toSorted()) {
      this.#names.set(reference, names.take(reference.slice(prefix.length)))
    }
    this.writer = new TypeWriter(
      (reference) => this.#names.get(reference),
      (reference, alias) => this.#reach([reference], (schema) => directReferences(schema)).has(alias)
    )
  }

  resolve = (schema: unknown): Json => resolved(this.#document, schema)

  reachable(schemas: ReadonlyArray<unknown>): ReadonlySet<string> {
    return this.#reach(references(schemas), (schema) => references(schema))
  }

  #reach(start: Iterable<string>, next: (schema: unknown) => Iterable<string>): ReadonlySet<string> {
    const found = new Set<string>()
    const add = (references: Iterable<string>) => {
      for (const reference of references) {
        if (reference.startsWith(prefix) && Object.hasOwn(this.#schemas, reference.slice(prefix.length))) {
          found.add(reference)
        }
      }
    }
    add(start)
    for (const reference of found) add(next(this.#schemas[reference.slice(prefix.length)]))
    return found
  }

  /** The declarations of all of them. Those that callers send are not open, so that a misspelt field is an error. */
  declarations(sent: ReadonlyArray<unknown>): ReadonlyArray<string> {
    const closed = this.reachable(sent)
    return [...this.#names].map(([reference, name]) => {
      const schema = this.#schemas[reference.slice(prefix.length)]
      const about = comment([text(object(schema)["description"])])
      return about + this.writer.declaration(name, schema, { open: !closed.has(reference), alias: reference })
    })
  }
}
