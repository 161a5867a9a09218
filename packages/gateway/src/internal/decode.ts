import { invalid, refuse, type Refused } from "@tollgate/contract/errors/Refused"
import { oncePer } from "@tollgate/contract/oncePer"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"

const none: ReadonlyArray<string> = []

const namesIn = oncePer((schema: Schema.Constraint): ReadonlyArray<string> => {
  const encoded = SchemaAST.toEncoded(schema.ast)
  return encoded._tag === "Objects" ? encoded.propertySignatures.map(({ name }) => String(name).toLowerCase()) : none
})

/** The names of the parameters that the operation takes from headers, in lower case. */
export const headerParameters = (schema: Schema.Constraint | undefined): ReadonlyArray<string> =>
  schema === undefined ? none : namesIn(schema)

const decoderOf = oncePer((schema: Schema.Constraint) =>
  Schema.decodeUnknownResult(schema as Schema.ConstraintDecoder<unknown>)
)

const leafHook: (part: string) => SchemaIssue.LeafHook = (part) => (issue) => {
  if (issue._tag === "MissingKey") return "is required"
  return issue._tag === "UnexpectedKey" ? `Unknown ${part}` : SchemaIssue.defaultLeafHook(issue)
}

const formatters = {
  field: SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: leafHook("field") }),
  parameter: SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: leafHook("parameter") })
}

const tooShort = "Expected a value with a length of at least 1"

/** The schema's words, or ours where those say too little. */
const worded = (message: string, param: string, part: string): string => {
  if (message.startsWith(tooShort)) return "must not be empty"
  if (param === "")
    return part === "field" && message.startsWith("Expected object") ? "The body must be a JSON object." : message
  return message.replace(/^Expected (?=(array|object)?(string|number|boolean)?)/, (_, an?: string, a?: string) =>
    an !== undefined ? "must be an " : a !== undefined ? "must be a " : "must be "
  )
}

/** A longer path to a field is cut: a caller may have made it up. */
const longestPath = 256

/** The error names the field or parameter and what was expected, never the value, which may be a secret. */
export const decode = <S extends Schema.Constraint>(
  schema: S,
  value: unknown,
  options?: SchemaAST.ParseOptions,
  part: "field" | "parameter" = "field"
): Result.Result<S["Type"], Refused> => {
  return Result.mapError(decoderOf(schema)(value, options), (error) => {
    const issue = formatters[part](error.issue).issues[0]
    const path = (issue?.path ?? []).map((key) => String(typeof key === "object" ? key.key : key))
    const message = issue?.message ?? "The request does not match the operation's schema."
    const param = path.join(".").slice(0, longestPath)
    const words = worded(message, param, part)
    return param === "" ? refuse("invalid_request", words) : invalid(param, words)
  })
}

const passes = ({ type }: SchemaAST.IndexSignature): boolean => SchemaAST.isUnknown(type)

/** The declared fields of an object whose other fields all pass. `undefined`: the whole value is checked. */
const declaredBy = oncePer(({ ast }: Schema.Constraint) =>
  ast._tag === "Objects" &&
  ast.checks === undefined &&
  ast.encoding === undefined &&
  ast.indexSignatures.length > 0 &&
  ast.indexSignatures.every(passes)
    ? Schema.make<Schema.Constraint>(new SchemaAST.Objects(ast.propertySignatures, []))
    : undefined
)

/** Checks a body like `decode`, which would copy all its fields. No body's schema changes a value. */
export const check = (schema: Schema.Constraint, value: unknown): Result.Result<unknown, Refused> => {
  const fields = declaredBy(schema)
  if (fields === undefined || !Predicate.isObject(value)) return decode(schema, value)
  const decoded = decode(fields, value)
  return Result.isFailure(decoded) ? decoded : Result.succeed(value)
}
