import * as Result from "effect/Result"
import { hash } from "node:crypto"
import { parse } from "../../config/text/jsonc.ts"
import { type Imported, keyOf, keyOfTool } from "./imported.ts"
import { field, type Fields, fieldsOf, listOf, shown, textOf } from "./values.ts"

/** The fields of an entry that come from the document. The others belong to the operator once they are written. */
export const documentFields = ["summary", "description", "parameters", "body", "answer"] as const

/** What the document said when it was last imported, as short hashes: shows what was changed by hand since then. */
export interface Record {
  /** For each operation, the hashes of its fields. */
  readonly operations: Fields
  readonly schemas: Fields
}

export interface OperationsFile {
  readonly schemas: Fields
  readonly operations: ReadonlyArray<Fields>
  readonly record: Record
}

/** For `JSON.stringify`. */
export const withSortedKeys = (_: string, value: unknown): unknown => {
  const fields = fieldsOf(value)
  return fields === undefined
    ? value
    : Object.fromEntries(Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

const hashLength = 12

/** The same for values that differ only in the order of their keys. */
export const hashOf = (value: unknown): string =>
  hash("sha256", JSON.stringify(value, withSortedKeys) ?? "undefined").slice(0, hashLength)

export const keyOfEntry = (entry: Fields, upstream: string): string | undefined => {
  if (field(entry.upstream, "name") !== upstream) return undefined
  const [path, tool] = [textOf(field(entry.upstream, "path")), textOf(field(entry.upstream, "tool"))]
  if (tool !== undefined) return keyOfTool(tool)
  return path === undefined ? undefined : keyOf(shown(entry.method), path)
}

/** The upstream that the file was imported for, if that is another one. */
const otherUpstream = ({ operations, record }: OperationsFile, upstream: string): string | undefined => {
  const imported = operations.flatMap((entry) => {
    const name = textOf(field(entry.upstream, "name"))
    const key = name === undefined ? undefined : keyOfEntry(entry, name)
    return name !== undefined && key !== undefined && Object.hasOwn(record.operations, key) ? [name] : []
  })
  return imported.includes(upstream) ? undefined : imported[0]
}

const recordIn = (value: unknown): Record => ({
  operations: fieldsOf(field(value, "operations")) ?? {},
  schemas: fieldsOf(field(value, "schemas")) ?? {}
})

const hashesOf = (fields: Fields, names: ReadonlyArray<string>): Fields =>
  Object.fromEntries(names.flatMap((name) => (fields[name] === undefined ? [] : [[name, hashOf(fields[name])]])))

export const recordOf = ({ operations, schemas }: Pick<Imported, "operations" | "schemas">): Record => ({
  operations: Object.fromEntries(
    operations.map((entry) => [
      keyOfEntry(entry, shown(field(entry.upstream, "name"))) ?? "",
      hashesOf(entry, documentFields)
    ])
  ),
  schemas: hashesOf(schemas, Object.keys(schemas))
})

/** Reads a file of operations. The error follows its name. */
export const parseFile = (text: string): Result.Result<OperationsFile, string> =>
  Result.mapError(parse(text), ({ at, message }) => `:${at.line}:${at.column}: ${message}`).pipe(
    Result.flatMap(({ value }) => {
      const operations = listOf(field(value, "operations")).map(fieldsOf)
      if (!Array.isArray(field(value, "operations")) || operations.includes(undefined)) {
        return Result.fail(' is not a file of operations: expected { "schemas": {…}, "operations": […] }')
      }
      return Result.succeed({
        schemas: fieldsOf(field(value, "schemas")) ?? {},
        operations: operations.filter((entry) => entry !== undefined),
        record: recordIn(field(value, "imported"))
      })
    })
  )

/** The file of an earlier import for this upstream. The error is a sentence; `advice` says what to do if it has another one. */
export const parseOld = (
  name: string,
  text: string,
  upstream: string,
  advice: string
): Result.Result<OperationsFile, string> =>
  Result.mapError(parseFile(text), (problem) => `${name}${problem}`).pipe(
    Result.flatMap((file) => {
      const other = otherUpstream(file, upstream)
      return other === undefined
        ? Result.succeed(file)
        : Result.fail(`${name} has the operations of the upstream ${JSON.stringify(other)}. ${advice}`)
    })
  )

export const formatFile = ({ operations, record, schemas }: OperationsFile): string => {
  const imported: unknown = JSON.parse(JSON.stringify(record, withSortedKeys))
  return `${JSON.stringify({ schemas, operations, imported }, undefined, 2)}\n`
}
