import { parseUsd } from "@tollgate/contract/Money"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type { WrittenPrices } from "../config/Config.ts"
import { type ListedModel, type ListedOperation, type PriceList, priceOf } from "./PriceList.ts"

export interface Change {
  /** A model, or an operation that is not billed by model. */
  readonly name: string
  /** A path such as `tiers.flex`. Missing for a model that the configuration does not have. */
  readonly field?: string
  /** What the configuration says; missing if it says nothing. */
  readonly now?: unknown
  readonly listed: unknown
  readonly day: string
  readonly source: string
}

/** `2.5` is `2.50`. */
const isSameText = (now: string, listed: string): boolean => {
  if (now === listed) return true
  const amount = Option.getOrUndefined(parseUsd(now))
  return amount !== undefined && amount === Option.getOrUndefined(parseUsd(listed))
}

const isSame = (now: unknown, listed: unknown): boolean => {
  if (typeof now === "string" && typeof listed === "string") return isSameText(now, listed)
  if (Array.isArray(now) && Array.isArray(listed)) {
    return now.length === listed.length && listed.every((item, i) => isSame(now[i], item))
  }
  if (!Predicate.isObject(now) || !Predicate.isObject(listed)) return now === listed
  const names = Object.keys(listed)
  return names.length === Object.keys(now).length && names.every((name) => isSame(now[name], listed[name]))
}

/** The parts that differ, by their paths. What only the configuration has is the operator's own. */
const differing = (
  now: unknown,
  listed: unknown,
  path: string
): ReadonlyArray<Pick<Change, "field" | "now" | "listed">> => {
  if (Predicate.isObject(listed) && !Array.isArray(listed) && (now === undefined || Predicate.isObject(now))) {
    return Object.entries(listed).flatMap(([name, value]) =>
      differing(now?.[name], value, path === "" ? name : `${path}.${name}`)
    )
  }
  return isSame(now, listed) ? [] : [{ field: path, ...(now === undefined ? {} : { now }), listed }]
}

const changesOf = (configured: Readonly<Record<string, unknown>>, model: ListedModel): ReadonlyArray<Change> => {
  const { day, model: name, source } = model
  return differing(configured, priceOf(model), "").map((change) => ({ name, ...change, day, source }))
}

const addition = ({ day, input, model, output, source }: ListedModel): Change => ({
  name: model,
  listed: `${input} / ${output}`,
  day,
  source
})

const changeOf = (
  written: WrittenPrices["operations"],
  { day, operation, perUnit, source }: ListedOperation
): ReadonlyArray<Change> => {
  const now = Object.hasOwn(written, operation) ? written[operation]?.["perUnit"] : undefined
  return differing(now, perUnit, "perUnit").map((change) => ({ name: operation, ...change, day, source }))
}

/** Whether something of the list may be added: its provider is an upstream, or upstreams are not called by providers here. */
const isOffered = ({ upstreams }: WrittenPrices, { models, operations = [] }: PriceList) => {
  const providers = new Set([...models, ...operations].map(({ provider }) => provider))
  const known = upstreams.filter((name) => providers.has(name))
  return ({ provider }: ListedModel | ListedOperation): boolean => known.length === 0 || known.includes(provider)
}

/** What the list would change in the prices of models and operations, and what it would add for the configuration's upstreams. */
export const difference = (written: WrittenPrices, list: PriceList): ReadonlyArray<Change> => {
  const offered = isOffered(written, list)
  return [
    ...list.models.flatMap((model) => {
      if (Object.hasOwn(written.models, model.model)) return changesOf(written.models[model.model] ?? {}, model)
      return offered(model) && model.makes === undefined ? [addition(model)] : []
    }),
    ...(list.operations ?? []).flatMap((operation) =>
      offered(operation) ? changeOf(written.operations, operation) : []
    )
  ]
}
