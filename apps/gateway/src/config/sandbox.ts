import { usd } from "@tollgate/contract/Money"
import { fill, type Names } from "@tollgate/contract/Names"
import type { Binding } from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import type { ModelPrice, Price } from "@tollgate/contract/price/Price"
import type { PriceBook } from "@tollgate/gateway/Prices"
import type { Route } from "@tollgate/gateway/upstream/Route"
import * as Sandbox from "@tollgate/gateway/upstream/sandbox"

/** The sandbox's own names for what the contract leaves open; those of the file come first. */
export const bindings = (names: Names, file: Readonly<Record<string, Binding>>): Readonly<Record<string, Binding>> =>
  Object.fromEntries(
    operations.map((operation) => {
      const id = fill(operation.id, names)
      const path = Sandbox.paths[operation.id]
      const roles = operation.pending.flatMap((pending) => (pending.open === "parameter" ? [pending.role] : []))
      return [
        id,
        {
          ...(path === undefined ? {} : { path }),
          ...(roles.length === 0 ? {} : { parameters: Object.fromEntries(roles.map((role) => [role, role])) }),
          ...file[id]
        }
      ]
    })
  )

const modelNames = ["sandbox", "sandbox:*"]
const isByModel = new Set(operations.filter(({ price }) => price.contract === "model_tokens").map(({ id }) => id))

/** What the file does not route; of the operations by model that it does, the sandbox's own models. */
export const routes = (names: Names, file: ReadonlyArray<Route>): ReadonlyArray<Route> =>
  Sandbox.routes(names).flatMap((route) => {
    const routed = file.filter(({ operation }) => operation === route.operation)
    if (routed.length === 0) return [route]
    if (!isByModel.has(route.operation)) return []
    return modelNames
      .filter((model) => !routed.some((own) => own.model === model))
      .map((model) => ({ ...route, model }))
  })

// Invented, for the sandbox alone.
const model: ModelPrice = { input: usd("1"), output: usd("4"), cacheRead: usd("0.1"), cacheWrite: usd("1.25") }
const amounts: Readonly<Record<string, string>> = { "images.generate": "0.02", "video.create": "0.05" }

const filled = (id: string, price: Price): Price => {
  const amount = usd(amounts[id] ?? "0.001")
  switch (price.contract) {
    case "per_request":
    case "body_code":
    case "per_task":
      return price.amount === "pending" ? { ...price, amount } : price
    case "per_token":
      return price.perMillion === "pending" ? { ...price, perMillion: amount } : price
    case "response_count":
      return price.perItem === "pending" ? { ...price, perItem: amount } : price
    default:
      return price
  }
}

const isOwn = (name: string): boolean => name === "sandbox" || name.startsWith("sandbox:")

/** Prices for what the sandbox carries out and nobody has priced. What goes elsewhere has no price but the operator's. */
export const prices = (book: PriceBook, routes: ReadonlyArray<Route>): PriceBook => {
  const served = new Set(
    routes.filter(({ to }) => to.every(({ provider }) => provider.sandbox)).map(({ operation }) => operation)
  )
  const shared = new Set(
    routes.filter(({ to }) => to.some(({ provider }) => !provider.sandbox)).map(({ operation }) => operation)
  )
  return {
    of: (operation, name) => {
      const price = book.of(operation, name)
      if (price.contract === "model_tokens") {
        if (!served.has(operation.id)) return price
        if (name === undefined) return { ...price, models: { sandbox: model, ...price.models } }
        return isOwn(name) && !Object.hasOwn(price.models, name) ? { ...price, models: { [name]: model } } : price
      }
      return shared.has(operation.id) ? price : filled(operation.id, price)
    }
  }
}
