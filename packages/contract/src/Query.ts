import * as Schema from "effect/Schema"
import * as Transformation from "effect/SchemaTransformation"

/** A whole number in a query string: digits only, so that `1e3`, ` 5` and the empty string are refused. */
export const IntFromQuery = Schema.String.check(Schema.isPattern(/^-?\d{1,15}$/, { expected: "a whole number" })).pipe(
  Schema.decodeTo(Schema.Int, Transformation.transform({ decode: Number, encode: String }))
)

/** Parameters that are not shown pass through under whatever name the caller gives them. */
export const AnyQuery = Schema.Record(Schema.String, Schema.String)

const rest = [AnyQuery] as const

/** Named parameters, and whatever else the caller sends. */
export const OpenQuery = <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.StructWithRest(Schema.Struct(fields), rest)
