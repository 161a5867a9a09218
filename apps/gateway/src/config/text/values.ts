import { type BigMicroUsd, micro, usd } from "@tollgate/contract/Money"
import { ModelName, text, Usd, wholeNumber } from "@tollgate/contract/price/priceSchemas"
import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Getter from "effect/SchemaGetter"
import { isPrivate as isPrivateAddress } from "@tollgate/gateway/operator"
import { isIP } from "node:net"
import type { Add, Path } from "./Problem.ts"

export { ModelName, text, Usd, wholeNumber }

export const optional = <S extends Schema.Top>(schema: S, description?: string) =>
  Schema.optionalKey(description === undefined ? schema : schema.annotate({ description }))

/** What the gateway reads, and never writes. */
export const decodedTo = <T, E, A>(
  schema: Schema.Codec<T, E>,
  is: (u: unknown) => u is A,
  decode: (written: T) => A
): Schema.Codec<A, E> =>
  schema.pipe(
    Schema.decodeTo(Schema.declare(is), { decode: Getter.transform(decode), encode: Getter.forbiddenEncoding })
  )

const isMicro = (u: unknown): u is BigMicroUsd => typeof u === "bigint"

/** Account entries are in whole micro-USD. */
export const Credit = decodedTo(
  text(/^\d{1,7}(?:\.\d{1,6})?$/u, 'an amount of USD in quotes, with at most six decimals, such as "5"'),
  isMicro,
  (amount) => micro(usd(amount) / 1000n)
)

export const whole = (what: string, minimum: number, maximum: number) => {
  const expected = `whole ${what} from ${minimum} to ${maximum}`
  return Schema.Number.annotate({ expected }).check(
    Schema.isInt({ expected }).abort(),
    Schema.isBetween({ minimum, maximum }, { expected })
  )
}

export const Time = decodedTo(
  text(/^[1-9]\d{0,5} (?:millis|seconds?|minutes?|hours?)$/u, 'a time in quotes, such as "60 seconds" or "500 millis"'),
  Duration.isDuration,
  (time) => Duration.fromInputUnsafe(time as Duration.Input)
)

export const Address = (example: string) => Schema.String.annotate({ expected: `an address such as "${example}"` })

/** For an address that may be in the operator's own network. */
export const PrivateAllowed = optional(Schema.Boolean, "Allow loopback and private addresses, and http to them")

export const WebPath = text(/^\/[^\s?#]*$/u, "a path that starts with / and has no space, ? or #")

export const ExactModelName = text(/^[^\s*]+$/u, "the name of one model, without *")

/** Only capitals, so that a secret entered by mistake is rejected before an error message could show it. */
export const Variable = text(
  /^[A-Z_][A-Z0-9_]*$/u,
  "the name of an environment variable in capitals, such as OPENAI_API_KEY"
)

/** With a slash, so that a secret entered by mistake is rejected. */
export const SecretFile = text(/^(?:\/|\.{1,2}\/)[^\0]+$/u, 'the path of a file, such as "/run/secrets/openai"')

/** Reads a file that the configuration names. Fails with the reason. */
export type ReadFile = (path: string) => Effect.Effect<string, string>

const isSecret = (value: string): boolean => /^[\x21-\x7e]+$/.test(value)

/** What is in the file, or the problem with it. Spaces and line ends around the secret do not count. */
export const fromFile = Effect.fnUntraced(function* (path: string, read: ReadFile) {
  const found = yield* Effect.result(read(path))
  if (Result.isFailure(found)) return Result.fail(`the file cannot be read: ${found.failure}`)
  const value = found.success.trim()
  return isSecret(value)
    ? Result.succeed(value)
    : Result.fail("the file must contain only printable characters and no spaces")
})

export const fromEnvironment = Effect.fnUntraced(function* (variable: string) {
  const found = yield* Effect.option(Config.NonEmptyString(variable))
  if (Option.isNone(found)) return Result.fail(`the environment variable ${variable} is not set`)
  return isSecret(found.value)
    ? Result.succeed(found.value)
    : Result.fail(`the environment variable ${variable} must contain only printable characters and no spaces`)
})

/** A secret that is only in the environment. */
export const Secret = Schema.Struct({ env: Variable }).annotate({
  expected: '{ "env": "NAME" }: a secret is read from the environment only, so that the file contains none'
})

/** The secret, whose problem is told at its place in the file. */
export const secretAt = Effect.fnUntraced(function* (path: Path, { env }: typeof Secret.Type, label: string, add: Add) {
  const found = yield* fromEnvironment(env)
  if (Result.isFailure(found)) add([...path, "env"], found.failure)
  return Redacted.make(
    Result.getOrElse(found, () => ""),
    { label }
  )
})

/** Checks literal addresses only. A name is resolved, and checked again, when it is called. */
const isPrivate = (hostname: string): boolean => {
  const host = hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "")
  return isIP(host) !== 0 ? isPrivateAddress(host) : host === "localhost" || host.endsWith(".localhost")
}

const needsHttps = 'use https; or set "private": true for a host in your own network'

/** A private address, and http, must be allowed. */
export const privateProblem = (url: URL, allowed: boolean): string | undefined => {
  if (allowed) return undefined
  if (isPrivate(url.hostname)) return 'this address is private; set "private": true to allow it'
  return url.protocol === "http:" ? needsHttps : undefined
}

export const withoutSlash = (url: string): string => url.replace(/\/+$/, "")

/** The message does not repeat the address, which may contain a password. */
export const baseUrlProblem = (
  text: string,
  allowed: { readonly private: boolean; readonly insecure: boolean }
): string | undefined => {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:") || /\s/.test(text)) {
    return 'expected an address that starts with https:// or http://, such as "https://api.example.com"'
  }
  if (url.username !== "" || url.password !== "") {
    return 'the address must not contain a user or password; use "credential"'
  }
  if (/[?#]/.test(text)) return "expected an address without a query or fragment"
  const problem = privateProblem(url, allowed.private)
  if (problem !== needsHttps) return problem
  return allowed.insecure ? undefined : `${needsHttps}, or "insecure": true to send credentials unencrypted`
}
