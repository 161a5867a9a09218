import * as Catalogue from "@tollgate/contract/Catalogue"
import { defaults, fill } from "@tollgate/contract/Names"
import { operations } from "@tollgate/contract/operations"
import type { PriceBook } from "@tollgate/gateway/exchange/Prices"
import * as ToolCatalogue from "@tollgate/tools/ToolCatalogue"
import * as Effect from "effect/Effect"
import { describedOperations } from "../operation/describedOperations.ts"

/** Operations of the contract without a path get one, as an operator gives it. */
const bindings = Object.fromEntries(
  operations.map(({ id, path }) => [
    fill(id, defaults),
    path === undefined ? { path: `/v1/${id.replaceAll(/[._]/g, "-")}` } : {}
  ])
)

/** The operations of the contract, and so many others. */
export const catalogueOf = (more: number): Catalogue.Catalogue =>
  Catalogue.make([...operations, ...describedOperations(more)], defaults, bindings)

export const contractPrices: PriceBook = { of: ({ price }) => price }

export const indexOf = (catalogue: Catalogue.Catalogue, prices = contractPrices): ToolCatalogue.ToolCatalogue =>
  Effect.runSync(ToolCatalogue.make(catalogue, prices))
