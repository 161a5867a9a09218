import { fill, type Names } from "@tollgate/contract/Names"
import type { Operation, parts } from "@tollgate/contract/Operation"
import { type Provider, providerDefaults } from "./Provider.ts"
import { batchEmbedContents } from "@tollgate/contract/operations/batchEmbedContents"
import { countTokens } from "@tollgate/contract/operations/countTokens"
import { countTokensGemini } from "@tollgate/contract/operations/countTokensGemini"
import { embedContent } from "@tollgate/contract/operations/embedContent"
import { generateContent } from "@tollgate/contract/operations/generateContent"
import { messages } from "@tollgate/contract/operations/messages"
import { responses } from "@tollgate/contract/operations/responses"
import { responsesInputTokens } from "@tollgate/contract/operations/responsesInputTokens"
import { isByModel } from "@tollgate/contract/price/Price"
import { shapeFor, shapeOf, translatedTo } from "./speaks.ts"

/** The protocols that send a request and its answer on as they are. */
export const sentUnchanged: ReadonlyArray<string> = ["openai", "json", "task"]

const protocolsFor = ({ family, price }: Operation): ReadonlyArray<string> =>
  isByModel(price) || family === "anthropic" || family === "gemini" ? [family] : sentUnchanged

/** Whether an upstream can execute the operation, translated or not. */
export const serves = (provider: Pick<Provider, "protocol" | "lacks">, operation: Operation): boolean =>
  shapeOf(operation.id) === undefined
    ? protocolsFor(operation).includes(provider.protocol)
    : shapeFor(provider, operation.id) !== undefined

/** The operations that go where another one goes if they have no route of their own, and what their path adds to its path. */
const sharing = [
  { operation: countTokens.id, like: messages.id, suffix: "/count_tokens" },
  { operation: responsesInputTokens.id, like: responses.id, suffix: "/input_tokens" },
  { operation: countTokensGemini.id, like: generateContent.id, suffix: ":countTokens" },
  { operation: batchEmbedContents.id, like: embedContent.id, suffix: ":batchEmbedContents" }
] as const

export const routedLike = (operation: string): string | undefined =>
  sharing.find((each) => each.operation === operation)?.like

/** Gemini's paths end in a method, which the suffix replaces. */
const geminiMethod = /:(?:generateContent|embedContent)$/

export const sharedRoutes = <T extends Target>(routes: ReadonlyArray<Route<T>>): ReadonlyArray<Route<T>> =>
  sharing.flatMap(({ like, operation, suffix }) =>
    routes
      .filter((route) => route.operation === like)
      .map((route) => ({
        ...onlyTo(route, ({ provider }) => translatedTo(provider, like) === undefined, suffix),
        operation
      }))
      .filter(({ to }) => to.length > 0)
  )

/** The route with some of its targets only. `suffix` is added to their paths. */
const onlyTo = <T extends Target, R extends TargetsOf<T>>(route: R, is: (target: T) => boolean, suffix = ""): R => {
  const pathOf = (path: string) => (suffix === "" ? path : path.replace(geminiMethod, "") + suffix)
  const some = (targets: ReadonlyArray<T>) =>
    targets.filter(is).map((target) => (target.path === undefined ? target : { ...target, path: pathOf(target.path) }))
  return { ...route, to: some(route.to), ...(route.fallback && { fallback: some(route.fallback) }) }
}

export type TargetNames = Readonly<Partial<Record<(typeof parts)[number], Readonly<Record<string, string>>>>>

/** An upstream that can execute an operation. */
export interface Target {
  readonly provider: Provider
  /** The upstream's name for the model, if it differs from the caller's. */
  readonly model?: string
  /** Replaces the operation's own path. */
  readonly path?: string
  /** The upstream's names for parameters that have others there, by part and by the caller's name. */
  readonly names?: TargetNames
  /** Headers of the caller that are sent on, in lower case. */
  readonly forwardedHeaders?: ReadonlyArray<string>
  readonly tool?: string
  /** The upstream takes the caller's JSON as a form, or under this type. */
  readonly body?: "form" | { readonly json: string }
  /** Its share of the calls, relative to the other targets of the route. */
  readonly weight: number
  /** Only of a fallback: it is tried if one of these was so. */
  readonly when?: ReadonlyArray<Condition>
  /** What becomes of a call with something that its protocol cannot express. Default: it is refused. */
  readonly lossy?: "refuse" | "skip" | "drop"
}

/** Why a call did not run at an upstream. */
export const conditions = ["rate_limited", "unreachable", "overloaded", "too_long"] as const
export type Condition = (typeof conditions)[number]

interface TargetsOf<T extends Target> {
  readonly to: ReadonlyArray<T>
  /** Tried after those, in this order. */
  readonly fallback?: ReadonlyArray<T>
}

export interface Route<T extends Target = Target> extends TargetsOf<T> {
  /** The id, with the names filled in. */
  readonly operation: string
  /** A model's name, or a prefix that ends with `*`. Missing: every model without a route of its own. */
  readonly model?: string
  /** Which of `to` comes first. Default: by weight. */
  readonly prefer?: "cheapest" | "fastest"
  /**
   * Whether a call that may have run is made once more elsewhere. What answers is charged, the first attempt never. Default: if
   * the caller asks for it.
   */
  readonly paidAgain?: "never" | "once"
}

export const targetsOf = <T extends Target>({ fallback, to }: TargetsOf<T>): ReadonlyArray<T> =>
  fallback === undefined ? to : [...to, ...fallback]

/**
 * Routes without an operation are for every operation of models that their upstreams serve. One of the operation itself, for the
 * same model, comes before.
 */
export const expand = (
  routes: ReadonlyArray<Omit<Route, "operation"> & { readonly operation?: string }>,
  operations: ReadonlyArray<Operation>,
  names: Names
): ReadonlyArray<Route> => {
  const own = routes.flatMap((route) =>
    route.operation === undefined ? [] : [{ ...route, operation: route.operation }]
  )
  const byModel = operations.filter(({ path, price }) => path !== undefined && isByModel(price))
  const others = routes
    .filter(({ operation }) => operation === undefined)
    .flatMap((route) =>
      byModel.map((operation) => ({
        ...onlyTo(route, ({ provider }: Target) => serves(provider, operation)),
        operation: fill(operation.id, names)
      }))
    )
    .filter(
      ({ model, operation, to }) =>
        to.length > 0 && !own.some((other) => other.operation === operation && other.model === model)
    )
  return [...own, ...others]
}

interface Table<T extends Target> {
  readonly exact: Map<string, Route<T>>
  /** Longest first. */
  prefixes: ReadonlyArray<readonly [prefix: string, route: Route<T>]>
  any: Route<T> | undefined
}

/** Returns a function that finds the route of an operation: by the model's name, by its longest prefix, or else by the operation alone. */
export const makeFinder = <T extends Target>(routes: ReadonlyArray<Route<T>>) => {
  const tables = new Map<string, Table<T>>()
  for (const route of routes) {
    const { model, operation } = route
    const table: Table<T> = tables.get(operation) ?? { exact: new Map(), prefixes: [], any: undefined }
    tables.set(operation, table)
    if (model === undefined) table.any = route
    else if (!model.endsWith("*")) table.exact.set(model, route)
    else {
      const entry = [model.slice(0, -1), route] as const
      table.prefixes = [...table.prefixes, entry].toSorted(([a], [b]) => b.length - a.length)
    }
  }
  return (operation: string, model: string | undefined): Route<T> | undefined => {
    const table = tables.get(operation)
    if (table === undefined) return undefined
    if (model !== undefined) {
      const exact = table.exact.get(model)
      if (exact !== undefined) return exact
      for (const [prefix, route] of table.prefixes) if (model.startsWith(prefix)) return route
    }
    return table.any
  }
}

/** Chooses by weight. `chance` is a random number, at least 0 and below 1. */
export const choose = <T extends Target>(targets: ReadonlyArray<T>, chance: number): T | undefined => {
  let left = chance * targets.reduce((sum, { weight }) => sum + weight, 0)
  for (const target of targets) {
    left -= target.weight
    if (left < 0) return target
  }
  return targets.at(-1)
}

const usual = { ...providerDefaults, headers: {}, forwardedHeaders: [], private: true, breaker: true }

/** A provider that a program names itself. What it leaves out has the usual value; `idleMillis` is its deadline. */
export type FixedProvider = Omit<Provider, keyof typeof usual | "idleMillis"> &
  Partial<Pick<Provider, keyof typeof usual | "idleMillis">>

/** A route with one target for each operation id. */
export const routesTo = (providers: Readonly<Record<string, FixedProvider>>): ReadonlyArray<Route> =>
  Object.entries(providers).map(([operation, provider]) => ({
    operation,
    to: [{ provider: { ...usual, idleMillis: provider.deadlineMillis, ...provider }, weight: 1 }]
  }))
