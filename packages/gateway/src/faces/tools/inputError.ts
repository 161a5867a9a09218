import * as SchemaIssue from "effect/SchemaIssue"
import { invalidAmount, toolError } from "./refusal.ts"
import type { ToolError } from "./shapes.ts"
import { similarName } from "../../internal/similarName.ts"

/** What the texts need of a JSON Schema. */
interface Node {
  readonly type?: unknown
  readonly properties?: Readonly<Record<string, Node>>
  readonly items?: Node
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly maxLength?: number
}

type Path = ReadonlyArray<string | number>

const missing = "Missing field"
const formatter = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => (issue._tag === "MissingKey" ? missing : "")
})

const longestName = 100

const written = (path: Path): string => path.map((key) => String(key).slice(0, longestName)).join(".")

const propertyOf = ({ properties }: Node, key: string): Node | undefined =>
  properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined

/** The schema at a path. `undefined`: there is no such field. */
const schemaAt = (schema: Node, path: Path): Node | undefined => {
  let node: Node | undefined = schema
  for (const key of path) node = typeof key === "number" ? node?.items : node && propertyOf(node, key)
  return node
}

const isNullAt = (input: unknown, path: Path): boolean => {
  let value: unknown = input
  for (const key of path) {
    if (typeof value !== "object" || value === null) return false
    value = (value as Readonly<Record<string | number, unknown>>)[key]
  }
  return value === null
}

const invalid = (message: string, what_to_do: string, param: string): ToolError =>
  toolError("invalid_arguments", message, what_to_do, ...(param === "" ? [] : [param]))

const correct = "Correct the input of the tool; tools/list has its schema."

const expected = ({ maxItems, maxLength, maximum, minItems = 0, minimum, type }: Node): string => {
  switch (type) {
    case "object":
      return 'must be a JSON object, such as {"name": "value"}, and not a text.'
    case "array":
      return `must be a JSON array${maxItems === undefined ? "" : ` of ${minItems} to ${maxItems} items`}, and not a text.`
    case "integer":
      return `must be a whole number from ${minimum} to ${maximum}, and not in quotes.`
    case "boolean":
      return "must be true or false, and not in quotes."
    default:
      return `must be a ${String(type)}${maxLength === undefined ? "" : ` of up to ${maxLength} characters`}.`
  }
}

const unknownField = (path: Path, parent: Node): ToolError => {
  const name = written(path)
  const known = Object.keys(parent.properties ?? {})
  const meant = similarName(String(path.at(-1)), known)
  const takesCall = known.includes("arguments")
  const fields = known.length === 0 ? "this tool takes none." : `the fields are ${known.join(", ")}.`
  return invalid(
    `There is no field ${name}; ${meant === undefined ? fields : `did you mean ${meant}?`}`,
    takesCall && meant === undefined ? "The operation's own input goes into arguments." : correct,
    name
  )
}

/** What is wrong with a tool's input, as a model can correct it. Never quotes a value. */
export const inputError = (schema: Node, input: unknown, issue: SchemaIssue.Issue): ToolError => {
  const first = formatter(issue).issues[0]
  const path = (first?.path ?? []).map((part) => {
    const key = typeof part === "object" ? part.key : part
    return typeof key === "number" ? key : String(key)
  })
  const param = written(path)
  if (path.length === 0) return invalid("The input of the tool must be a JSON object.", correct, param)
  if (first?.message === missing) return invalid(`${param}: ${missing}`, correct, param)
  const node = schemaAt(schema, path)
  if (node === undefined) return unknownField(path, schemaAt(schema, path.slice(0, -1)) ?? {})
  if (isNullAt(input, path)) {
    return invalid(`${param}: must not be null.`, `Leave out ${param} if it has no value.`, param)
  }
  return node.type === "number" ? invalidAmount(param) : invalid(`${param}: ${expected(node)}`, correct, param)
}
