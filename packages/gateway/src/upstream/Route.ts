import type { parts } from "@tollgate/contract/Operation"
import { type Provider, providerDefaults } from "./Provider.ts"
import { countTokens } from "@tollgate/contract/operations/countTokens"
import { messages } from "@tollgate/contract/operations/messages"
import { translatedTo } from "./speaks.ts"

/** The operations that go where another one goes if they have no route of their own, and what their path adds to its path. */
const sharing = [{ operation: countTokens.id, like: messages.id, suffix: "/count_tokens" }] as const

/** The routes that operations share with others. */
export const sharedRoutes = <T extends Target>(routes: ReadonlyArray<Route<T>>): ReadonlyArray<Route<T>> =>
  sharing.flatMap(({ like, operation, suffix }) =>
    routes
      .filter((route) => route.operation === like)
      .map(({ to, ...route }) => ({
        ...route,
        operation,
        to: to
          .filter(({ provider }) => translatedTo(provider, like) === undefined)
          .map((target) => (target.path === undefined ? target : { ...target, path: target.path + suffix }))
      }))
  )

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
  /** The name of the tool, if the upstream is an MCP server. */
  readonly tool?: string
  /** The upstream takes the caller's JSON as a form, or under this type. */
  readonly body?: "form" | { readonly json: string }
  /** Its share of the calls, relative to the other targets of the route. */
  readonly weight: number
  /** What becomes of a call with something that its protocol cannot express. Default: it is refused. */
  readonly lossy?: "refuse" | "skip" | "drop"
}

export interface Route<T extends Target = Target> {
  /** The id, with the names filled in. */
  readonly operation: string
  /** A model's name, or a prefix that ends with `*`. Missing: every model without a route of its own. */
  readonly model?: string
  readonly to: ReadonlyArray<T>
}

interface Table<T> {
  readonly exact: Map<string, ReadonlyArray<T>>
  /** Longest first. */
  prefixes: ReadonlyArray<readonly [prefix: string, to: ReadonlyArray<T>]>
  any: ReadonlyArray<T> | undefined
}

const noTargets: ReadonlyArray<never> = []

/** Returns a function that finds the targets of an operation: by the model's name, by its longest prefix, or else by the operation alone. */
export const makeFinder = <T extends Target>(routes: ReadonlyArray<Route<T>>) => {
  const tables = new Map<string, Table<T>>()
  for (const { model, operation, to } of routes) {
    const table: Table<T> = tables.get(operation) ?? { exact: new Map(), prefixes: [], any: undefined }
    tables.set(operation, table)
    if (model === undefined) table.any = to
    else if (!model.endsWith("*")) table.exact.set(model, to)
    else {
      const entry = [model.slice(0, -1), to] as const
      table.prefixes = [...table.prefixes, entry].toSorted(([a], [b]) => b.length - a.length)
    }
  }
  return (operation: string, model: string | undefined): ReadonlyArray<T> => {
    const table = tables.get(operation)
    if (table === undefined) return noTargets
    if (model !== undefined) {
      const exact = table.exact.get(model)
      if (exact !== undefined) return exact
      for (const [prefix, to] of table.prefixes) if (model.startsWith(prefix)) return to
    }
    return table.any ?? noTargets
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
