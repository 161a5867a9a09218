import { type MicroUsd, micro, type NanoUsd, usd } from "@tollgate/contract/Money"
import * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import * as Getter from "effect/SchemaGetter"

/** Text of one form. The expression has the flag `u`, without which a JSON Schema cannot hold it. */
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
const isMicro = (u: unknown): u is MicroUsd => isBigInt(u)

/** A number in the file would have lost digits before anybody could look at it. */
export const Usd = text(
  /^\d{1,7}(?:\.\d{1,9})?$/u,
  'an amount of USD in quotes, with at most nine decimals, such as "0.05"'
).pipe(Schema.decodeTo(Schema.declare(isNano), { decode: Getter.transform(usd), encode: Getter.forbiddenEncoding }))

/** What is entered into an account is in whole micro-USD. */
export const Credit = text(
  /^\d{1,7}(?:\.\d{1,6})?$/u,
  'an amount of USD in quotes, with at most six decimals, such as "5"'
).pipe(
  Schema.decodeTo(Schema.declare(isMicro), {
    decode: Getter.transform((amount: string) => micro(usd(amount) / 1000n)),
    encode: Getter.forbiddenEncoding
  })
)

/** Whole units only: what is written is what is meant. */
export const Time = text(
  /^[1-9]\d{0,5} (?:millis|seconds?|minutes?|hours?)$/u,
  'a time in quotes, such as "60 seconds" or "500 millis"'
).pipe(
  Schema.decodeTo(Schema.declare(Duration.isDuration), {
    decode: Getter.transform((time: string) => Duration.fromInputUnsafe(time as Duration.Input)),
    encode: Getter.forbiddenEncoding
  })
)

export const WebPath = text(/^\/[^\s?#]*$/u, "a path that starts with / and has no blank, ? or #")

/** A model's name, or the beginning of many with a star at its end. */
export const ModelName = text(/^(?:[^\s*]+\*?|\*)$/u, "a model's name, with * at its end for all that begin so")

/** One model, by the name that an upstream or a caller gives it. */
export const ExactModelName = text(/^[^\s*]+$/u, "the name of one model, without *")
