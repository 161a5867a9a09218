import type { Serving } from "../exchange/Prices.ts"
import { makeFinder, type Route, sharedRoutes, type Target, targetsOf } from "./Route.ts"
import { translatedTo } from "./speaks.ts"

/** Returns a function that finds the targets of an operation for a model, in the order of their route. */
export const makeReach = (routes: ReadonlyArray<Route>) => {
  const find = makeFinder(routes)
  const findShared = makeFinder(sharedRoutes(routes))
  return (operation: string, model?: string): ReadonlyArray<Target> => {
    const route = find(operation, model) ?? findShared(operation, model)
    return route === undefined ? [] : targetsOf(route)
  }
}

export const servingOf = ({ provider }: Target, operation: string): Serving => ({
  upstream: provider.name,
  protocol: provider.protocol,
  isTranslated: translatedTo(provider, operation) !== undefined
})
