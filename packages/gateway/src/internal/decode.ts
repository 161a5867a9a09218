import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { ParseOptions } from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"

const decoders = new WeakMap<Schema.Constraint, ReturnType<typeof makeDecoder>>()
const makeDecoder = (schema: Schema.Constraint) =>
  Schema.decodeUnknownResult(schema as Schema.ConstraintDecoder<unknown>)

const leafHook: (part: string) => SchemaIssue.LeafHook = (part) => (issue) =>
  issue._tag === "MissingKey" ? `Missing ${part}` : SchemaIssue.defaultLeafHook(issue)

const formatters = {
  field: SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: leafHook("field") }),
  parameter: SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: leafHook("parameter") })
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
    const path = (issue?.path ?? []).map((key) => String(typeof key === "object" ? key.key : key))
    const message = issue?.message ?? "The request does not match the operation's schema."
    const param = path.join(".")
    const words = worded(message, param, part)
    return param === "" ? refuse("invalid_request", words) : refuse("invalid_request", `${param}: ${words}`, { param })
  })
}
