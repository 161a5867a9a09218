import type { Names } from "@tollgate/contract/Names"
import { type Provider, providerDefaults, Rotation, rotating } from "@tollgate/gateway/operator"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { version } from "../../package.ts"
import {
  Address,
  optional,
  baseUrlProblem,
  withoutSlash,
  fromEnvironment,
  fromFile,
  type ReadFile,
  SecretFile,
  Variable,
  text,
  Time,
  WebPath,
  Usd,
  wholeNumber,
  PrivateAllowed
} from "../text/values.ts"
import { credentialHeaders, HeaderName } from "../text/headers.ts"
import { addressOfCloud, CloudFile, resolveCloud } from "./cloud.ts"
import { costBook, UpstreamPrices } from "./prices.ts"
import { type Add, collect } from "../text/Problem.ts"

const HeaderValue = text(/^[\x20-\x7e]*$/u, "printable ASCII characters only")

const source = { env: optional(Variable), file: optional(SecretFile) }

const Credential = Schema.Struct({
  ...source,
  second: optional(
    Schema.Struct(source),
    "Another credential, which is used when the upstream refuses the first with 401"
  ),
  header: optional(HeaderName),
  scheme: optional(text(/^[A-Za-z][A-Za-z0-9-]*$/u, 'a word such as "Bearer"'))
}).annotate({
  expected:
    '{ "env": "NAME" } or { "file": "/path" }: a credential is read from there only, so that this file contains no secret'
})

export const protocols = ["openai", "anthropic", "gemini", "bedrock", "converse", "json", "task", "mcp"] as const
type Protocol = (typeof protocols)[number]

/** They are those of Amazon Bedrock, and only for models. */
export const onlyInCloud: ReadonlySet<string> = new Set(["bedrock", "converse"])

export const isProtocol = Schema.is(Schema.Literals(protocols))

const bytes = wholeNumber(1_073_741_824)

const fields = {
  baseUrl: optional(Address("https://api.example.com"), "Needed unless a cloud has one for its location"),
  protocol: Schema.Literals(protocols),
  credential: optional(Credential),
  cloud: optional(CloudFile),
  timeouts: optional(
    Schema.Struct({ answer: optional(Time), idle: optional(Time) }),
    "answer: until the answer begins; idle: between two chunks of a stream"
  ),
  private: PrivateAllowed,
  insecure: optional(Schema.Boolean, "Allow http over a public network"),
  trace: optional(Schema.Boolean, "Send traceparent and tracestate, so that it can continue a caller's trace"),
  headers: optional(Schema.Record(HeaderName, HeaderValue)),
  answerBytes: optional(bytes, "The longest whole answer, in bytes"),
  eventBytes: optional(bytes, "The longest event of a stream, in bytes"),
  connections: optional(wholeNumber(10_000), "Calls at a time; others wait, served in turn between keys"),
  canceledCost: optional(
    Schema.Struct({
      path: text(
        /^[^.\s]+(?:\.[^.\s]+)*$/u,
        'the names of a field and of the objects around it, joined by dots, such as "usage.cost"'
      ),
      perUnit: optional(Usd)
    }),
    "Where its tasks report what a canceled one used: an amount of USD, or a number of units at perUnit USD each"
  ),
  rpm: optional(
    wholeNumber(1_000_000),
    "Requests per minute of all keys together; above it, the next upstream of the route is called"
  ),
  health: optional(
    Schema.Struct({ path: WebPath, every: Time }),
    "Asks this path regularly, and pauses the upstream if it does not answer, or with 500 and above"
  ),
  outputLimit: optional(
    Schema.Literals(["max_tokens", "max_completion_tokens"]),
    "The field in which an upstream of the protocol openai takes the bound of a capped call"
  ),
  lacks: optional(
    Schema.Array(Schema.NonEmptyString),
    "Fields of the protocol that it does not take, or responses if it has chat completions only"
  )
}

const Upstream = (names: Names) =>
  Schema.Struct({
    ...fields,
    prices: optional(
      UpstreamPrices(names),
      "What it charges you: models and operations as in prices. Only you see cost and margin"
    )
  })

export const UpstreamsFile = (names: Names) => Schema.Record(Schema.String, Upstream(names))

type Written = ReturnType<typeof Upstream>["Type"]

/** Without what is read elsewhere. */
type Settings = Omit<Written, "cloud" | "baseUrl"> & { readonly baseUrl: string }

const bearer = { header: "authorization", headers: {} }

/** The credential header of each protocol, and its other required headers. */
const protocolDefaults: Readonly<
  Record<Protocol, { readonly header: string; readonly headers: Readonly<Record<string, string>> }>
> = {
  openai: bearer,
  json: bearer,
  task: bearer,
  mcp: bearer,
  bedrock: bearer,
  converse: bearer,
  anthropic: { header: "x-api-key", headers: { "anthropic-version": "2023-06-01" } },
  gemini: { header: "x-goog-api-key", headers: {} }
}

const transport = [
  "host",
  "connection",
  "keep-alive",
  "proxy-connection",
  "upgrade",
  "expect",
  "te",
  "trailer",
  "content-length",
  "content-type",
  "transfer-encoding",
  "accept-encoding",
  "x-request-id",
  "__proto__"
]

const transportProblem = (name: string): string | undefined =>
  transport.includes(name) ? "the gateway sets this header itself" : undefined

const headerProblem = (name: string): string | undefined =>
  credentialHeaders.includes(name)
    ? 'a credential goes into "credential", by environment variable or file'
    : transportProblem(name)

const headerOf = (written: typeof Credential.Type, values: ReadonlyArray<string>, defaultHeader: string) => {
  const header = written.header?.toLowerCase() ?? defaultHeader
  const scheme = written.scheme ?? (header === "authorization" ? "Bearer" : undefined)
  const [first = Redacted.make(""), second] = values.map((value) =>
    Redacted.make(scheme === undefined ? value : `${scheme} ${value}`, { label: header })
  )
  return second === undefined ? { header, value: first } : rotating(header, new Rotation(first, second))
}

type Source = Pick<typeof Credential.Type, "env" | "file">

const secretFrom = ({ env, file }: Source, readFile: ReadFile) => {
  const at = (key: "env" | "file" | undefined, read: Effect.Effect<Result.Result<string, string>>) =>
    Effect.map(
      read,
      Result.mapError((message) => ({ path: key === undefined ? [] : [key], message }))
    )
  if (env !== undefined && file === undefined) return at("env", fromEnvironment(env))
  if (file !== undefined && env === undefined) return at("file", fromFile(file, readFile))
  return at(undefined, Effect.succeed(Result.fail('either "env" or "file" is expected')))
}

const providerOf = (
  name: string,
  { baseUrl, canceledCost, credential: _, headers = {}, health, insecure: __, prices, timeouts, ...rest }: Settings,
  names: Names
): Provider => ({
  ...providerDefaults,
  private: false,
  trace: false,
  ...rest,
  name,
  baseUrl: withoutSlash(baseUrl),
  headers: {
    "user-agent": `tollgate/${version()}`,
    ...protocolDefaults[rest.protocol].headers,
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  },
  forwardedHeaders: [],
  deadlineMillis: Duration.toMillis(timeouts?.answer ?? Duration.seconds(60)),
  idleMillis: Duration.toMillis(timeouts?.idle ?? Duration.seconds(30)),
  ...(canceledCost === undefined ? {} : { canceledCost: { ...canceledCost, path: canceledCost.path.split(".") } }),
  ...(prices === undefined ? {} : { prices: costBook(prices, names) }),
  ...(health === undefined ? {} : { health: { path: health.path, everyMillis: Duration.toMillis(health.every) } }),
  breaker: true
})

const missingAddress = 'is missing: expected an address such as "https://api.example.com"'

/** Checks addresses and headers, and reads the credentials. */
export const resolve = Effect.fnUntraced(function* (
  file: Readonly<Record<string, Written>>,
  names: Names,
  readFile: ReadFile,
  addTo: Add
) {
  const upstreams: Record<string, Provider> = {}
  for (const [name, written] of Object.entries(file)) {
    const add: Add = (path, message) => addTo(["upstreams", name, ...path], message)
    const { cloud, ...others } = written
    const { credential, headers = {}, health, insecure = false, protocol } = others
    if (
      health !== undefined &&
      !Duration.between(health.every, { minimum: Duration.seconds(1), maximum: Duration.hours(1) })
    ) {
      add(["health", "every"], "expected a time from 1 second to 1 hour")
    }
    if (cloud !== undefined && health !== undefined) add(["health"], "only without cloud: a check is not signed")
    if (cloud === undefined && onlyInCloud.has(protocol)) add(["cloud"], `the protocol ${protocol} needs aws`)
    const allowed = { private: written.private ?? false, insecure }
    const { baseUrl = cloud && addressOfCloud(cloud) } = others
    add(["baseUrl"], baseUrl === undefined ? missingAddress : baseUrlProblem(baseUrl, allowed))
    if (written.outputLimit !== undefined && protocol !== "openai") add(["outputLimit"], "only for the protocol openai")
    for (const header of Object.keys(headers)) add(["headers", header], headerProblem(header.toLowerCase()))
    const around = { add, allowed, hasCredential: credential !== undefined, protocol, readFile }
    const account = cloud && (yield* resolveCloud(cloud, around))
    const settings = providerOf(name, { ...others, baseUrl: baseUrl ?? "" }, names)
    const provider = account === undefined ? settings : { ...settings, cloud: account }
    upstreams[name] = provider
    if (credential === undefined) continue
    add(["credential", "header"], transportProblem(credential.header?.toLowerCase() ?? ""))
    const found = [yield* secretFrom(credential, readFile)]
    if (credential.second !== undefined) found.push(yield* secretFrom(credential.second, readFile))
    for (const [i, one] of found.entries()) {
      if (Result.isFailure(one)) {
        add(["credential", ...(i === 0 ? [] : ["second"]), ...one.failure.path], one.failure.message)
      }
    }
    const values = found.flatMap((one) => (Result.isSuccess(one) ? [one.success] : []))
    if (values.length < found.length) continue
    const { header } = cloud === undefined ? protocolDefaults[protocol] : bearer
    upstreams[name] = { ...provider, credential: headerOf(credential, values, header) }
  }
  return upstreams
})

/** What is wrong with entries that a program has written, which have the right shape. Their credentials are only looked up. */
export const upstreamProblems = (entries: Readonly<Record<string, unknown>>, names: Names) => {
  const { add, problems } = collect()
  const file = Schema.decodeUnknownSync(UpstreamsFile(names))(entries)
  return Effect.as(
    resolve(file, names, () => Effect.fail("not a file"), add),
    problems
  )
}
