import { divideHalfUp, nano, type NanoUsd, parseUsd } from "@tollgate/contract/Money"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type { PriceLine } from "@tollgate/contract/admin/Prices"
import { detailNames, kindNames } from "@tollgate/contract/price/TokenKind"

// Prices have up to nine decimals. They are computed as whole nano-USD.

/** Nano-USD, or `undefined` if the text is not a decimal with up to nine places. */
export const parseDecimal = (text: string): NanoUsd | undefined => Option.getOrUndefined(parseUsd(text.trim()))

/** The product, rounded half up to the ninth decimal. */
export const multiplyDecimal = (a: bigint, b: bigint): NanoUsd => nano(divideHalfUp(a * b, 1_000_000_000n))

export const idOf = ({ model, operation }: Pick<PriceLine, "model" | "operation">): string =>
  JSON.stringify([operation, model])

/** The fields of a price that hold USD. */
const amountNames: ReadonlySet<string> = new Set([
  "amount",
  "perMillion",
  "perItem",
  "perUnit",
  "perCall",
  ...kindNames,
  ...detailNames
])
/** What these hold depends on the request: no amounts, whatever its fields are called. */
const conditions = new Set(["where", "times"])

/** A tool's name is the provider's, and what it holds is an amount. A factor, such as that of a tier, is none. */
const isAmount = (name: string, path: string): boolean => amountNames.has(name) || path.endsWith("tools.")

/** A price with its amounts replaced. `path` names one: `variants.0.amount`. */
export const mapAmounts = (price: unknown, change: (amount: string, path: string) => string, path = ""): unknown => {
  if (Array.isArray(price)) return price.map((inner, i) => mapAmounts(inner, change, `${path}${i}.`))
  if (!Predicate.isObject(price)) return price
  return Object.fromEntries(
    Object.entries(price).map(([name, inner]) => {
      if (conditions.has(name)) return [name, inner]
      if (typeof inner === "string" && isAmount(name, path)) return [name, change(inner, path + name)]
      return [name, mapAmounts(inner, change, `${path}${name}.`)]
    })
  )
}

export const amountsIn = (price: unknown): ReadonlyArray<readonly [path: string, amount: string]> => {
  const found: Array<readonly [string, string]> = []
  mapAmounts(price, (amount, path) => {
    found.push([path, amount])
    return amount
  })
  return found
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> => (Predicate.isObject(value) ? value : {})

const isCoveredBy = (models: Readonly<Record<string, unknown>>, model: string): boolean =>
  Object.keys(models).some((name) => name === model || (name.endsWith("*") && model.startsWith(name.slice(0, -1))))

/**
 * The section `prices` of the file, with the changed lines in it. A price for all operations is changed where it is if
 * all of them get the same one. Otherwise the operation gets an entry of its own.
 */
export const changedSection = (
  written: unknown,
  inForce: ReadonlyArray<PriceLine>,
  lines: ReadonlyArray<PriceLine>
): object => {
  const { models, operations, ...rest } = fieldsOf(written)
  const shared = new Map(Object.entries(fieldsOf(models)))
  const own = new Map(Object.entries(fieldsOf(operations)))
  const ownModels = (operation: string) => fieldsOf(fieldsOf(own.get(operation)).models)
  const changed = lines.filter((line, i) => JSON.stringify(line.config) !== JSON.stringify(inForce[i]?.config))
  for (const { config, model, operation } of changed) {
    if (model === null) {
      own.set(operation, config)
      continue
    }
    const sharing = lines.filter((line) => line.model === model && !isCoveredBy(ownModels(line.operation), model))
    const isShared = shared.has(model) && sharing.some((line) => line.operation === operation)
    if (isShared && sharing.every((line) => JSON.stringify(line.config) === JSON.stringify(config))) {
      shared.set(model, config)
      continue
    }
    // A pattern of its own would come before the shared names that it matches.
    const hidden = [...shared].filter(([name]) => isCoveredBy({ [model]: config }, name))
    const entries = { ...Object.fromEntries(hidden), ...ownModels(operation), [model]: config }
    own.set(operation, { ...fieldsOf(own.get(operation)), models: entries })
  }
  return {
    ...rest,
    ...(shared.size === 0 ? {} : { models: Object.fromEntries(shared) }),
    ...(own.size === 0 ? {} : { operations: Object.fromEntries(own) })
  }
}

/** A pasted section, also with its name around it, or what is wrong with the text. */
export const parseSection = (text: string): { readonly section?: object; readonly problem?: string } => {
  const trimmed = text
    .trim()
    .replace(/^"prices"\s*:/, "")
    .replace(/,$/, "")
  if (trimmed === "") return { problem: "Paste the section prices as JSON." }
  try {
    const parsed: unknown = JSON.parse(trimmed)
    const section = Predicate.isObject(parsed) && Predicate.isObject(parsed.prices) ? parsed.prices : parsed
    return Predicate.isObject(section) ? { section } : { problem: "The section prices is an object: { … }" }
  } catch (error) {
    return { problem: `This is not JSON (comments are not allowed): ${error instanceof Error ? error.message : ""}` }
  }
}
