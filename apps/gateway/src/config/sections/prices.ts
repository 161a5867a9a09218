import { fill, type Names } from "@tollgate/contract/Names"
import type { Operation } from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import { contractOf } from "@tollgate/contract/price/contracts"
import { FreeSection } from "@tollgate/contract/price/contracts/free"
import { Models } from "@tollgate/contract/price/contracts/modelSection"
import { PerRequestSection } from "@tollgate/contract/price/contracts/perRequest"
import { ReportedCostSection } from "@tollgate/contract/price/contracts/reportedCost"
import { findModel } from "@tollgate/contract/price/modelFamily"
import { isByModel, isFree, type ModelPrice, modelsOf, type Price } from "@tollgate/contract/price/Price"
import type { CostBook, PriceBook } from "@tollgate/gateway/operator"
import * as Schema from "effect/Schema"
import type { Problem } from "../text/Problem.ts"
import { optional } from "../text/values.ts"

/** A price of the operation's own contract, per call, by what the upstream reports, or none. A free operation has only one. */
const override = ({ price, request }: Operation): Schema.Codec<Price, unknown> => {
  const { example, section, startsTask } = contractOf(price)
  const own = section(price, request.body !== undefined)
  return isFree(price)
    ? own
    : Schema.Union([
        own,
        PerRequestSection,
        ...(startsTask ? [] : [ReportedCostSection(price)]),
        FreeSection()
      ]).annotate({ expected: `${example} or "free"` })
}

export const Prices = (names: Names) =>
  Schema.Struct({
    unpriced: optional(
      Schema.Literals(["refuse", "remove", "pass"]),
      "What becomes of a request that asks for a tier, tool or the like without a price: refuse is the default"
    ),
    models: optional(Models),
    operations: optional(
      Schema.Struct(
        Object.fromEntries(
          operations.map((operation) => [fill(operation.id, names), optional(override(operation))] as const)
        )
      )
    )
  })

/** Says where the price of an operation of the operator's own belongs, instead of that this section does not know it. */
export const aboutOwn = (
  problems: ReadonlyArray<Problem>,
  own: ReadonlyArray<Pick<Operation, "id">>,
  names: Names
): ReadonlyArray<Problem> => {
  const builtIn = new Set(operations.map(({ id }) => fill(id, names)))
  const ids = new Set(own.flatMap(({ id }) => (builtIn.has(id) ? [] : [id])))
  return problems.map(({ message, path }) => {
    const [prices, section, id, ...others] = path
    const isOwn = prices === "prices" && section === "operations" && others.length === 0 && ids.has(String(id))
    return { path, message: isOwn ? 'the price of this operation belongs in its entry in "operations"' : message }
  })
}

export type PricesFile = ReturnType<typeof Prices>["Type"]

/** All models, without those for which an entry of a list before always counts. */
const merged = (lists: ReadonlyArray<Readonly<Record<string, ModelPrice>>>): Readonly<Record<string, ModelPrice>> => {
  const all: Record<string, ModelPrice> = {}
  const prefixes: Array<string> = []
  for (const [i, models] of lists.entries()) {
    const isFoundBefore = (name: string) =>
      prefixes.some((prefix) => name.startsWith(prefix)) ||
      lists.slice(0, i).some((before) => findModel(before, name) !== undefined)
    for (const [name, price] of Object.entries(models)) if (!isFoundBefore(name)) all[name] = price
    prefixes.push(...Object.keys(models).flatMap((name) => (name.endsWith("*") ? [name.slice(0, -1)] : [])))
  }
  return all
}

const withoutStars = (models: Readonly<Record<string, ModelPrice>>) =>
  Object.fromEntries(Object.entries(models).filter(([name]) => !name.endsWith("*")))

/** Whether a list has an entry of exactly this name. A pattern is no name. */
const hasEntry = (model: string, ...lists: ReadonlyArray<Readonly<Record<string, ModelPrice>> | undefined>): boolean =>
  !model.endsWith("*") && lists.some((models) => models !== undefined && Object.hasOwn(models, model))

export const UpstreamPrices = (names: Names) => {
  const { unpriced: _, ...fields } = Prices(names).fields
  return Schema.Struct(fields)
}

export const costBookOf = (price: Price): CostBook => ({
  of: (_, model) => {
    if (!isByModel(price)) return price
    const found = model === undefined ? undefined : findModel(price.models, model)
    return found && model !== undefined ? { ...price, models: { [model]: found } } : undefined
  }
})

/** Only prices of the file: those of the contract are the operator's own. */
export const costBook = (file: ReturnType<typeof UpstreamPrices>["Type"], names: Names): CostBook => {
  const contract = new Map(operations.map(({ id, price }) => [fill(id, names), price]))
  return {
    lists: ({ id }, model) => hasEntry(model, modelsOf(file.operations?.[id]), file.models),
    of: ({ id, price }, model) => {
      const own = file.operations?.[id]
      if (own !== undefined && !isByModel(own)) return own
      const terms = own ?? contract.get(id) ?? price
      if (model === undefined || !isByModel(terms)) return undefined
      const found = findModel(modelsOf(own), model) ?? findModel(file.models ?? {}, model)
      return found && { ...terms, models: { [model]: found } }
    }
  }
}

/** Prices from the file, or else from the contract. Models of an operation have precedence over those for all operations. */
export const priceBook = (file: PricesFile): PriceBook => ({
  unpriced: file.unpriced,
  canBeFree: ({ id, price }) => {
    const own = file.operations?.[id]
    const used = own ?? price
    const { canBeFree } = contractOf(used)
    if (!isByModel(used)) return canBeFree(used)
    return [modelsOf(own), file.models ?? {}, modelsOf(price)].some((models) => canBeFree({ ...used, models }))
  },
  lists: ({ id, price }, model) => {
    const own = file.operations?.[id]
    return isByModel(own ?? price) && hasEntry(model, modelsOf(own), file.models, modelsOf(price))
  },
  all: (operation) => {
    const own = file.operations?.[operation.id]
    const price = own ?? operation.price
    if (!isByModel(price)) return price
    return { ...price, models: merged([modelsOf(own), file.models ?? {}, modelsOf(operation.price)]) }
  },
  of: (operation, model) => {
    const own = file.operations?.[operation.id]
    const price = own ?? operation.price
    if (!isByModel(price)) return price
    const lists = [modelsOf(own), file.models ?? {}, modelsOf(operation.price)]
    if (model === undefined) return { ...price, models: Object.assign({}, ...lists.toReversed().map(withoutStars)) }
    for (const models of lists) {
      const found = findModel(models, model)
      if (found !== undefined) return { ...price, models: { [model]: found } }
    }
    return { ...price, models: {} }
  }
})
