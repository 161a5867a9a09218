import { type BigMicroUsd, micro, type NanoUsd, usd } from "@tollgate/contract/Money"
import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
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

/** Only capitals, so that a secret entered by mistake is rejected before an error message could show it. */
export const Variable = text(
  /^[A-Z_][A-Z0-9_]*$/u,
  "the name of an environment variable in capitals, such as OPENAI_API_KEY"
)

/** The variable's value, or the problem with it. */
export const fromEnvironment = Effect.fnUntraced(function* (variable: string) {
  const found = yield* Effect.option(Config.NonEmptyString(variable))
  if (Option.isNone(found)) return Result.fail(`the environment variable ${variable} is not set`)
  return /^[\x21-\x7e]+$/.test(found.value)
    ? Result.succeed(found.value)
    : Result.fail(`the environment variable ${variable} must contain only printable characters and no spaces`)
})
