import type { PriceLine } from "@tollgate/contract/admin/Prices"
import { detailNames, kindNames } from "@tollgate/contract/price/TokenKind"

// Prices have up to nine decimals. They are computed as whole nano-USD.

const scale = 9

/** Nano-USD, or `undefined` if the text is not a decimal with up to nine places. */
export const parseDecimal = (text: string): bigint | undefined => {
  const [, whole, fraction = ""] = /^(\d{1,12})(?:\.(\d{1,9}))?$/.exec(text.trim()) ?? []
  return whole === undefined ? undefined : BigInt(whole + fraction.padEnd(scale, "0"))
}

export const formatDecimal = (nanos: bigint): string => {
  const digits = nanos.toString().padStart(scale + 1, "0")
  const fraction = digits.slice(-scale).replace(/0+$/, "")
  return `${digits.slice(0, -scale)}${fraction === "" ? "" : `.${fraction}`}`
}

const unit = 10n ** BigInt(scale)

/** The product, rounded half up to the ninth decimal. */
export const multiplyDecimal = (a: bigint, b: bigint): bigint => (a * b + unit / 2n) / unit

export const idOf = ({ model, operation }: Pick<PriceLine, "model" | "operation">): string =>
  JSON.stringify([operation, model])

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

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
  if (!isObject(price)) return price
  return Object.fromEntries(
    Object.entries(price).map(([name, inner]) => {
      if (conditions.has(name)) return [name, inner]
      if (typeof inner === "string" && isAmount(name, path)) return [name, change(inner, path + name)]
      return [name, mapAmounts(inner, change, `${path}${name}.`)]
    })
  )
}

/** The amounts of a price, by path. */
export const amountsIn = (price: unknown): ReadonlyArray<readonly [path: string, amount: string]> => {
  const found: Array<readonly [string, string]> = []
  mapAmounts(price, (amount, path) => {
    found.push([path, amount])
    return amount
  })
  return found
}

/** The section `prices` of the configuration file that sets these prices. */
export const sectionOf = (lines: ReadonlyArray<PriceLine>): object => {
  const fixed = new Map<string, unknown>()
  const models = new Map<string, Map<string, unknown>>()
  for (const { config, model, operation } of lines) {
    if (config === null) continue
    if (model === null) fixed.set(operation, config)
    else models.set(operation, (models.get(operation) ?? new Map()).set(model, config))
  }
  for (const [operation, prices] of models) fixed.set(operation, { models: Object.fromEntries(prices) })
  return { operations: Object.fromEntries(fixed) }
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
    const section = isObject(parsed) && isObject(parsed.prices) ? parsed.prices : parsed
    return isObject(section) ? { section } : { problem: "The section prices is an object: { … }" }
  } catch (error) {
    return { problem: `This is not JSON (comments are not allowed): ${error instanceof Error ? error.message : ""}` }
  }
}
