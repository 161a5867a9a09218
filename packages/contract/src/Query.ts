import * as Schema from "effect/Schema"
import * as Transformation from "effect/SchemaTransformation"

/** An integer in a query string. Only digits: `1e3`, ` 5` and the empty string are rejected. */
export const IntFromQuery = Schema.String.check(Schema.isPattern(/^-?\d{1,15}$/, { expected: "a whole number" })).pipe(
  Schema.decodeTo(Schema.Int, Transformation.transform({ decode: Number, encode: String }))
)

/** Parameters that the interface does not define pass through under any name. */
export const AnyQuery = Schema.Record(Schema.String, Schema.String)

const rest = [AnyQuery] as const

/** Named parameters, and any others the caller sends. */
export const OpenQuery = <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.StructWithRest(Schema.Struct(fields), rest)
