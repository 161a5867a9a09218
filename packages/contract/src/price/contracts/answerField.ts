import * as Schema from "effect/Schema"
import { type Amount, type FieldPath, inWords, isNothing } from "../Amount.ts"
import { textBytes } from "../content.ts"
import { isTokenCount } from "../evidence.ts"
import { read, whole } from "../exact.ts"
import type { PriceContract } from "../PriceContract.ts"
import { Field, ifPriced, Most, named, pathOf, terms, text, Usd, UsdOrNumber, usdText } from "../priceSchemas.ts"

/** One unit for each `itemsPerUnit` items of a field of the request. A longer item than `bytesPerItem` may count as several. */
interface RequestedUnits {
  readonly items: string
  readonly itemsPerUnit: number
  readonly bytesPerItem: number
}

/**
 * Bills the whole units in a field of the answer. `most` is the largest number that an estimate assumes. With `requested`
 * the request says how many it asks for, and they are billed if the answer does not report any.
 */
export interface AnswerField {
  readonly contract: "answer_field"
  readonly perUnit: Amount
  readonly field: FieldPath
  /** In the singular: `credit`. */
  readonly unit?: string
  readonly most: number
  readonly requested?: RequestedUnits
}

const count = (
  items: ReadonlyArray<unknown>,
  { bytesPerItem, itemsPerUnit }: RequestedUnits,
  bytesPerToken: number
) => {
  let counted = 0
  for (const item of items) counted += Math.max(1, Math.ceil(textBytes(item) / bytesPerToken / bytesPerItem))
  return Math.max(1, Math.ceil(counted / itemsPerUnit))
}

/** The expected number of units of a call, and the highest. */
const unitsIn = ({ most, requested }: AnswerField, request: unknown) => {
  const items = requested === undefined ? undefined : read(request, [requested.items])
  if (requested === undefined || !Array.isArray(items)) return { likely: 1, most }
  return { likely: Math.min(most, count(items, requested, 4)), most: Math.min(most, count(items, requested, 1)) }
}

const Own = Schema.Struct({
  ...named("answer_field"),
  perUnit: UsdOrNumber,
  field: Field('the path of a field of the answer, such as "usage.credits"'),
  unit: Schema.optionalKey(text(/^[a-z][a-z ]{0,29}$/u, 'a word in the singular, such as "credit"')),
  most: Most
})

export const answerField: PriceContract<AnswerField> = {
  canBeFree: ({ perUnit }) => isNothing(perUnit),
  estimate: (price, request) => {
    const { perUnit } = price
    if (perUnit === "pending") return undefined
    const { likely, most } = unitsIn(price, request)
    return { likely: whole(perUnit, likely), most: whole(perUnit, most) }
  },
  decidingFields: ({ requested }) => (requested === undefined ? [] : [[[requested.items]]]),
  evidence: ({ field }, answer) => {
    const units = read(answer, field)
    return isTokenCount(units) ? { kind: "units", count: units } : undefined
  },
  answerFields: ({ field }) => [field],
  counted: (price, request) =>
    price.requested === undefined
      ? undefined
      : { kind: "units", count: unitsIn(price, request).likely, isEstimate: true },
  settle: ({ perUnit }, evidence) =>
    perUnit === "pending" || evidence.kind !== "units" ? undefined : whole(perUnit, evidence.count),
  basis: ({ field, most, perUnit, requested, unit = "unit" }, times) => {
    const asked =
      requested === undefined
        ? `the estimate assumes 1 ${unit}, the maximum ${most}`
        : `the estimate assumes 1 ${unit} for each ${requested.itemsPerUnit} items of ${requested.items}, more if they are long`
    return `${inWords(perUnit)} / ${unit} in ${field.join(".")}${times}; ${asked}`
  },
  units: ({ field, perUnit, unit = "unit" }) => [{ per: `${unit} in ${field.join(".")}`, amounts: [perUnit] }],
  section: (price) =>
    terms(
      Schema.Struct({ ...named("answer_field"), perUnit: Usd, most: Schema.optionalKey(Most) }),
      ({ most = price.most, perUnit }) => ({ ...price, perUnit, most })
    ),
  example: '{ "perUnit": …, "most": … }',
  own: {
    key: "perUnit",
    example: '{ "perUnit": …, "field": …, "most": … }',
    schema: () => terms(Own, ({ field, ...price }) => ({ ...price, contract: "answer_field", field: pathOf(field) }))
  },
  written: ({ contract, most, perUnit }) => ifPriced({ contract, perUnit: usdText(perUnit), most }),
  withAmount: (price, amount) => (price.perUnit === "pending" ? { ...price, perUnit: amount } : price)
}
