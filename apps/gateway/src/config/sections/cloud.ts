import {
  baseUrlOf,
  type Cloud,
  parseAwsCredential,
  parseServiceAccount,
  type SecretSource
} from "@tollgate/gateway/operator"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Add } from "../text/Problem.ts"
import { Address, baseUrlProblem, type ReadFile, SecretFile, text, Variable, withoutSlash } from "../text/values.ts"

const Source = Schema.Struct({ env: Schema.optionalKey(Variable), file: Schema.optionalKey(SecretFile) })
type Source = typeof Source.Type

const word = text(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/u, "letters, digits and -")
const place = text(/^[a-z0-9-]{2,40}$/u, 'a region or location, such as "eu-west-1"')

const Aws = Schema.Struct({
  region: place,
  credential: Schema.optionalKey(
    Schema.Struct({
      file: Schema.optionalKey(SecretFile),
      accessKeyId: Schema.optionalKey(Source),
      secretAccessKey: Schema.optionalKey(Source),
      sessionToken: Schema.optionalKey(Source)
    }).annotate({ description: "A file in JSON with AccessKeyId, SecretAccessKey and SessionToken, or each of them" })
  )
})

const Google = Schema.Struct({
  project: word,
  location: place,
  serviceAccount: Source.annotate({ description: "The JSON key of a service account" })
})

const Azure = Schema.Struct({
  tenant: word,
  clientId: word,
  clientSecret: Source,
  authority: Schema.optionalKey(Address("https://login.microsoftonline.com")),
  scope: Schema.optionalKey(text(/^[\x21-\x7e]{1,200}$/u, "the scope of a token"))
})

/** The account at a cloud by which an upstream is called. */
export const CloudFile = Schema.Struct({
  aws: Schema.optionalKey(Aws),
  google: Schema.optionalKey(Google),
  azure: Schema.optionalKey(Azure)
}).annotate({ description: "The account at a cloud by which it is called, one of aws, google and azure" })
type Written = typeof CloudFile.Type

/** The protocols that a cloud serves. */
const served = {
  aws: ["anthropic", "openai"],
  google: ["anthropic", "gemini", "openai"],
  azure: ["anthropic", "openai"]
} as const

/** Unlike other credentials these have spaces and line ends in them. */
const read = ({ env, file }: Source, readFile: ReadFile): Effect.Effect<string, string> => {
  if (env !== undefined && file === undefined) {
    const missing = () => Effect.fail(`the environment variable ${env} is not set`)
    return Effect.flatMap(
      Effect.option(Config.NonEmptyString(env)),
      Option.match({ onNone: missing, onSome: Effect.succeed })
    )
  }
  if (file !== undefined && env === undefined) {
    return Effect.mapError(readFile(file), (reason) => `the file cannot be read: ${reason}`)
  }
  return Effect.fail('either "env" or "file" is expected')
}

/** The parts of a credential, as the JSON of a file has them. */
const awsText = (
  { accessKeyId, file, secretAccessKey, sessionToken }: NonNullable<(typeof Aws.Type)["credential"]>,
  readFile: ReadFile
) => {
  if (file !== undefined) {
    return accessKeyId === undefined && secretAccessKey === undefined && sessionToken === undefined
      ? read({ file }, readFile)
      : Effect.fail('either "file" or the parts of a credential are expected')
  }
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    return Effect.fail('"file", or "accessKeyId" and "secretAccessKey", are expected')
  }
  const part = (source: Source) => Effect.map(read(source, readFile), (text) => text.trim())
  return Effect.map(
    Effect.all({
      AccessKeyId: part(accessKeyId),
      SecretAccessKey: part(secretAccessKey),
      ...(sessionToken === undefined ? {} : { SessionToken: part(sessionToken) })
    }),
    (parts) => JSON.stringify(parts)
  )
}

/** What the gateway reads again must not depend on who asks. */
const sourceOf = Effect.fnUntraced(function* (
  at: unknown,
  text: Effect.Effect<string, string>,
  valid: (text: string) => boolean,
  expected: string
) {
  const context = yield* Effect.context<never>()
  const found = yield* Effect.result(text)
  if (Result.isFailure(found)) return Result.fail(found.failure)
  if (!valid(found.success)) return Result.fail(expected)
  const source: SecretSource = {
    at: JSON.stringify(at),
    first: Redacted.make(found.success),
    read: Effect.map(Effect.provideContext(text, context), (text) => Redacted.make(text))
  }
  return Result.succeed(source)
})

interface Surroundings {
  readonly protocol: string
  /** The upstream has a credential of its own. */
  readonly hasCredential: boolean
  readonly allowed: Parameters<typeof baseUrlProblem>[1]
  readonly readFile: ReadFile
  readonly add: Add
}

/** The cloud of an upstream, with its secrets. `undefined`: there is none, or something is wrong. */
export const resolveCloud = Effect.fnUntraced(function* (
  written: Written,
  { add, allowed, hasCredential, protocol, readFile }: Surroundings
) {
  const kinds = (["aws", "google", "azure"] as const).filter((kind) => written[kind] !== undefined)
  const [kind, ...others] = kinds
  if (kind === undefined || others.length > 0) return add([], "one of aws, google and azure is expected")
  if (!(served[kind] as ReadonlyArray<string>).includes(protocol)) {
    add([kind], `only for the protocols ${served[kind].join(", ")}`)
  }
  const { aws, azure, google } = written
  const takesKey = aws !== undefined && aws.credential === undefined
  if (takesKey !== hasCredential) {
    add(
      [kind],
      'either this or "credential" of the upstream is expected: the account, or for aws an API key of Bedrock'
    )
  }
  if (aws !== undefined) {
    const { credential, region } = aws
    if (credential === undefined) return { kind: "aws", region } satisfies Cloud
    const isValid = (text: string) => Option.isSome(parseAwsCredential(text))
    const expected = "expected JSON with AccessKeyId, SecretAccessKey and, if there is one, SessionToken"
    const source = yield* sourceOf(credential, awsText(credential, readFile), isValid, expected)
    if (Result.isFailure(source)) return add(["aws", "credential"], source.failure)
    return { kind: "aws", region, credential: source.success } satisfies Cloud
  }
  if (google !== undefined) {
    const { location, project, serviceAccount } = google
    const isValid = (text: string) =>
      Option.exists(parseServiceAccount(text), ({ token_uri }) => baseUrlProblem(token_uri, allowed) === undefined)
    const expected = "expected the JSON key of a service account"
    const source = yield* sourceOf(serviceAccount, read(serviceAccount, readFile), isValid, expected)
    if (Result.isFailure(source)) return add(["google", "serviceAccount"], source.failure)
    return { kind: "google", project, location, serviceAccount: source.success } satisfies Cloud
  }
  if (azure === undefined) return undefined
  const { authority = "https://login.microsoftonline.com", clientId, clientSecret, tenant } = azure
  add(["azure", "authority"], baseUrlProblem(authority, allowed))
  const text = Effect.map(read(clientSecret, readFile), (text) => text.trim())
  const isValid = (text: string) => /^[\x21-\x7e]+$/.test(text)
  const source = yield* sourceOf(clientSecret, text, isValid, "only printable characters and no spaces are expected")
  if (Result.isFailure(source)) return add(["azure", "clientSecret"], source.failure)
  const { scope = "https://cognitiveservices.azure.com/.default" } = azure
  return {
    kind: "azure",
    tenant,
    clientId,
    clientSecret: source.success,
    authority: withoutSlash(authority),
    scope
  } satisfies Cloud
})

/** The public address of a cloud. `undefined`: it has none that is the same for all customers. */
export const addressOfCloud = ({ aws, google }: Written): string | undefined =>
  aws === undefined ? google && baseUrlOf({ kind: "google", ...google }) : baseUrlOf({ kind: "aws", ...aws })
