import { bounds } from "@tollgate/contract/jsonSchema/check/SchemaNode"
import { patternProblem } from "@tollgate/contract/jsonSchema/check/pattern"
import { valueKeywords } from "../../config/operations/schemas.ts"
import type { Path } from "../../config/text/Problem.ts"
import type { Findings } from "./Findings.ts"
import { uniqueIn } from "./names.ts"
import { inPlace, subschemasOf, withNull, type Fields, entriesOf, fieldsOf, listOf } from "./values.ts"
import { pointerOf, type References } from "./References.ts"
import { type SchemaFacts, schemaFacts } from "./SchemaFacts.ts"

/** Requests do not contain what is `readOnly`. */
export type Use = "request" | "answer"

/** The file may be nested 64 levels deep. */
const deepest = 50

const anything: Fields = {}

/** Names may have 100 characters. */
const maxName = 80

const isScalar = (value: unknown): boolean => value === null || typeof value !== "object"
const maxExamples = 3
const maxExampleLength = 200

interface Waiting {
  readonly name: string
  readonly reference: string
  readonly value: unknown
  readonly path: Path
  readonly use: Use
}

/** Where in the document, in which named schema, and how deep. */
interface Position {
  readonly path: Path
  readonly use: Use
  readonly depth: number
  /** The named schema around it, while only the same value is described. */
  readonly around: string | undefined
}

/** Writes schemas of an OpenAPI document as JSON Schema. What they refer to is written once, under a name. */
export const schemaWriter = (references: References, is30: boolean, findings: Findings) => {
  const facts: SchemaFacts = schemaFacts(references)
  const names = new Map<string, string>()
  const taken = new Set<string>()
  const waiting: Array<Waiting> = []
  const written = new Map<string, unknown>()

  const freeName = (path: Path, suffix: string): string => {
    const words = path.length === 3 && path[0] === "components" ? path.slice(2) : path.slice(-3)
    const base =
      words
        .map((word) => String(word).replaceAll(/[^A-Za-z0-9_.-]+/g, "_"))
        .join("_")
        .slice(0, maxName) + suffix
    return uniqueIn(taken, /^[A-Za-z0-9_]/.test(base) ? base : `_${base}`)
  }

  const reference = (to: string, at: Position): Fields => {
    const target = references.resolve({ $ref: to }, at.path)
    if ("problem" in target) {
      findings.part(at.path, `${target.problem}: any value passes here`)
      return anything
    }
    const pointer = pointerOf(target.path)
    if (at.around !== undefined && facts.isEndless(at.around, pointer)) {
      findings.part(at.path, "leads back to itself without end: left out")
      return anything
    }
    const differs = at.use === "request" && facts.differsInRequests(pointer)
    const key = `${differs ? "request" : "any"} ${pointer}`
    let name = names.get(key)
    if (name === undefined) {
      name = freeName(target.path, differs ? "_request" : "")
      names.set(key, name)
      waiting.push({ name, reference: pointer, ...target, use: differs ? "request" : "answer" })
    }
    return { $ref: `#/schemas/${name}` }
  }

  const plainKeyword = (key: string, value: unknown, at: Position): ReadonlyArray<readonly [string, unknown]> => {
    const path = [...at.path, key]
    if (is30 && (key === "exclusiveMinimum" || key === "exclusiveMaximum") && typeof value === "boolean") return []
    if (valueKeywords.get(key)?.is(value) !== true) {
      findings.part(path, "is not what JSON Schema allows here: left out")
      return []
    }
    if (key === "enum" && listOf(value).length > bounds.values) {
      findings.part(path, `has more than ${bounds.values} values: left out, the gateway does not check it`)
      return []
    }
    if (key === "pattern" && typeof value === "string") {
      const problem = patternProblem(value)
      if (problem !== undefined) {
        findings.part(path, `the pattern ${problem}: left out, the gateway does not check it`)
        return []
      }
    }
    return [[key, value]]
  }

  const inner = (at: Position, key: string, ...more: Path): Position => ({
    ...at,
    path: [...at.path, key, ...more],
    depth: at.depth + (more.length === 0 ? 1 : 2),
    around: inPlace.has(key) ? at.around : undefined
  })

  const properties = (key: string, value: unknown, at: Position): unknown =>
    Object.fromEntries(
      entriesOf(value).flatMap(([name, part]) => {
        const place = inner(at, key, name)
        const problem = key === "patternProperties" ? patternProblem(name) : undefined
        if (problem === undefined) return [[name, write(part, place)]]
        findings.part(place.path, `the pattern ${problem}: left out, the gateway does not check it`)
        return []
      })
    )

  const keyword = (key: string, value: unknown, at: Position): ReadonlyArray<readonly [string, unknown]> => {
    const kind = subschemasOf(key)
    if (kind === "one") {
      return [[key, typeof value === "boolean" ? value : write(value, inner(at, key))]]
    }
    if (kind === "list") {
      const list = listOf(value).map((part, i) => write(part, inner(at, key, i)))
      return list.length === 0 ? [] : [[key, list]]
    }
    if (kind === "named") return [[key, properties(key, value, at)]]
    if (valueKeywords.has(key)) return plainKeyword(key, value, at)
    return []
  }

  const examplesOf = (schema: Fields): ReadonlyArray<readonly [string, unknown]> => {
    const given = [...("example" in schema ? [schema.example] : []), ...listOf(schema.examples)]
    const short = given.filter((value) => isScalar(value) && String(value).length <= maxExampleLength)
    return short.length === 0 ? [] : [["examples", short.slice(0, maxExamples)]]
  }

  /** The bound that OpenAPI 3.0 marks as exclusive with `true`. */
  const exclusive = (schema: Fields, entries: ReadonlyArray<readonly [string, unknown]>) => {
    if (!is30) return entries
    return entries.map(([key, value]): readonly [string, unknown] => {
      if (key === "minimum" && schema.exclusiveMinimum === true) return ["exclusiveMinimum", value]
      return key === "maximum" && schema.exclusiveMaximum === true ? ["exclusiveMaximum", value] : [key, value]
    })
  }

  const withoutReadOnly = (schema: Fields, entries: ReadonlyArray<readonly [string, unknown]>) => {
    const own = fieldsOf(schema.properties) ?? {}
    const isLeftOut = (name: unknown) =>
      typeof name === "string" && Object.hasOwn(own, name) && facts.isReadOnly(own[name])
    return entries.flatMap(([key, value]): ReadonlyArray<readonly [string, unknown]> => {
      if (key !== "required") return [[key, value]]
      const rest = listOf(value).filter((name) => !isLeftOut(name))
      return rest.length === 0 ? [] : [[key, rest]]
    })
  }

  const write = (schema: unknown, at: Position): Fields => {
    if (typeof schema === "boolean") return schema ? anything : { not: {} }
    const fields = fieldsOf(schema)
    if (fields === undefined) {
      findings.part(at.path, "is not a schema: any value passes here")
      return anything
    }
    if (at.depth > deepest) {
      findings.part(at.path, `is nested deeper than ${deepest} levels: any value passes here`)
      return anything
    }
    if (typeof fields.$ref === "string") {
      const to = reference(fields.$ref, at)
      // Before 3.1 only the reference counts.
      const beside = is30 ? {} : writeFields(fields, at)
      return is30 && fields.nullable === true ? withNull(to) : { ...to, ...beside }
    }
    const entries = writeFields(fields, at)
    return is30 && fields.nullable === true ? withNull(entries) : entries
  }

  const writeFields = (fields: Fields, at: Position): Fields => {
    const entries = entriesOf(fields).flatMap(([key, value]) => keyword(key, value, at))
    const all = exclusive(fields, at.use === "request" ? withoutReadOnly(fields, entries) : entries)
    return Object.fromEntries([...all, ...examplesOf(fields)])
  }

  return {
    write: (schema: unknown, path: Path, use: Use): Fields => write(schema, { path, use, depth: 0, around: undefined }),
    named: (): Fields => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const { name, path, reference, use, value } = next
        written.set(name, write(value, { path, use, depth: 0, around: reference }))
      }
      return Object.fromEntries([...written].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    }
  }
}

export type SchemaWriter = ReturnType<typeof schemaWriter>
