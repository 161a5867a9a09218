import * as Catalogue from "@tollgate/contract/Catalogue"
import { usd } from "@tollgate/contract/Money"
import { defaults } from "@tollgate/contract/Names"
import * as Operation from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import { rerank } from "@tollgate/contract/operations/rerank"
import * as Effect from "effect/Effect"
import type { Model, PriceBook } from "../../../src/exchange/Prices.ts"
import * as Index from "../../../src/endpoints/tools/catalogue/Index.ts"

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

export const indexOf = (
  catalogue: Catalogue.Catalogue,
  prices = contractPrices,
  models?: ReadonlyArray<Model>
): Index.ToolCatalogue => Effect.runSync(Index.make(catalogue, prices, models))

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
