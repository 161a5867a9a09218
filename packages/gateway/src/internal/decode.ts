import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { ParseOptions } from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import { refuse, type Refused } from "../Refused.ts"

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

const decoders = new WeakMap<Schema.Constraint, ReturnType<typeof makeDecoder>>()
const makeDecoder = (schema: Schema.Constraint) =>
  Schema.decodeUnknownResult(schema as Schema.ConstraintDecoder<unknown>)

/** The error names the field and what was expected, never the value, which may be a secret. */
export const decode = <S extends Schema.Constraint>(
  schema: S,
  value: unknown,
  options?: ParseOptions
): Result.Result<S["Type"], Refused> => {
  let decoder = decoders.get(schema)
  if (decoder === undefined) decoders.set(schema, (decoder = makeDecoder(schema)))
  return Result.mapError(decoder(value, options), (error) => {
    const issue = formatIssues(error.issue).issues[0]
    const param = (issue?.path ?? []).map((key) => String(typeof key === "object" ? key.key : key)).join(".")
    const message = issue?.message ?? "The request does not match the operation's schema."
    return param === ""
      ? refuse("invalid_request", message)
      : refuse("invalid_request", `${param}: ${message}`, { param })
  })
}
