import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"

const none: ReadonlyArray<string> = []
const declaredNames = new WeakMap<Schema.Constraint, ReadonlyArray<string>>()

/** The names of the parameters that the operation takes from headers, in lower case. */
export const headerParameters = (schema: Schema.Constraint | undefined): ReadonlyArray<string> => {
  if (schema === undefined) return none
  const known = declaredNames.get(schema)
  if (known !== undefined) return known
  const encoded = SchemaAST.toEncoded(schema.ast)
  const names =
    encoded._tag === "Objects" ? encoded.propertySignatures.map(({ name }) => String(name).toLowerCase()) : none
  declaredNames.set(schema, names)
  return names
}

const decoders = new WeakMap<Schema.Constraint, ReturnType<typeof makeDecoder>>()
const makeDecoder = (schema: Schema.Constraint) =>
  Schema.decodeUnknownResult(schema as Schema.ConstraintDecoder<unknown>)

const leafHook: (part: string) => SchemaIssue.LeafHook = (part) => (issue) => {
  if (issue._tag === "MissingKey") return `Missing ${part}`
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
  return param === "" && part === "field" && message.startsWith("Expected object")
    ? "The body must be a JSON object."
    : message
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
  let decoder = decoders.get(schema)
  if (decoder === undefined) decoders.set(schema, (decoder = makeDecoder(schema)))
  return Result.mapError(decoder(value, options), (error) => {
    const issue = formatters[part](error.issue).issues[0]
    const path = (issue?.path ?? []).map((key) => String(typeof key === "object" ? key.key : key))
    const message = issue?.message ?? "The request does not match the operation's schema."
    const param = path.join(".").slice(0, longestPath)
    const words = worded(message, param, part)
    return param === "" ? refuse("invalid_request", words) : refuse("invalid_request", `${param}: ${words}`, { param })
  })
}

const passes = ({ type }: SchemaAST.IndexSignature): boolean => SchemaAST.isUnknown(type)

/** The declared fields of an object whose other fields all pass. `undefined`: the whole value is checked. */
const declaredBy = ({ ast }: Schema.Constraint): Schema.Constraint | undefined =>
  ast._tag === "Objects" &&
  ast.checks === undefined &&
  ast.encoding === undefined &&
  ast.indexSignatures.length > 0 &&
  ast.indexSignatures.every(passes)
    ? Schema.make<Schema.Constraint>(new SchemaAST.Objects(ast.propertySignatures, []))
    : undefined

const declared = new WeakMap<Schema.Constraint, Schema.Constraint | undefined>()

/** Checks a body like `decode`, which would copy all its fields. No body's schema changes a value. */
export const check = (schema: Schema.Constraint, value: unknown): Result.Result<unknown, Refused> => {
  if (!declared.has(schema)) declared.set(schema, declaredBy(schema))
  const fields = declared.get(schema)
  if (fields === undefined || !Predicate.isObject(value)) return decode(schema, value)
  const decoded = decode(fields, value)
  return Result.isFailure(decoded) ? decoded : Result.succeed(value)
}
