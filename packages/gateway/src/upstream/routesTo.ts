import { type Provider, providerDefaults } from "./Provider.ts"
import type { Route } from "./Route.ts"

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
