import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { divideHalfUp, nano, type NanoUsd, usd } from "../../Money.ts"
import { type Amount, formatShare, inWords, isNothing, type Multiplier, one } from "../Amount.ts"
import { parseDecimal, read, whole } from "../exact.ts"
import type { PriceContract, ReportedAt } from "../PriceContract.ts"
import { Factor, Field, ifPriced, named, pathOf, terms, text, Usd, UsdOrNumber, usdText } from "../priceSchemas.ts"
import type { BodyCode } from "./bodyCode.ts"

/** Bills what the upstream says that the call cost, times a factor. `most` is what an estimate assumes. */
export interface ReportedCost {
  readonly contract: "reported_cost"
  /** Where the answer says it. */
  readonly cost: ReportedAt
  readonly factor: Multiplier
  /** USD for each unit that is reported. Missing: USD are. */
  readonly perUnit?: NanoUsd
  /** In the singular: `credit`. */
  readonly unit?: string
  /** The list price of a call, at most. */
  readonly most: Amount
  /** An answer whose field has another number reports a failure. */
  readonly success?: Pick<BodyCode, "field" | "equals">
}

const oneUsd = usd("1")

/** No call costs as much: a larger amount is an upstream's error. */
const largest = usd("1000000")

/** In the unit of `exact.ts`, which is a millionth of a nano-USD. What is smaller than that is dropped. */
const costOf = ({ factor, perUnit = oneUsd }: ReportedCost, reported: string): bigint | undefined => {
  const decimal = parseDecimal(reported)
  return decimal && (decimal.digits * perUnit * factor) / 10n ** BigInt(decimal.scale)
}

const isPossible = (price: ReportedCost, reported: string): boolean => {
  const cost = costOf({ ...price, factor: one }, reported)
  return cost !== undefined && cost <= whole(largest, 1)
}

const placeOf = ({ cost }: ReportedCost): string =>
  "field" in cost ? cost.field.join(".") : `the header ${cost.header}`

const unitOf = ({ perUnit, unit = "unit" }: ReportedCost): string => (perUnit === undefined ? "USD" : unit)

const isAmount = Schema.makeFilter((amount: NanoUsd) => amount > 0n, { expected: 'an amount above 0, such as "0.05"' })

const Cost = Schema.Union([
  Field('the path of a field of the answer, such as "usage.cost"'),
  Schema.Struct({ header: text(/^[A-Za-z0-9_-]{1,64}$/u, "the name of a header of the answer") })
]).annotate({ expected: 'the path of a field of the answer, such as "usage.cost", or { "header": … }' })

const fieldsOf = (amount: typeof Usd | typeof UsdOrNumber) => ({
  cost: Cost,
  factor: Schema.optionalKey(Factor),
  perUnit: Schema.optionalKey(amount.check(isAmount)).annotate({
    description: "USD for each unit that is reported; without it, USD are"
  }),
  unit: Schema.optionalKey(text(/^[a-z][a-z ]{0,29}$/u, 'a word in the singular, such as "credit"')),
  most: amount.check(isAmount).annotate({ description: "The most USD that a quote and a reservation assume" })
})

const Section = Schema.Struct({ contract: Schema.Literal("reported_cost"), ...fieldsOf(Usd) })

const Own = Schema.Struct({
  ...named("reported_cost"),
  ...fieldsOf(UsdOrNumber),
  field: Schema.optionalKey(Schema.NonEmptyString),
  equals: Schema.optionalKey(Schema.Number.check(Schema.isInt({ expected: "a whole number" })))
}).check(
  Schema.makeFilter(({ equals, field }) => (equals === undefined) === (field === undefined), {
    expected: '"field" and "equals" together, or neither'
  })
)

const termsOf = (
  { cost, factor = one, most, perUnit, unit }: Omit<typeof Section.Type, "contract">,
  success?: ReportedCost["success"]
): ReportedCost => ({
  contract: "reported_cost",
  cost: Predicate.isString(cost) ? { field: pathOf(cost) } : { header: cost.header.toLowerCase() },
  factor,
  ...(perUnit === undefined ? {} : { perUnit }),
  ...(unit === undefined ? {} : { unit }),
  most,
  ...(success === undefined ? {} : { success })
})

/** Any billed operation can be priced so, if the file names the contract. What was a failure of it stays one. */
export const ReportedCostSection = (price: { readonly contract: string } | BodyCode | ReportedCost) =>
  terms(Section, (written) =>
    termsOf(
      written,
      "equals" in price ? { field: price.field, equals: price.equals } : "success" in price ? price.success : undefined
    )
  )

export const reportedCost: PriceContract<ReportedCost> = {
  canBeFree: ({ factor, most }) => factor === 0n || isNothing(most),
  estimate: ({ most }) => (most === "pending" ? undefined : { likely: whole(most, 1), most: whole(most, 1) }),
  isProvenByAnswer: ({ cost, success }) => "header" in cost && success === undefined,
  reportedAt: ({ cost }) => cost,
  integerField: ({ success }) => success?.field,
  evidence: (price, answer, reported) => {
    const { success } = price
    const code = success && read(answer, [success.field])
    if (success !== undefined && code !== success.equals) {
      return Number.isSafeInteger(code) ? { kind: "failed" } : undefined
    }
    return reported !== undefined && isPossible(price, reported) ? { kind: "cost", reported } : undefined
  },
  answerFields: ({ success }) => (success === undefined ? [] : [[success.field]]),
  unreported: { kind: "cost", isEstimate: true },
  settle: (price, evidence) => {
    if (price.most === "pending" || evidence.kind !== "cost") return undefined
    return evidence.reported === undefined ? whole(price.most, 1) : costOf(price, evidence.reported)
  },
  basis: (price, times) => {
    const { factor, most, perUnit } = price
    const cost =
      perUnit === undefined
        ? `the cost that the upstream reports in ${placeOf(price)}`
        : `${inWords(perUnit)} / ${unitOf(price)} that the upstream reports in ${placeOf(price)}`
    const charged = factor === one ? cost : `${cost}, times ${formatShare(factor)}`
    return `${charged}${times}; the estimate and the maximum assume ${inWords(most)}`
  },
  units: (price) => [
    {
      per: `${unitOf(price)} that the upstream reports in ${placeOf(price)}`,
      amounts: [
        price.most === "pending" ? "pending" : nano(divideHalfUp((price.perUnit ?? oneUsd) * price.factor, one))
      ]
    }
  ],
  dependsOn: ({ most }) => (most === "pending" ? "" : `, up to ${inWords(most)} a call as far as is known`),
  section: ReportedCostSection,
  example: '{ "contract": "reported_cost", "cost": …, "factor": …, "most": … }',
  own: {
    key: "cost",
    example: '{ "cost": …, "factor": …, "most": … }',
    schema: () =>
      terms(Own, ({ equals, field, ...written }) =>
        termsOf(written, equals === undefined || field === undefined ? undefined : { field, equals })
      )
  },
  problem: (protocol, { cost }) =>
    protocol === "mcp" && "header" in cost ? "an MCP server reports nothing in headers; name a field" : undefined,
  written: ({ contract, cost, factor, most, perUnit, unit }) =>
    ifPriced({
      contract,
      cost: "field" in cost ? cost.field.join(".") : cost,
      factor: formatShare(factor),
      ...(perUnit === undefined ? {} : { perUnit: usdText(perUnit) }),
      ...(unit === undefined ? {} : { unit }),
      most: usdText(most)
    }),
  withAmount: (price, amount) => (price.most === "pending" ? { ...price, most: amount } : price)
}
