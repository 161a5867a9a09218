import * as Schema from "effect/Schema"

const rest = [Schema.Record(Schema.String, Schema.Unknown)] as const

/** A struct that keeps the fields it does not name: what the interface does not show passes through. */
export const Open = <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.StructWithRest(Schema.Struct(fields), rest)

/** A field of third-party data: a paid answer is not lost because one is missing or null. */
export const Maybe = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** Fields of the same type, each of which may be missing or null. */
export const maybeAll = <const K extends string, S extends Schema.Constraint>(names: ReadonlyArray<K>, schema: S) =>
  Object.fromEntries(names.map((name) => [name, Maybe(schema)])) as Record<K, ReturnType<typeof Maybe<S>>>
