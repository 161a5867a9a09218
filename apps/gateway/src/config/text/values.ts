import { type BigMicroUsd, micro, type NanoUsd, usd } from "@tollgate/contract/Money"
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import * as Getter from "effect/SchemaGetter"

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

const isBigInt = (u: unknown): u is bigint => typeof u === "bigint"
const isNano = (u: unknown): u is NanoUsd => isBigInt(u)
const isMicro = (u: unknown): u is BigMicroUsd => isBigInt(u)

/** A string, because a JSON number could lose digits. */
export const Usd = text(
  /^\d{1,7}(?:\.\d{1,9})?$/u,
  'an amount of USD in quotes, with at most nine decimals, such as "0.05"'
).pipe(Schema.decodeTo(Schema.declare(isNano), { decode: Getter.transform(usd), encode: Getter.forbiddenEncoding }))

/** Account entries are in whole micro-USD. */
export const Credit = text(
  /^\d{1,7}(?:\.\d{1,6})?$/u,
  'an amount of USD in quotes, with at most six decimals, such as "5"'
).pipe(
  Schema.decodeTo(Schema.declare(isMicro), {
    decode: Getter.transform((amount: string) => micro(usd(amount) / 1000n)),
    encode: Getter.forbiddenEncoding
  })
)

export const Time = text(
  /^[1-9]\d{0,5} (?:millis|seconds?|minutes?|hours?)$/u,
  'a time in quotes, such as "60 seconds" or "500 millis"'
).pipe(
  Schema.decodeTo(Schema.declare(Duration.isDuration), {
    decode: Getter.transform((time: string) => Duration.fromInputUnsafe(time as Duration.Input)),
    encode: Getter.forbiddenEncoding
  })
)

export const WebPath = text(/^\/[^\s?#]*$/u, "a path that starts with / and has no space, ? or #")

/** A model's name, or a prefix followed by a star. */
export const ModelName = text(/^(?:[^\s*]+\*?|\*)$/u, "a model's name, or a prefix followed by *")

export const ExactModelName = text(/^[^\s*]+$/u, "the name of one model, without *")
