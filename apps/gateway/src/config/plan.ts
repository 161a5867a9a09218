import * as Catalogue from "@tollgate/contract/Catalogue"
import { fill } from "@tollgate/contract/Names"
import type { Operation } from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import { isByModel } from "@tollgate/contract/price/Price"
import type { Composition } from "@tollgate/gateway"
import {
  askedFor,
  expand,
  makeReach,
  type Model,
  type PriceBook,
  type Route,
  type PriceSection
} from "@tollgate/gateway/operator"
import { Description } from "@tollgate/sandbox"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Config, customOperations } from "./Config.ts"
import { ConfigError } from "./read.ts"
import * as Sandbox from "./sandbox.ts"
import { costBookOf, aboutOwn, priceBook, Prices } from "./sections/prices.ts"
import * as Issues from "./text/issues.ts"
import { formatPath } from "./text/Problem.ts"

const routesIn = (config: Config): ReadonlyArray<Route> => {
  const target = <T extends { readonly upstream: string; readonly model?: string; readonly weight: number }>(
    { upstream, ...rest }: T,
    asked?: string
  ) => {
    const provider = config.upstreams[upstream]
    return provider === undefined ? [] : [{ provider: askedFor(provider, rest.model ?? asked), ...rest }]
  }
  const written = config.routes.map(({ fallback = [], lossy, to, ...route }) => {
    const how = lossy === undefined ? {} : { lossy }
    return {
      ...route,
      to: to.flatMap((each) => target({ ...each, ...how }, route.model)),
      fallback: fallback.flatMap((each) => target({ ...each, ...how, weight: 0 }, route.model))
    }
  })
  return [
    ...expand(written, operations, config.names),
    ...config.operations.map(({ cost, operation, target: own, upstream }) => ({
      operation: operation.id,
      to: target({ ...own, upstream, weight: 1 }).map(({ provider, ...rest }) => ({
        provider: cost === undefined ? provider : { ...provider, prices: costBookOf(cost) },
        ...rest
      }))
    }))
  ]
}

/** The models of the file and of its routes, each with the operations that are routed for it. */
const listed = (config: Config, routes: ReadonlyArray<Route>, { bound }: Catalogue.Catalogue): ReadonlyArray<Model> => {
  const byModel = bound.filter(({ price }) => isByModel(price)).map(({ id }) => id)
  const named = routes.flatMap(({ model }) => (model === undefined || model.endsWith("*") ? [] : [{ id: model }]))
  const models: ReadonlyArray<Model> = [...config.models, ...named, ...(config.sandbox ? Description.models : [])]
  const reach = makeReach(routes)
  return models
    .filter(({ id }, i) => models.findIndex((other) => other.id === id) === i)
    .map((model) => ({
      ...model,
      operations: model.operations ?? byModel.filter((id) => reach(id, model.id).length > 0)
    }))
}

/** Two operations with one method and path cannot both be served. */
const collisionIn = ({ bound }: Catalogue.Catalogue): string | undefined => {
  const places = new Map<string, string>()
  for (const { id, method, path } of bound) {
    const other = places.get(`${method} ${path}`)
    if (other !== undefined) return `${other} and ${id} are both at ${method} ${path}`
    places.set(`${method} ${path}`, id)
  }
  return undefined
}

/** The catalogue shows the prices that are charged, and the answers that are kept. */
const priced = (
  catalogue: Catalogue.Catalogue,
  prices: PriceBook,
  { cachedAnswers }: Config
): ReadonlyArray<Operation> =>
  catalogue.operations.map((operation) => {
    const bound = catalogue.byId.get(fill(operation.id, catalogue.names))
    if (bound === undefined) return operation
    const kept = cachedAnswers.get(bound.id)
    return { ...operation, price: prices.of(bound), ...(kept === undefined ? {} : { kept }) }
  })

/** The routes of a configuration, its operations with the prices of the contract, and the prices that it sets. */
export const pricing = (config: Config) => {
  const { names } = config
  const file = routesIn(config)
  const sandbox = config.sandbox ? Sandbox.routes(names, file) : []
  const routes = [...file, ...sandbox]
  const bindings = config.sandbox ? Sandbox.bindings(names, config.bindings) : config.bindings
  const prices = config.sandbox ? Sandbox.prices(config.prices, file, sandbox) : config.prices
  return {
    routes,
    bindings,
    prices,
    contract: Catalogue.make([...operations, ...customOperations(config)], names, bindings)
  }
}

export const plan = (config: Config): Effect.Effect<Composition.Definition, ConfigError> => {
  const { bindings, contract, prices, routes } = pricing(config)
  const message = collisionIn(contract)
  return message === undefined
    ? Effect.succeed({
        catalogue: Catalogue.make(priced(contract, prices, config), config.names, bindings),
        prices,
        routes,
        models: listed(config, routes, contract),
        replayByDefault: config.replayByDefault
      })
    : Effect.fail(new ConfigError({ message, problems: [message] }))
}

const maxProblems = 100

/** Reads a section `prices` as if it were in the configuration in force, instead of its own. */
export const priceSection = (inForce: () => Config): PriceSection => ({
  holds: (id) => operations.some((operation) => fill(operation.id, inForce().names) === id),
  read: (section) => {
    const config = inForce()
    const decoded = Issues.decode(Prices(config.names), section, ["prices"])
    if (Result.isFailure(decoded)) {
      const problems = aboutOwn(decoded.failure.slice(0, maxProblems), customOperations(config), config.names)
      return Result.fail(problems.map(({ message, path }) => `${formatPath(path)}: ${message}`))
    }
    const { contract, prices } = pricing({ ...config, prices: priceBook(decoded.success) })
    return Result.succeed({ catalogue: contract, prices })
  }
})
