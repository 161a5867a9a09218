import * as Schema from "effect/Schema"

export const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

export const NonEmpty = <S extends Schema.Constraint>(item: S) => Schema.Array(item).check(Schema.isMinLength(1))

export const upTo = (most: number) => Count.check(Schema.isLessThanOrEqualTo(most))

/** Stop sequences. An empty one would end every answer at its start. */
export const Sequences = Schema.Array(Schema.NonEmptyString).check(Schema.isMaxLength(16))
