import { shapeOf } from "../../config/operations/paths.ts"
import { uniqueIn } from "./names.ts"
import type { Imported } from "./imported.ts"
import { documentFields, hashOf, keyOfEntry, type OperationsFile, recordOf } from "./OperationsFile.ts"
import { pickSchemas, usedSchemas, field, type Fields, listOf, present, shown } from "./values.ts"

export interface Change {
  readonly kind: "added" | "changed" | "removed" | "kept" | "left out"
  /** The id of an operation, or the name of a schema. */
  readonly name: string
  readonly what: string
}

export interface Comparison {
  readonly operations: ReadonlyArray<Change>
  readonly schemas: ReadonlyArray<Change>
  readonly file: OperationsFile
}

const namesOf = (parameters: unknown): ReadonlyMap<string, string> =>
  new Map(listOf(parameters).map((entry) => [shown(field(entry, "name")), hashOf(entry)]))

/** `parameters (+page, -cursor, ~limit)`. */
const describe = (name: string, before: unknown, after: unknown): string => {
  if (name !== "parameters") return name
  const [old, next] = [namesOf(before), namesOf(after)]
  const changes = [
    ...[...next.keys()].filter((key) => !old.has(key)).map((key) => `+${key}`),
    ...[...old.keys()].filter((key) => !next.has(key)).map((key) => `-${key}`),
    ...[...next].filter(([key, hash]) => old.has(key) && old.get(key) !== hash).map(([key]) => `~${key}`)
  ]
  return `parameters (${changes.join(", ")})`
}

/** Whose value counts: the file's if it was changed by hand since the last import. */
const decide = (base: unknown, file: unknown, document: unknown): "same" | "document" | "kept" | "file" => {
  const [own, next] = [hashOf(file), hashOf(document)]
  const before = base ?? hashOf(undefined)
  if (own === next) return "same"
  if (own === before) return "document"
  return next === before ? "file" : "kept"
}

const merged = (entry: Fields, source: Fields, taken: ReadonlySet<string>): Fields =>
  present(
    Object.fromEntries(
      [...new Set([...Object.keys(entry), ...taken])].map((key) => [key, taken.has(key) ? source[key] : entry[key]])
    )
  )

const mergeEntry = (entry: Fields, source: Fields, base: unknown) => {
  const taken = new Set<string>()
  const changes: Array<Change> = []
  const name = shown(entry.id)
  for (const key of documentFields) {
    // An entry that was written by hand belongs to the operator.
    const decision = base === undefined ? "file" : decide(field(base, key), entry[key], source[key])
    if (decision === "document") {
      taken.add(key)
      changes.push({ kind: "changed", name, what: describe(key, entry[key], source[key]) })
    } else if (decision === "kept") {
      changes.push({ kind: "kept", name, what: `${key}: changed by hand, and in the document too` })
    }
  }
  return { entry: taken.size === 0 ? entry : merged(entry, source, taken), changes }
}

const compareSchemas = (file: OperationsFile, imported: Imported) => {
  const changes: Array<Change> = []
  const schemas = { ...file.schemas }
  for (const [name, schema] of Object.entries(imported.schemas)) {
    const own = Object.hasOwn(file.schemas, name) ? file.schemas[name] : undefined
    const decision = decide(field(file.record.schemas, name), own, schema)
    const kind = own === undefined ? "added" : decision === "document" ? "changed" : "kept"
    if (own !== undefined && (decision === "same" || decision === "file")) continue
    if (kind !== "kept") Object.defineProperty(schemas, name, { value: schema, enumerable: true, configurable: true })
    changes.push({ kind, name, what: kind === "kept" ? "changed by hand, and in the document too" : "" })
  }
  return { changes, schemas }
}

const routeOf = ({ method }: Fields, path: string): string => `${shown(method)} ${shapeOf(path)}`

/** The path of a new entry. A tool's follows from its name, so it gets a number if it is taken. */
const freePath = (entry: Fields, taken: ReadonlySet<string>): string | undefined => {
  const path = shown(entry.path)
  if (!taken.has(routeOf(entry, path))) return path
  if (field(entry.upstream, "tool") === undefined) return undefined
  let number = 2
  while (taken.has(routeOf(entry, `${path}_${number}`))) number++
  return `${path}_${number}`
}

/** Compares the file of an earlier import with the document, and keeps what was changed by hand. */
export const compare = (file: OperationsFile, imported: Imported, upstream: string): Comparison => {
  const { record: before } = file
  const now = recordOf(imported)
  const fresh = new Map(imported.operations.map((entry) => [keyOfEntry(entry, upstream) ?? "", entry]))
  const changes: Array<Change> = []
  const found = new Set<string>()
  const gone = new Set<string>()

  const kept = file.operations.flatMap((entry) => {
    const key = keyOfEntry(entry, upstream)
    if (key === undefined) return [entry]
    found.add(key)
    const source = fresh.get(key)
    if (source !== undefined) {
      const result = mergeEntry(entry, source, field(before.operations, key))
      changes.push(...result.changes)
      return [result.entry]
    }
    if (imported.keys.has(key) || !Object.hasOwn(before.operations, key)) return [entry]
    gone.add(key)
    changes.push({ kind: "removed", name: shown(entry.id), what: key })
    return []
  })

  const ids = new Set(kept.map(({ id }) => shown(id)))
  const routes = new Set(kept.map((entry) => routeOf(entry, shown(entry.path))))
  const added = [...fresh].flatMap(([key, entry]) => {
    if (found.has(key)) return []
    if (Object.hasOwn(before.operations, key)) {
      changes.push({ kind: "left out", name: shown(entry.id), what: `${key}: removed by hand` })
      return []
    }
    const id = uniqueIn(ids, shown(entry.id))
    const path = freePath(entry, routes)
    if (path === undefined) {
      changes.push({ kind: "left out", name: id, what: `${key}: another operation has its path` })
      return []
    }
    routes.add(routeOf(entry, path))
    changes.push({ kind: "added", name: id, what: key })
    return [{ ...entry, id, path }]
  })

  const operations = [...kept, ...added]
  const { changes: schemaChanges, schemas } = compareSchemas(file, imported)
  const used = usedSchemas(operations, schemas)
  const isKept = (name: string) =>
    used.has(name) || (Object.hasOwn(file.schemas, name) && !Object.hasOwn(before.schemas, name))
  const removed = Object.keys(file.schemas).filter((name) => !isKept(name))
  return {
    operations: changes,
    schemas: [
      ...schemaChanges.filter(({ name }) => isKept(name)),
      ...removed.map((name): Change => ({ kind: "removed", name, what: "" }))
    ],
    file: {
      schemas: pickSchemas(schemas, isKept),
      operations,
      // Entries that were written by hand are not in it, and those that were removed by hand stay in it.
      record: {
        operations: Object.fromEntries([
          ...Object.entries(now.operations).filter(([key]) => !found.has(key) || Object.hasOwn(before.operations, key)),
          ...Object.entries(before.operations).filter(([key]) => !gone.has(key) && !Object.hasOwn(now.operations, key))
        ]),
        schemas: pickSchemas({ ...before.schemas, ...now.schemas }, isKept)
      }
    }
  }
}
