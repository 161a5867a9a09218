import { type BigMicroUsd, micro } from "@tollgate/contract/Money"
import { contractOf, settle, settleCached } from "@tollgate/contract/price/contracts"
import type { Evidence } from "@tollgate/contract/price/evidence"
import { familyOf, findModel } from "@tollgate/contract/price/modelFamily"
import { isByModel, type ModelPrice, modelsOf, type Multiplier, one, type Price } from "@tollgate/contract/price/Price"
import * as Option from "effect/Option"
import { upToCap } from "@tollgate/ledger/ledger/Settled"

/** The price of an operation, by its id, and model. `undefined`: there is no such operation. */
export type FindPrice = (operation: string, model: string | undefined) => Price | undefined

/** What the ledger has of a settled call. */
export interface RecordedCall {
  readonly operation: string
  /** When it began. */
  readonly at: number
  readonly evidence: Evidence | undefined
  /** Of a call that got a kept answer, whose evidence is that of the first call. */
  readonly share?: Multiplier | undefined
  readonly cap: BigMicroUsd | undefined
  readonly multiplier: Multiplier
}

/** The price of a part is that of its model. Upstreams may report its maker too. */
const partPrice = (find: FindPrice, operation: string, model: string): ModelPrice | undefined =>
  findModel(modelsOf(find(operation, model)), model) ??
  findModel(modelsOf(find(operation, familyOf(model))), familyOf(model))

/** The price of the call when it was made, with those of all models that took part. */
const priceFor = (find: FindPrice, { at, evidence, operation }: RecordedCall): Price | undefined => {
  const model = evidence?.kind === "model" ? evidence : undefined
  const price = find(operation, model?.model)
  if (price === undefined) return undefined
  const models: Record<string, ModelPrice> = { ...modelsOf(price) }
  for (const part of model?.parts ?? []) {
    const own = Object.hasOwn(models, part.model) ? undefined : partPrice(find, operation, part.model)
    if (own !== undefined) models[part.model] = own
  }
  const all = isByModel(price) ? { ...price, models } : price
  return contractOf(all).at?.(all, at) ?? all
}

/** What the call would cost at these prices. `undefined`: what is recorded does not tell. */
export const recompute = (
  call: RecordedCall,
  find: FindPrice
): { readonly value: BigMicroUsd; readonly charged: BigMicroUsd } | undefined => {
  const { cap, evidence, multiplier, share } = call
  const price = priceFor(find, call)
  if (evidence === undefined || price === undefined) return undefined
  const { forRecorded } = contractOf(price)
  const own = forRecorded === undefined ? price : forRecorded(price, evidence)
  const full = own && Option.getOrUndefined(settle(own, evidence, share === undefined ? multiplier : one))
  const settlement =
    full === undefined || share === undefined ? full : settleCached(full.chargedNano, share, multiplier)
  return settlement && { value: settlement.value, charged: micro(upToCap(settlement.charged, cap)) }
}
