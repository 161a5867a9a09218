import * as Result from "effect/Result"
import { isScalar, parseDocument, visit } from "yaml"
import { type Fields, fieldsOf, textOf } from "./values.ts"

const deepest = 200
/** Aliases of YAML count as often as they are used. */
const maxValues = 5_000_000

/** Counts without recursion: what is parsed may be nested without end. */
const boundsProblem = (root: unknown): string | undefined => {
  const stack: Array<readonly [value: unknown, depth: number]> = [[root, 0]]
  let count = 0
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const [value, depth] = next
    if (typeof value !== "object" || value === null) continue
    if (depth > deepest) return `is nested deeper than ${deepest} levels`
    const values = Object.values(value)
    count += values.length
    if (count > maxValues) return `has more than ${maxValues} values`
    for (const inner of values) stack.push([inner, depth + 1])
  }
  return undefined
}

const parseJson = (text: string): Result.Result<unknown, string> =>
  Result.try({
    try: () => JSON.parse(text) as unknown,
    catch: (cause) =>
      `is not JSON: ${cause instanceof Error ? cause.message.replaceAll(/\s+/g, " ").slice(0, 200) : ""}`
  })

/** The parser itself compares each key of a map with all others. */
const checkKeys = (document: Parameters<typeof visit>[0]): void =>
  visit(document, {
    Map: (_, { items }) => {
      const seen = new Set<unknown>()
      for (const { key } of items) {
        const name = isScalar(key) ? key.value : key
        if (seen.has(name)) throw new Error(`the key ${JSON.stringify(name).slice(0, 100)} is there twice`)
        seen.add(name)
      }
    }
  })

const parseYaml = (text: string): Result.Result<unknown, string> =>
  Result.try({
    try: () => {
      const document = parseDocument(text, { logLevel: "silent", schema: "core", stringKeys: true, uniqueKeys: false })
      const [error] = document.errors
      if (error !== undefined) throw error
      checkKeys(document)
      return document.toJS({ maxAliasCount: 1_000 }) as unknown
    },
    catch: (cause) =>
      `is neither JSON nor YAML: ${cause instanceof Error ? (cause.message.split("\n")[0] ?? "").replace(/:$/, "").slice(0, 200) : ""}`
  })

/** Reads an OpenAPI document. The error follows the document's name. */
export const readDocument = (text: string): Result.Result<Fields, string> => {
  const whole = text.replace(/^\uFEFF/, "")
  if (whole.trim() === "") return Result.fail("is empty")
  return Result.flatMap(/^\s*[{[]/.test(whole) ? parseJson(whole) : parseYaml(whole), (value) => {
    const problem = boundsProblem(value)
    if (problem !== undefined) return Result.fail(problem)
    const fields = fieldsOf(value)
    const version = textOf(fields?.openapi)
    if (fields === undefined || version === undefined) {
      return Result.fail(
        fields !== undefined && "swagger" in fields
          ? "is Swagger 2; convert it to OpenAPI 3 first"
          : 'is not an OpenAPI document: it has no "openapi"'
      )
    }
    if (!/^3\.[0-2](?:\.|$)/.test(version)) {
      return Result.fail(`is OpenAPI ${version.slice(0, 20)}; expected 3.0, 3.1 or 3.2`)
    }
    return fieldsOf(fields.paths) === undefined ? Result.fail("has no paths") : Result.succeed(fields)
  })
}
