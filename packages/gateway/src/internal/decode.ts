import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { ParseOptions } from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import { refuse, type Refused } from "../Refused.ts"

const decoders = new WeakMap<Schema.Constraint, ReturnType<typeof makeDecoder>>()
const makeDecoder = (schema: Schema.Constraint) =>
  Schema.decodeUnknownResult(schema as Schema.ConstraintDecoder<unknown>)

const leafHook: (part: string) => SchemaIssue.LeafHook = (part) => (issue) =>
  issue._tag === "MissingKey" ? `Missing ${part}` : SchemaIssue.defaultLeafHook(issue)

const formatters = {
  field: SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: leafHook("field") }),
  parameter: SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: leafHook("parameter") })
}

/** An array that must not be empty lacks its first item. */
const emptyArray = (path: ReadonlyArray<string | number>, message: string): string | undefined => {
  const name = path.at(-2)
  return path.at(-1) === 0 && typeof name === "string" && message === "Missing field"
    ? `must hold at least one ${name.replace(/s$/, "")}`
    : undefined
}

const tooShort = "Expected a value with a length of at least 1"

/** The schema's words, or ours where those say too little. */
const worded = (message: string, param: string, part: string): string => {
  if (message.startsWith(tooShort)) return "must not be empty"
  return param === "" && part === "field" && message.startsWith("Expected object")
    ? "The body must be a JSON object."
    : message
}

/** The error names the field or parameter and what was expected, never the value, which may be a secret. */
export const decode = <S extends Schema.Constraint>(
  schema: S,
  value: unknown,
  options?: ParseOptions,
  part: "field" | "parameter" = "field"
): Result.Result<S["Type"], Refused> => {
  let decoder = decoders.get(schema)
  if (decoder === undefined) decoders.set(schema, (decoder = makeDecoder(schema)))
  return Result.mapError(decoder(value, options), (error) => {
    const issue = formatters[part](error.issue).issues[0]
    const keys = (issue?.path ?? []).map((key) => (typeof key === "object" ? key.key : key))
    const path = keys.map((key) => (typeof key === "number" ? key : String(key)))
    const message = issue?.message ?? "The request does not match the operation's schema."
    const empty = emptyArray(path, message)
    const param = (empty === undefined ? path : path.slice(0, -1)).join(".")
    return param === ""
      ? refuse("invalid_request", worded(message, param, part))
      : refuse("invalid_request", `${param}: ${empty ?? worded(message, param, part)}`, { param })
  })
}
