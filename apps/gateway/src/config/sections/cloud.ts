import { type Cloud, parseAwsCredential, parseServiceAccount, type Place } from "@tollgate/gateway/operator"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Add } from "../text/Problem.ts"
import {
  Address,
  baseUrlProblem,
  optional,
  type ReadFile,
  SecretFile,
  text,
  Variable,
  withoutSlash
} from "../text/values.ts"

const Source = Schema.Struct({ env: optional(Variable), file: optional(SecretFile) })
type Source = typeof Source.Type

const word = text(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/u, "letters, digits and -")
const place = text(/^[a-z0-9-]{2,40}$/u, 'a region or location, such as "eu-west-1"')

/** The account at a cloud by which an upstream is called. */
export const CloudFile = Schema.Struct({
  aws: optional(
    Schema.Struct({
      region: place,
      credential: optional(Source, "JSON with AccessKeyId, SecretAccessKey and SessionToken. Default: AWS_… variables")
    })
  ),
  google: optional(
    Schema.Struct({
      project: word,
      location: place,
      serviceAccount: Source.annotate({ description: "The JSON key of a service account" })
    })
  ),
  azure: optional(
    Schema.Struct({
      tenant: word,
      clientId: word,
      clientSecret: Source,
      authority: optional(Address("https://login.microsoftonline.com")),
      scope: optional(text(/^[\x21-\x7e]{1,200}$/u, "the scope of a token"))
    })
  )
}).annotate({ description: "The account at a cloud by which it is called: one of aws, google and azure" })
type Written = typeof CloudFile.Type

const served: Readonly<Record<keyof Written, ReadonlyArray<string>>> = {
  aws: ["anthropic", "bedrock", "converse", "openai"],
  google: ["anthropic", "gemini", "openai"],
  azure: ["anthropic", "openai"]
}

const variable = (name: string) =>
  Effect.mapError(Config.NonEmptyString(name), () => `the environment variable ${name} is not set`)

/** Unlike other credentials these may have spaces and line ends in them. */
const read = ({ env, file }: Source, readFile: ReadFile): Effect.Effect<string, string> => {
  if (env !== undefined && file === undefined) return variable(env)
  if (file !== undefined && env === undefined) {
    return Effect.mapError(readFile(file), (reason) => `the file cannot be read: ${reason}`)
  }
  return Effect.fail('either "env" or "file" is expected')
}

/** What all tools of AWS look for. */
const awsVariables = Effect.gen(function* () {
  const AccessKeyId = yield* variable("AWS_ACCESS_KEY_ID")
  const SecretAccessKey = yield* variable("AWS_SECRET_ACCESS_KEY")
  const SessionToken = Option.getOrUndefined(yield* Effect.option(variable("AWS_SESSION_TOKEN")))
  return JSON.stringify({ AccessKeyId, SecretAccessKey, SessionToken })
})

type Allowed = Parameters<typeof baseUrlProblem>[1]

/** The place in a cloud, and the secret of our account there. */
const accountOf = ({ aws, azure, google }: Written, readFile: ReadFile, allowed: Allowed) => {
  if (aws !== undefined) {
    const { credential, region } = aws
    return {
      place: { kind: "aws", region } satisfies Place,
      at: ["aws", "credential"],
      text: credential === undefined ? awsVariables : read(credential, readFile),
      problem: (text: string) =>
        Option.isSome(parseAwsCredential(text)) ? undefined : "expected JSON with AccessKeyId and SecretAccessKey"
    }
  }
  if (google !== undefined) {
    const { serviceAccount, ...place } = google
    return {
      place: { kind: "google", ...place } satisfies Place,
      at: ["google", "serviceAccount"],
      text: read(serviceAccount, readFile),
      problem: (text: string) => {
        const key = Option.getOrUndefined(parseServiceAccount(text))
        return key === undefined ? "expected the JSON key of a service account" : baseUrlProblem(key.token_uri, allowed)
      }
    }
  }
  if (azure === undefined) return undefined
  const { clientSecret, ...place } = azure
  const { authority = "https://login.microsoftonline.com", scope = "https://cognitiveservices.azure.com/.default" } =
    place
  return {
    place: { kind: "azure", ...place, authority: withoutSlash(authority), scope } satisfies Place,
    at: ["azure", "clientSecret"],
    text: Effect.map(read(clientSecret, readFile), (text) => text.trim()),
    problem: (text: string) =>
      /^[\x21-\x7e]+$/.test(text)
        ? baseUrlProblem(authority, allowed)
        : "expected only printable characters and no spaces"
  }
}

interface Surroundings {
  readonly protocol: string
  readonly hasCredential: boolean
  readonly allowed: Allowed
  readonly readFile: ReadFile
  readonly add: Add
}

/** The cloud of an upstream, with its secret. `undefined`: something is wrong. */
export const resolveCloud = Effect.fnUntraced(function* (
  written: Written,
  { add, allowed, hasCredential, protocol, readFile }: Surroundings
): Effect.fn.Return<Cloud | undefined> {
  const problemAt = (path: ReadonlyArray<string>, message: string | undefined) => {
    add(["cloud", ...path], message)
    return undefined
  }
  const account = accountOf(written, readFile, allowed)
  if (account === undefined || Object.keys(written).length > 1)
    return problemAt([], "one of aws, google and azure is expected")
  const { at, place, problem, text } = account
  const { kind } = place
  if (!served[kind].includes(protocol)) problemAt([kind], `only for the protocols ${served[kind].join(", ")}`)
  if (hasCredential) {
    const isKey = written.aws !== undefined && written.aws.credential === undefined
    const only = 'the account is the credential: "credential" of the upstream is only for an API key of Bedrock'
    return isKey ? place : problemAt([kind], only)
  }
  const found = yield* Effect.result(text)
  const wrong = Result.isFailure(found) ? found.failure : problem(found.success)
  if (wrong !== undefined || Result.isFailure(found)) return problemAt(at, wrong)
  // What is read again must not depend on who asks.
  const again = Effect.provideContext(text, yield* Effect.context<never>())
  const secret = {
    at: JSON.stringify(written),
    first: Redacted.make(found.success),
    read: Effect.map(again, (text) => Redacted.make(text))
  }
  return { ...place, secret }
})

/** These locations have a host of another form. */
const vertexHosts: Readonly<Record<string, string>> = {
  global: "aiplatform.googleapis.com",
  us: "aiplatform.us.rep.googleapis.com",
  eu: "aiplatform.eu.rep.googleapis.com"
}

/** The public address of a cloud. `undefined`: every customer has one of their own. */
export const addressOfCloud = ({ aws, google }: Written): string | undefined => {
  if (google !== undefined) {
    return `https://${vertexHosts[google.location] ?? `${google.location}-aiplatform.googleapis.com`}`
  }
  return aws && `https://bedrock-runtime.${aws.region}.amazonaws.com${aws.region.startsWith("cn-") ? ".cn" : ""}`
}
