import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Getter from "effect/SchemaGetter"
import { formatUsd, type NanoUsd, usd } from "../Money.ts"
import { type Amount, type FieldPath, formatShare, type Multiplier, one, parseMultiplier } from "./Amount.ts"

// How prices are written in a configuration file.

/** A string that matches the expression. It needs the flag `u` to be valid in a JSON Schema. */
export const text = (expression: RegExp, expected: string) =>
  Schema.String.annotate({ expected }).check(Schema.isPattern(expression, { expected }))

export const wholeNumber = (maximum: number) => {
  const expected = `a whole number from 1 to ${maximum}`
  return Schema.Number.annotate({ expected }).check(
    Schema.isInt({ expected }).abort(),
    Schema.isBetween({ minimum: 1, maximum }, { expected })
  )
}

const isNano = (u: unknown): u is NanoUsd => typeof u === "bigint"
const amountExpected = 'an amount of USD in quotes, with at most nine decimals, such as "0.05"'

/** A string, because a JSON number could lose digits. */
export const Usd = text(/^\d{1,7}(?:\.\d{1,9})?$/u, amountExpected).pipe(
  Schema.decodeTo(Schema.declare(isNano), { decode: Getter.transform(usd), encode: Getter.transform(formatUsd) })
)

const isFactor = (u: unknown): u is Multiplier => typeof u === "bigint"

/** Exact: a JSON number could lose digits here too. */
export const Factor = text(/^\d{1,6}(?:\.\d{1,6})?$/u, 'a factor in quotes, such as "0.5"').pipe(
  Schema.decodeTo(Schema.declare(isFactor), {
    decode: Getter.transform((factor: string) => Option.getOrElse(parseMultiplier(factor), () => one)),
    encode: Getter.transform(formatShare)
  })
)

/** In quotes, or as a number whose digits JSON keeps. */
export const UsdOrNumber = Schema.Union([Schema.String, Schema.Number])
  .annotate({ expected: amountExpected })
  .pipe(Schema.decodeTo(Usd, { decode: Getter.transform(String), encode: Getter.forbiddenEncoding }))

/** A model's name, or a prefix followed by a star. */
export const ModelName = text(/^(?:[^\s*]+\*?|\*)$/u, "a model's name, or a prefix followed by *")

/** A field, with the names of the objects around it: `parameters.resolution`. */
export const Field = (expected: string) => text(/^[^\s.]+(?:\.[^\s.]+){0,3}$/u, expected)

export const pathOf = (field: string): FieldPath => field.split(".")

export const Path = Schema.Array(Schema.String)

/** A field that is read as its path. */
export const asPath = (field: ReturnType<typeof Field>) =>
  field.pipe(
    Schema.decodeTo(Path, {
      decode: Getter.transform(pathOf),
      encode: Getter.transform((path) => path.join("."))
    })
  )

/** The largest count that an estimate may assume. */
export const Most = wholeNumber(1_000_000)

/** A contract may be named, but need not be. */
export const named = <const C extends string>(name: C) => ({ contract: Schema.optionalKey(Schema.Literal(name)) })

/** Decodes what is written into the terms of a price. */
export const terms = <P extends { readonly contract: string }, T, E>(
  schema: Schema.Codec<T, E>,
  of: (written: T) => P
): Schema.Codec<P, E> => {
  const isTerms = (u: unknown): u is P => typeof u === "object" && u !== null && "contract" in u
  return schema.pipe(
    Schema.decodeTo(Schema.declare(isTerms), { decode: Getter.transform(of), encode: Getter.forbiddenEncoding })
  )
}

/** `undefined`: no amount is set. */
export const usdText = (amount: Amount): string | undefined => (amount === "pending" ? undefined : formatUsd(amount))

/** What is written of a price. `null`: an amount of it is not set. */
export const ifPriced = (fields: Readonly<Record<string, unknown>>) =>
  Object.values(fields).includes(undefined) ? null : fields
