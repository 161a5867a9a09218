import type { MicroUsd } from "@tollgate/contract/Money"
import { defaults, type Names } from "@tollgate/contract/Names"
import type { Binding, Operation } from "@tollgate/contract/Operation"
import type { PriceBook } from "@tollgate/gateway/Prices"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { Outline, type Sections, sections } from "./File.ts"
import { Invalid } from "./Invalid.ts"
import * as Issues from "./issues.ts"
import { type Document, parse } from "./jsonc.ts"
import * as Custom from "./operations.ts"
import { formatPath, type Problem } from "./Problem.ts"
import type { PlatformSettings } from "./platform.ts"
import * as Platform from "./platform.ts"
import { priceBook } from "./prices.ts"
import * as Routes from "./routes.ts"
import * as Upstreams from "./upstreams.ts"
import { Credit } from "./values.ts"

/** A configuration file, checked and complete. */
export interface Config {
  readonly names: Names
  readonly bindings: Readonly<Record<string, Binding>>
  readonly prices: PriceBook
  readonly upstreams: Readonly<Record<string, Upstreams.Upstream>>
  readonly routes: ReadonlyArray<Routes.Route>
  readonly models: Sections["models"]["Type"]
  readonly operations: ReadonlyArray<Custom.Custom>
  /** Whose accounts can be linked; that of the sandbox, where there is none and the sandbox is. */
  readonly platform: PlatformSettings | undefined
  readonly upstreamRpm: number | undefined
  readonly replayByDefault: boolean
  readonly signupCredit: MicroUsd | undefined
  /** Whether the sandbox answers for what no upstream is named for. */
  readonly sandbox: boolean
}

export const customOperations = (config: Pick<Config, "operations">): ReadonlyArray<Operation> =>
  config.operations.map(({ operation }) => operation)

const invalid = (document: Document, problems: ReadonlyArray<Problem>): Invalid =>
  new Invalid({
    problems: problems
      .map(({ message, path }) => ({ at: document.positionOf(path), path: formatPath(path), message }))
      .toSorted((a, b) => a.at.line - b.at.line || a.at.column - b.at.column)
  })

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {}

const present = <A>(record: Readonly<Record<string, A | undefined>>): Readonly<Record<string, A>> =>
  Object.fromEntries(Object.entries(record).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])))

/** The words of the names that are there, right or wrong: ids are told by them either way. */
const wordsOf = (names: unknown): Partial<Names> =>
  Object.fromEntries(Object.entries(objectOf(names)).filter(([, word]) => typeof word === "string"))

const read = Effect.fnUntraced(function* (document: Document) {
  const problems: Array<Problem> = document.repeated.map((path) => ({ path, message: "the object has this key twice" }))
  const outline = Issues.decode(Outline, document.value, [])
  if (Result.isFailure(outline)) problems.push(...outline.failure)
  const raw = objectOf(document.value)
  const names: Names = { ...defaults, ...wordsOf(raw.names) }
  const known = sections(names)

  const section = <T>(key: keyof Sections, schema: Schema.ConstraintDecoder<T>): T | undefined => {
    if (raw[key] === undefined) return undefined
    const decoded = Issues.decode(schema, raw[key], [key])
    if (Result.isSuccess(decoded)) return decoded.success
    problems.push(...decoded.failure)
    return undefined
  }

  section("$schema", known.$schema)
  section("names", known.names)
  const bindings = present(section("bindings", known.bindings) ?? {})
  const prices = priceBook(section("prices", known.prices) ?? {})
  const upstreams = yield* Upstreams.resolve(section("upstreams", known.upstreams) ?? {})
  const platform = yield* Platform.resolve(section("platform", known.platform))
  const upstreamNames = Object.keys(objectOf(raw.upstreams))
  const routes = section("routes", known.routes) ?? []
  const custom = Custom.resolve(section("operations", known.operations) ?? [], names, bindings, upstreamNames)
  const config: Config = {
    names,
    bindings,
    prices,
    upstreams: upstreams.upstreams,
    routes,
    models: section("models", known.models) ?? [],
    operations: custom.custom,
    platform: platform.platform,
    upstreamRpm: section("limits", known.limits)?.upstreamRpm,
    replayByDefault: section("replayByDefault", known.replayByDefault) ?? false,
    signupCredit: section("signupCredit", known.signupCredit),
    sandbox: section("sandbox", known.sandbox) ?? upstreamNames.length === 0
  }
  problems.push(
    ...upstreams.problems,
    ...platform.problems,
    ...Routes.problemsIn(routes, upstreamNames),
    ...custom.problems
  )
  return problems.length === 0 ? config : yield* invalid(document, problems)
})

const parsed = <A>(text: string, read: (document: Document) => Effect.Effect<A, Invalid>) =>
  Result.match(parse(text), {
    onFailure: ({ at, message }) => Effect.fail(new Invalid({ problems: [{ at, path: "", message }] })),
    onSuccess: read
  })

/** Credentials of upstreams are fetched from the environment on the way. */
export const decode = (text: string): Effect.Effect<Config, Invalid> => parsed(text, read)

export const decodeCredit = (text: string): Effect.Effect<MicroUsd | undefined, Invalid> =>
  parsed(text, (document) => {
    const { signupCredit } = objectOf(document.value)
    if (signupCredit === undefined) return Effect.undefined
    return Effect.mapError(Effect.fromResult(Issues.decode(Credit, signupCredit, ["signupCredit"])), (problems) =>
      invalid(document, problems)
    )
  })

/** Without a file. */
export const none: Config = {
  names: defaults,
  bindings: {},
  prices: priceBook({}),
  upstreams: {},
  routes: [],
  models: [],
  operations: [],
  platform: undefined,
  upstreamRpm: undefined,
  replayByDefault: false,
  signupCredit: undefined,
  sandbox: true
}
