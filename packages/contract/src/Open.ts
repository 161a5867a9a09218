import * as Schema from "effect/Schema"

const rest = [Schema.Record(Schema.String, Schema.Unknown)] as const

/** A struct that keeps unknown fields, so that fields the interface does not define pass through. */
export const Open = <const Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.StructWithRest(Schema.Struct(fields), rest)

/** A field of third-party data: it may be missing or null, so that a paid answer is never rejected over it. */
export const Maybe = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** Several `Maybe` fields of the same type. */
export const maybeAll = <const K extends string, S extends Schema.Constraint>(names: ReadonlyArray<K>, schema: S) =>
  Object.fromEntries(names.map((name) => [name, Maybe(schema)])) as Record<K, ReturnType<typeof Maybe<S>>>

/** A body in the format of a protocol: typed for programs, and not checked, as the interface does not define it. */
export const Typed = <T extends object>() => Open({}) as Schema.ConstraintCodec<T, object>

/** Like `Typed`, but refused if `problem` finds something. */
export const Checked = <T extends object>(problem: (body: Readonly<Record<string, unknown>>) => Schema.FilterOutput) =>
  Open({}).check(Schema.makeFilter(problem)) as Schema.ConstraintCodec<T, object>
