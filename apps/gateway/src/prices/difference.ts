import { parseUsd } from "@tollgate/contract/Money"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type { WrittenPrices } from "../config/Config.ts"
import type { ListedModel, ListedOperation, PriceList } from "./PriceList.ts"

const amounts = ["input", "output", "cacheRead", "cacheWrite"] as const
const longPromptFields = ["above", ...amounts] as const

/** The fields of a model's price that a list can change, in the order in which a file has them. */
export const fields = [...amounts, "longPrompt", "maxOutput", "contextWindow"] as const
type Field = Exclude<(typeof fields)[number], "longPrompt"> | `longPrompt.${(typeof longPromptFields)[number]}`

export interface Change {
  /** A model, or an operation that is not billed by model. */
  readonly name: string
  /** Missing for one that the configuration does not have. */
  readonly field?: Field | "perUnit"
  /** What the configuration says; missing if it says nothing. */
  readonly now?: string | number
  readonly listed: string | number
  readonly day: string
  readonly source: string
}

const isSame = (now: unknown, listed: string | number): boolean => {
  if (typeof listed === "number") return now === listed
  const amount = typeof now === "string" ? Option.getOrUndefined(parseUsd(now)) : undefined
  return amount !== undefined && amount === Option.getOrUndefined(parseUsd(listed))
}

const said = (now: unknown): Pick<Change, "now"> => (typeof now === "string" || typeof now === "number" ? { now } : {})

const changesOf = (
  configured: Readonly<Record<string, unknown>>,
  { day, longPrompt, model: name, source, ...model }: ListedModel
): ReadonlyArray<Change> => {
  const change = (field: Field, listed: string | number | undefined, now: unknown): ReadonlyArray<Change> =>
    listed === undefined || isSame(now, listed) ? [] : [{ name, field, ...said(now), listed, day, source }]
  return fields.flatMap((field) => {
    const now = configured[field]
    if (field !== "longPrompt") return change(field, model[field], now)
    const long = Predicate.isObject(now) ? now : {}
    return longPromptFields.flatMap((inner) => change(`longPrompt.${inner}`, longPrompt?.[inner], long[inner]))
  })
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
  return isSame(now, perUnit) ? [] : [{ name: operation, field: "perUnit", ...said(now), listed: perUnit, day, source }]
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
      return offered(model) ? [addition(model)] : []
    }),
    ...(list.operations ?? []).flatMap((operation) =>
      offered(operation) ? changeOf(written.operations, operation) : []
    )
  ]
}
