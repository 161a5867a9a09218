import * as Catalogue from "@tollgate/contract/Catalogue"
import { usd } from "@tollgate/contract/Money"
import { defaults, fill } from "@tollgate/contract/Names"
import * as Operation from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import { rerank } from "@tollgate/contract/operations/rerank"
import type { Model, PriceBook } from "../../../src/exchange/Prices.ts"
import { detailsOf, type OperationDetails } from "../../../src/endpoints/catalogue/details.ts"

const roles = (operation: Operation.Operation) =>
  Object.fromEntries(operation.pending.flatMap((part) => (part.open === "parameter" ? [[part.role, part.role]] : [])))

/** Every operation of the contract with a path and names for what is pending. */
export const builtIn = Catalogue.make(
  operations,
  defaults,
  Object.fromEntries(
    Catalogue.entries(Catalogue.make(operations, defaults)).map(({ id }, i) => [
      id,
      {
        ...(operations[i]!.path === undefined ? { path: `/v1/${id.replaceAll(/[._]/g, "-")}` } : {}),
        parameters: roles(operations[i]!)
      }
    ])
  )
)

export const contractPrices: PriceBook = { of: (operation) => operation.price }

/** The details of the operations that can be called, by id. */
export const indexOf = (
  catalogue: Catalogue.Catalogue,
  prices = contractPrices,
  models: ReadonlyArray<Model> = []
): { readonly details: (id: string) => OperationDetails | undefined } => ({
  details: (id) => {
    const operation = catalogue.byId.get(id)
    const described = catalogue.operations.find((one) => fill(one.id, catalogue.names) === id)
    return operation && detailsOf(operation, described ?? operation, prices, models)
  }
})

export const bound = (id: string): Operation.Bound => builtIn.byId.get(id)!

/** An operation of which only the request matters. */
export const requesting = (request: Operation.Request, path = "/v1/any", method: Operation.Method = "POST") =>
  Operation.bind(
    Operation.make({
      ...rerank,
      id: "any",
      request,
      path,
      method,
      price: { contract: "per_request", amount: usd("0.01") }
    }),
    defaults
  )!
