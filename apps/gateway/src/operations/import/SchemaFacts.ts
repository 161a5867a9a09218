import type { Path } from "../../config/text/Problem.ts"
import { entriesOf, field, fieldsOf, inPlace, listOf, subschemasOf } from "./values.ts"
import { isAlias, pointerOf, type References } from "./References.ts"

/** Whether something holds for this node or one that it leads to. What is known of them is remembered. */
const reaches = (next: (node: string) => Iterable<string>, holds: (node: string) => boolean) => {
  const known = new Map<string, boolean>()
  return (start: string): boolean => {
    const seen = new Set([start])
    for (const node of seen) {
      if (known.get(node) ?? holds(node)) {
        known.set(start, true)
        return true
      }
      if (!known.has(node)) for (const other of next(node)) seen.add(other)
    }
    for (const node of seen) known.set(node, false)
    return false
  }
}

interface Facts {
  /** Every schema that it refers to. */
  readonly references: ReadonlySet<string>
  /** Those that apply to the same value. */
  readonly inPlace: ReadonlySet<string>
  /** It requires a property that only answers have. */
  readonly requiresReadOnly: boolean
}

const factsOf = (
  schema: unknown,
  isReadOnly: (property: unknown) => boolean,
  normal: (reference: string) => string
): Facts => {
  const references = new Set<string>()
  const same = new Set<string>()
  let requiresReadOnly = false
  const walk = (part: unknown, isSameValue: boolean): void => {
    const reference = field(part, "$ref")
    if (typeof reference === "string") {
      references.add(normal(reference))
      if (isSameValue) same.add(normal(reference))
    }
    const required = listOf(field(part, "required"))
    for (const [name, property] of entriesOf(field(part, "properties"))) {
      if (required.includes(name) && isReadOnly(property)) requiresReadOnly = true
    }
    for (const [key, value] of entriesOf(part)) {
      const isSame = isSameValue && inPlace.has(key)
      const kind = subschemasOf(key)
      if (kind === "one") walk(value, isSame)
      else if (kind === "list") for (const item of listOf(value)) walk(item, isSame)
      else if (kind === "named") for (const [, item] of entriesOf(value)) walk(item, false)
    }
  }
  walk(schema, true)
  return { references, inPlace: same, requiresReadOnly }
}

export const schemaFacts = ({ find, resolve }: References) => {
  const known = new Map<string, Facts>()

  const isReadOnly = (property: unknown): boolean => {
    if (field(property, "readOnly") === true) return true
    if (!isAlias(property)) return false
    const target = resolve(property, [])
    return !("problem" in target) && field(target.value, "readOnly") === true
  }

  /** One place can be written in several ways. */
  const normal = (reference: string): string => {
    const target = find(reference)
    return "problem" in target ? reference : pointerOf(target.path)
  }

  const of = (reference: string): Facts => {
    const before = known.get(reference)
    if (before !== undefined) return before
    const target = find(reference)
    const facts = factsOf("problem" in target ? {} : target.value, isReadOnly, normal)
    known.set(reference, facts)
    return facts
  }

  const differsInRequests = reaches(
    (reference) => of(reference).references,
    (reference) => of(reference).requiresReadOnly
  )

  return {
    /** As the body of a request it would demand what only answers have. */
    differsInRequests,
    /** The second leads back to the first, which leads to it, without going into the value. */
    isEndless: (from: string, to: string): boolean =>
      reaches(
        (reference) => of(reference).inPlace,
        (reference) => reference === from
      )(to),
    isReadOnly
  }
}

export type SchemaFacts = ReturnType<typeof schemaFacts>

/** Whether a parameter's value is one value, a list or an object. */
export const kindOf = (schema: unknown, { resolve }: References, path: Path): "one" | "list" | "object" => {
  const target = resolve(schema, path)
  const fields = fieldsOf("problem" in target ? {} : target.value) ?? {}
  const types = Array.isArray(fields.type) ? fields.type : [fields.type]
  if (types.includes("array")) return types.some((type) => type === "string") ? "one" : "list"
  if (types.includes("object") || (fields.type === undefined && fieldsOf(fields.properties) !== undefined))
    return "object"
  return "one"
}
