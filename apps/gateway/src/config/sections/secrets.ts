import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { text } from "../text/values.ts"

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
