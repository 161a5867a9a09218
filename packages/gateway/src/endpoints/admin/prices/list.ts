import type { PriceChange, PriceLine } from "@tollgate/contract/admin/Prices"
import type { Bound } from "@tollgate/contract/Operation"
import { contractOf } from "@tollgate/contract/price/contracts"
import { modelInWords, writtenModel } from "@tollgate/contract/price/contracts/modelSection"
import { isByModel } from "@tollgate/contract/price/Price"
import type { Gateway } from "../../../call/Gateway.ts"
import { type PriceBook, priceText } from "../../../exchange/Prices.ts"

/** The operations, and what they cost. */
export type Book = Pick<Gateway, "catalogue" | "prices">

const upstreamsOf = ({ servedBy }: PriceBook, { id, upstream }: Bound, model?: string): PriceLine["upstreams"] =>
  upstream === "gateway" || model?.endsWith("*") === true
    ? null
    : (servedBy?.(id, model).map(({ upstream }) => upstream) ?? null)

/** The prices in force, in the order of the catalogue. `isInSection`: whether the file's section `prices` can hold it. */
export const priceLines = (
  { catalogue, prices }: Book,
  isInSection: (operation: string) => boolean
): ReadonlyArray<PriceLine> => {
  const linesOf = (operation: Bound): ReadonlyArray<PriceLine> => {
    const price = prices.all?.(operation) ?? prices.of(operation)
    const { contract } = price
    const { id } = operation
    const upstreams = upstreamsOf(prices, operation)
    const line = { operation: id, model: null, contract, words: priceText(price).words, upstreams }
    if (!isByModel(price)) {
      return [{ ...line, config: isInSection(id) ? contractOf(price).written(price) : null }]
    }
    const models = Object.entries(price.models)
    if (models.length === 0) return [{ ...line, config: null }]
    return models.map(([model, tokens]) => ({
      ...line,
      model,
      words: modelInWords(tokens),
      upstreams: upstreamsOf(prices, operation, model),
      config: isInSection(id) ? writtenModel(tokens) : null
    }))
  }
  return catalogue.bound.flatMap(linesOf)
}

/** More are counted and not listed. */
const most = 1_000

const idOf = ({ model, operation }: PriceLine): string => JSON.stringify([operation, model])

const shown = (line: PriceLine | undefined): PriceChange["before"] =>
  line === undefined ? null : { words: line.words, config: line.config }

/** The prices that differ. Words leave out details, so the written prices are compared too. */
export const changesBetween = (before: ReadonlyArray<PriceLine>, after: ReadonlyArray<PriceLine>) => {
  const old = new Map(before.map((line) => [idOf(line), line]))
  const next = new Map(after.map((line) => [idOf(line), line]))
  const changes: Array<PriceChange> = []
  for (const id of new Set([...old.keys(), ...next.keys()])) {
    const [was, is] = [old.get(id), next.get(id)]
    const { model = null, operation = "" } = is ?? was ?? {}
    const change = { operation, model, before: shown(was), after: shown(is) }
    if (JSON.stringify(change.before) !== JSON.stringify(change.after)) changes.push(change)
  }
  return { changed: changes.length, changes: changes.slice(0, most) }
}
