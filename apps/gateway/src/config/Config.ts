import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { hash } from "node:crypto"
import type { BigMicroUsd } from "@tollgate/contract/Money"
import { defaults, type Names } from "@tollgate/contract/Names"
import type { Binding, Operation } from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import type { CacheTerms } from "@tollgate/contract/price/contracts"
import type { PriceBook, Provider, WebhookEndpoint } from "@tollgate/gateway/operator"
import type { IssuerSettings } from "@tollgate/server"
import type { GrantPolicy } from "@tollgate/gateway/driver"
import * as Schema from "effect/Schema"
import { fileNamesIn, type ReadOther, load, noOthers } from "./operations/files.ts"
import { objectOf, parse, type Document } from "./text/jsonc.ts"
import { Outline, type Sections, sections } from "./File.ts"
import * as Issues from "./text/issues.ts"
import * as AnswerCache from "./sections/cachedAnswers.ts"
import * as OAuth from "./sections/oauth.ts"
import * as Operators from "./sections/operators.ts"
import * as Custom from "./operations/resolve.ts"
import { collect, formatPath, Invalid, type Located, type Problem } from "./text/Problem.ts"
import * as Payments from "./sections/payments.ts"
import * as Platform from "./sections/platform.ts"
import { aboutOwn, priceBook } from "./sections/prices.ts"
import * as Routes from "./sections/routes.ts"
import * as SalesData from "./sections/salesData.ts"
import * as Upstreams from "./sections/upstreams.ts"
import { Credit } from "./text/values.ts"
import * as Webhooks from "./sections/webhooks.ts"

interface Digests {
  /** Identifies what is in the file, and in those that it names. Missing without a file. */
  readonly digest: string | undefined
  /** Identifies what is in each section of the file. */
  readonly sections: Readonly<Record<string, string>>
  /** What is in the file. Of operations and schemas, which may be thousands, only the digest. */
  readonly written: Readonly<Record<string, unknown>>
}

const digestOf = (value: unknown): string => hash("sha256", JSON.stringify(value))

/** `texts`: of the files of operations. Comments and spaces count only in them. */
const digestsOf = (raw: Readonly<Record<string, unknown>>, texts: ReadonlyArray<string>): Digests => {
  const files = texts.map((text) => hash("sha256", text))
  const sections = Object.fromEntries(
    Object.entries(raw)
      .filter(([name]) => name !== "$schema")
      .map(([name, value]) => [name, digestOf(name === "operations" ? [value, files] : value).slice(0, 16)])
      .toSorted()
  )
  const written = Object.fromEntries(
    Object.entries(sections).map(([name, digest]) => [
      name,
      name === "operations" || name === "schemas" ? digest : raw[name]
    ])
  )
  return { sections, digest: digestOf(sections), written }
}

/**
 * The digest that `decode` would give to a text, without decoding: with thousands of operations that takes seconds.
 * Missing: the text is not JSON or has a key twice, or a file that it names cannot be read.
 */
export const digestIn = Effect.fnUntraced(function* (text: string, readOther: ReadOther) {
  const document = Result.getOrUndefined(parse(text))
  if (document === undefined || document.repeated.length > 0) return undefined
  const raw = objectOf(document.value)
  const texts = yield* Effect.result(Effect.forEach(fileNamesIn(raw.operations), readOther))
  return Result.isFailure(texts) ? undefined : digestsOf(raw, texts.success).digest
})

/** A configuration file after validation, with defaults filled in. */
export interface Config extends Digests {
  readonly names: Names
  readonly bindings: Readonly<Record<string, Binding>>
  readonly prices: PriceBook
  readonly upstreams: Readonly<Record<string, Provider>>
  readonly routes: ReadonlyArray<Routes.Route>
  readonly models: Sections["models"]["Type"]
  readonly operations: ReadonlyArray<Custom.Custom>
  /** The operations whose answers are kept, by their ids. */
  readonly cachedAnswers: ReadonlyMap<string, CacheTerms>
  /** The platform whose accounts can be linked. If it is missing, the sandbox's platform is used if the sandbox is on. */
  readonly platform: Platform.PlatformSettings | undefined
  /** How customers pay. Read at the start only. If it is missing, they do not, but for pretend cards on this machine. */
  readonly payments: Payments.PaymentsSettings | undefined
  /** Where the sales data come from. If it is missing, they are unavailable. */
  readonly salesData: SalesData.SalesData | undefined
  /** Other origins than the gateway's own whose pages may call the tools. Read at the start only. */
  readonly toolOrigins: ReadonlyArray<string>
  /** The built-in authorization server. If both it and the issuer are missing, API keys are the only credentials. */
  readonly oauth: OAuth.OAuth | undefined
  /** Another authorization server, whose tokens are credentials. */
  readonly issuer: IssuerSettings | undefined
  /** What people who give access are proposed, and the most that they may choose. */
  readonly grantPolicy: GrantPolicy
  /** How people who operate the gateway sign in. Read at the start only. */
  readonly operators: Effect.Success<ReturnType<typeof Operators.resolve>>
  readonly webhooks: ReadonlyArray<WebhookEndpoint>
  readonly upstreamRpm: number | undefined
  readonly reservationWaitSeconds: number | undefined
  readonly replayByDefault: boolean
  readonly signupCredit: BigMicroUsd | undefined
  /** Whether the sandbox answers operations that have no upstream. */
  readonly sandbox: boolean
}

export const customOperations = (config: Pick<Config, "operations">): ReadonlyArray<Operation> =>
  config.operations.flatMap(({ ofTask, operation }) => [operation, ...ofTask])

const located = (document: Document, problems: ReadonlyArray<Problem>, file?: string): ReadonlyArray<Located> =>
  problems
    .map(({ message, path }) => ({
      ...(file === undefined ? {} : { file }),
      at: document.positionOf(path),
      path: formatPath(path),
      message
    }))
    .toSorted((a, b) => a.at.line - b.at.line || a.at.column - b.at.column)

const invalid = (document: Document, problems: ReadonlyArray<Problem>): Invalid =>
  new Invalid({ problems: located(document, problems) })

const withoutUndefined = <A>(record: Readonly<Record<string, A | undefined>>): Readonly<Record<string, A>> =>
  Object.fromEntries(Object.entries(record).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])))

/** The configured names, even invalid ones: ids in the other sections are checked against them. */
const stringNames = (names: unknown): Partial<Names> =>
  Object.fromEntries(Object.entries(objectOf(names)).filter(([, word]) => typeof word === "string"))

const read = Effect.fnUntraced(function* (document: Document, readOther: ReadOther) {
  const { add, problems } = collect([...Custom.repeatedIn(document)])
  const outline = Issues.decode(Outline, document.value, [])
  if (Result.isFailure(outline)) problems.push(...outline.failure)
  const raw = objectOf(document.value)
  const names: Names = { ...defaults, ...stringNames(raw.names) }
  const schemas = sections(names)

  const section = <T>(key: keyof Sections, schema: Schema.ConstraintDecoder<T>): T | undefined => {
    if (raw[key] === undefined) return undefined
    const decoded = Issues.decode(schema, raw[key], [key])
    if (Result.isSuccess(decoded)) return decoded.success
    problems.push(...decoded.failure)
    return undefined
  }

  section("$schema", schemas.$schema)
  section("names", schemas.names)
  const limits = section("limits", schemas.limits)
  const bindings = withoutUndefined(section("bindings", schemas.bindings) ?? {})
  const prices = priceBook(section("prices", schemas.prices) ?? {})
  const protocols = Custom.protocolsOf(raw.upstreams)
  const routes = section("routes", schemas.routes) ?? []
  Routes.check(routes, protocols, names, add)
  const others = yield* load(raw.operations, readOther, add)
  const around = { names, bindings, upstreams: protocols }
  const custom = yield* Custom.inTurns(
    Custom.resolving({ operations: raw.operations, schemas: raw.schemas }, others.files, around)
  )
  const own = customOperations({ operations: custom.custom })
  const all = [...operations, ...own]
  const config: Omit<Config, keyof Digests> = {
    names,
    bindings,
    prices,
    upstreams: yield* Upstreams.resolve(section("upstreams", schemas.upstreams) ?? {}, names, readOther, add),
    routes,
    models: section("models", schemas.models) ?? [],
    operations: custom.custom,
    cachedAnswers: AnswerCache.resolve(section("cachedAnswers", schemas.cachedAnswers) ?? {}, names, all, add),
    platform: yield* Platform.resolve(section("platform", schemas.platform), add),
    payments: yield* Payments.resolve(section("payments", schemas.payments), add),
    salesData: SalesData.resolve(section("salesData", schemas.salesData), add),
    toolOrigins: section("tools", schemas.tools)?.origins ?? [],
    ...OAuth.resolve(section("oauth", schemas.oauth), add),
    operators: yield* Operators.resolve(section("operators", schemas.operators), add),
    webhooks: yield* Webhooks.resolve(section("webhooks", schemas.webhooks) ?? [], add),
    upstreamRpm: limits?.upstreamRpm,
    reservationWaitSeconds: limits?.reservationWaitSeconds,
    replayByDefault: section("replayByDefault", schemas.replayByDefault) ?? false,
    signupCredit: section("signupCredit", schemas.signupCredit),
    sandbox: section("sandbox", schemas.sandbox) ?? protocols.size === 0
  }
  problems.push(...custom.problems.flatMap(({ file, problems }) => (file === undefined ? problems : [])))
  const found: ReadonlyArray<Located> = [
    ...located(document, aboutOwn(problems, own, names)),
    ...others.unreadable.map(({ at, message, name }) => ({ file: name, at, path: "", message })),
    ...custom.problems.flatMap(({ file, problems }) =>
      file === undefined ? [] : located(file.document, problems, file.name)
    )
  ]
  if (found.length > 0) return yield* new Invalid({ problems: found })
  const texts = [...others.files.values()].map(({ text }) => text)
  return { ...config, ...digestsOf(raw, texts) }
})

const parseThen = <A>(text: string, read: (document: Document) => Effect.Effect<A, Invalid>) =>
  Result.match(parse(text), {
    onFailure: ({ at, message }) => Effect.fail(new Invalid({ problems: [{ at, path: "", message }] })),
    onSuccess: read
  })

/** Also reads the credentials of upstreams from the environment, and the files that the text names. */
export const decode = (text: string, readOther: ReadOther = noOthers): Effect.Effect<Config, Invalid> =>
  parseThen(text, (document) => read(document, readOther))

const ForCommands = Schema.Struct({
  signupCredit: Schema.optionalKey(Credit),
  oauth: Schema.optionalKey(OAuth.OAuthFile),
  webhooks: Schema.optionalKey(Webhooks.WebhooksFile)
})

/** What commands on the store need: works without the credentials of upstreams, and the secrets of webhooks. */
export const decodeForCommands = (text: string) =>
  parseThen(text, (document) => {
    const { oauth, signupCredit, webhooks } = objectOf(document.value)
    const given = withoutUndefined({ signupCredit, oauth, webhooks })
    return Effect.mapBoth(Effect.fromResult(Issues.decode(ForCommands, given, [])), {
      onFailure: (problems) => invalid(document, problems),
      onSuccess: ({ oauth, signupCredit, webhooks = [] }) => ({
        signupCredit,
        grantPolicy: OAuth.resolve(oauth, () => {}).grantPolicy,
        webhooks: Webhooks.withoutSecrets(webhooks)
      })
    })
  })

type Written = Readonly<Record<string, Readonly<Record<string, unknown>>>>

export interface WrittenPrices {
  readonly models: Written
  readonly operations: Written
  readonly upstreams: ReadonlyArray<string>
}

export const decodePrices = (text: string): Effect.Effect<WrittenPrices, Invalid> =>
  parseThen(text, (document) => {
    const { names, prices, upstreams } = objectOf(document.value)
    const checked = Issues.decode(sections({ ...defaults, ...stringNames(names) }).prices, prices ?? {}, ["prices"])
    if (Result.isFailure(checked)) return Effect.fail(invalid(document, checked.failure))
    const { models, operations } = objectOf(prices)
    const written = (entries: unknown) =>
      Object.fromEntries(Object.entries(objectOf(entries)).map(([name, price]) => [name, objectOf(price)]))
    return Effect.succeed({
      models: written(models),
      operations: written(operations),
      upstreams: Object.keys(objectOf(upstreams))
    })
  })

export const none: Effect.Effect<Config> = Effect.orDie(
  Effect.map(decode("{}"), (config) => ({ ...config, digest: undefined }))
)
