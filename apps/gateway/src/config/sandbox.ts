import { fill, type Names } from "@tollgate/contract/Names"
import type { Binding } from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import { contractOf } from "@tollgate/contract/price/contracts"
import { findModel } from "@tollgate/contract/price/modelFamily"
import { isByModel, type Price } from "@tollgate/contract/price/Price"
import { type PriceBook, type Route, routedLike } from "@tollgate/gateway/operator"
import { Description } from "@tollgate/sandbox"

/** Names for what the contract leaves open: those of the file, or else the sandbox's. */
export const bindings = (names: Names, file: Readonly<Record<string, Binding>>): Readonly<Record<string, Binding>> =>
  Object.fromEntries(
    operations.map((operation) => {
      const id = fill(operation.id, names)
      const path = Description.paths[operation.id]
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

const byModel = new Set(
  operations.filter(({ id, price }) => isByModel(price) || routedLike(id) !== undefined).map(({ id }) => id)
)

/** Counting tokens goes where messages go, so a route of those is one of both. */
const isRoutedBy = (id: string, operation: string): boolean => operation === id || operation === routedLike(id)

/** The sandbox serves operations that the file does not route, and its own models for those that it does. */
export const routes = (names: Names, file: ReadonlyArray<Route>): ReadonlyArray<Route> =>
  Description.routes(names).flatMap((route) => {
    const routed = file.filter(({ operation }) => isRoutedBy(route.operation, operation))
    if (routed.length === 0) return [route]
    if (!byModel.has(route.operation)) return []
    return [Description.model, `${Description.model}:*`]
      .filter((model) => !routed.some((own) => own.model === model))
      .map((model) => ({ ...route, model }))
  })

const filled = (id: string, price: Price): Price =>
  contractOf(price).withAmount?.(price, Description.amountOf(id)) ?? price

/** Adds prices for unpriced operations that only the sandbox serves. The operator prices the others. */
export const prices = (book: PriceBook, file: ReadonlyArray<Route>, sandbox: ReadonlyArray<Route>): PriceBook => {
  const served = new Set(sandbox.map(({ operation }) => operation))
  const routed = new Set(file.map(({ operation }) => operation))
  return {
    ...book,
    all: (operation) => {
      const price = (book.all ?? book.of)(operation)
      if (!isByModel(price)) return routed.has(operation.id) ? price : filled(operation.id, price)
      if (!served.has(operation.id)) return price
      return findModel(price.models, Description.model) === undefined
        ? { ...price, models: { [Description.model]: Description.modelPrice, ...price.models } }
        : price
    },
    of: (operation, name) => {
      const price = book.of(operation, name)
      if (isByModel(price)) {
        if (!served.has(operation.id)) return price
        const own = Description.modelPrice
        if (name === undefined) return { ...price, models: { [Description.model]: own, ...price.models } }
        return Description.isModel(name) && !Object.hasOwn(price.models, name)
          ? { ...price, models: { [name]: own } }
          : price
      }
      return routed.has(operation.id) ? price : filled(operation.id, price)
    }
  }
}
