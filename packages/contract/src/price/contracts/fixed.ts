import * as Schema from "effect/Schema"
import * as Getter from "effect/SchemaGetter"
import { nano, type NanoUsd } from "../../Money.ts"
import { type Amount, countTo, type DecidingField, expecting, type FieldPath, inWords, isNothing } from "../Amount.ts"
import type { Evidence } from "../evidence.ts"
import { read, whole } from "../exact.ts"
import type { Costs, PriceContract } from "../PriceContract.ts"
import {
  asPath,
  Field,
  ifPriced,
  named,
  Path,
  pathOf,
  terms,
  text,
  Usd,
  usdText,
  wholeNumber
} from "../priceSchemas.ts"

// What prices per call and per task have in common: an amount that does not depend on the answer.

/** The amount is due as often as a field of the request says, or one of the finished task. */
export interface Times {
  readonly field?: FieldPath
  /** The field is a text, and its characters are counted. */
  readonly characters?: boolean
  /** The field of a finished task that says it. */
  readonly reported?: FieldPath
  /** In the singular: `image`. */
  readonly unit: string
  /** If the request leaves the field out. */
  readonly otherwise: number
}

/** The amount for requests whose fields have one of these values. `null` is a field that is left out. */
export interface Variant {
  readonly amount: NanoUsd
  readonly where: ReadonlyArray<{
    readonly field: FieldPath
    readonly values: ReadonlyArray<string | number | boolean | null>
  }>
}

/** `resolve` replaces what depends on the request. */
export interface Fixed {
  readonly amount: Amount
  readonly times?: Times
  /** The first that fits applies; if none fits, the highest amount. */
  readonly variants?: ReadonlyArray<Variant>
  /** What the amount of a resolved price consists of. */
  readonly resolved?: { readonly each: NanoUsd; readonly count: number; readonly unit?: string }
}

type FixedPrice = Fixed & { readonly contract: string }

/** More than anybody asks for. The gateway refuses a larger count. */
const largestCount = 1_000_000

export const isLeftOut = (value: unknown): boolean => value === undefined || value === null

const countIn = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isInteger(value) && value > 0 && value <= largestCount ? value : undefined

/** As Unicode counts them, so that a face is one. */
const charactersIn = (value: unknown): number | undefined => {
  if (typeof value !== "string") return undefined
  let count = 0
  for (const _ of value) count++
  return count
}

export const fits = ({ where }: Variant, valueOf: (field: FieldPath) => unknown): boolean =>
  where.every(({ field, values }) => {
    const value = valueOf(field)
    return values.some((wanted) => (wanted === null ? isLeftOut(value) : wanted === value))
  })

const amountsOf = ({ amount, variants = [] }: Fixed): ReadonlyArray<Amount> => [
  amount,
  ...variants.map((variant) => variant.amount)
]

const known = (amounts: ReadonlyArray<Amount>): ReadonlyArray<NanoUsd> =>
  amounts.flatMap((amount) => (amount === "pending" ? [] : [amount]))

const highest = (amounts: ReadonlyArray<NanoUsd>): NanoUsd => amounts.reduce((a, b) => (a > b ? a : b))
const lowest = (amounts: ReadonlyArray<NanoUsd>): NanoUsd => amounts.reduce((a, b) => (a < b ? a : b))

/** A value that no variant lists costs the most. */
export const eachOf = (price: Fixed, request: unknown): Amount => {
  const fitting = price.variants?.find((variant) => fits(variant, (field) => read(request, field)))
  if (fitting !== undefined) return fitting.amount
  const amounts = known(amountsOf(price))
  return amounts.length === 0 ? "pending" : highest(amounts)
}

/** How often the amount is due, as the request says. */
export const countOf = ({ characters, field, otherwise }: Times, request: unknown): number => {
  const value = field === undefined ? undefined : read(request, field)
  return countIn(characters === true ? charactersIn(value) : value) ?? otherwise
}

const dependsOnRequest = ({ times, variants }: Fixed): boolean => times !== undefined || variants !== undefined

export const resolve = <P extends FixedPrice>(price: P, request: unknown): Fixed & Pick<P, "contract"> => {
  if (!dependsOnRequest(price)) return price
  const { contract, times } = price
  const each = eachOf(price, request)
  if (each === "pending") return { contract, amount: each }
  const count = times === undefined ? 1 : countOf(times, request)
  const unit = times === undefined ? {} : { unit: times.unit }
  return { contract, amount: nano(each * BigInt(count)), resolved: { each, count, ...unit } }
}

const estimate = (price: FixedPrice, request: unknown): Costs | undefined => {
  const { amount } = resolve(price, request)
  if (amount === "pending") return undefined
  const exact = whole(amount, 1)
  return { likely: exact, most: exact }
}

const scalar = expecting(
  "a string, a positive number, true or false",
  (value) => typeof value === "string" || typeof value === "boolean" || (Number.isFinite(value) && Number(value) > 0)
)
const times = countTo(largestCount)
const spoken = expecting(
  `a text of 1 to ${largestCount} characters`,
  (value) => countIn(charactersIn(value)) !== undefined
)

export const variantFields = ({ variants = [] }: Pick<Fixed, "variants">): ReadonlyArray<FieldPath> =>
  variants.flatMap(({ where }) => where.map(({ field }) => field))

const timesField = ({ times: repeated }: Fixed): ReadonlyArray<FieldPath> =>
  repeated?.field === undefined ? [] : [repeated.field]

const decidingFields = (price: Fixed): ReadonlyArray<DecidingField> => [
  ...variantFields(price).map((field) => [field, scalar] as const),
  ...timesField(price).map((field) => [field, price.times?.characters === true ? spoken : times] as const)
]

/** A price that depends on the request becomes one that does not, if the evidence tells enough. */
export const forRecorded = <P extends FixedPrice>(
  price: P,
  evidence: Evidence
): (Fixed & Pick<P, "contract">) | undefined => {
  const { amount, contract, times, variants } = price
  if (!dependsOnRequest(price) || evidence.kind === "failed") return price
  // A canceled task costs what its upstream reports.
  if (evidence.kind === "task" && evidence.status === "CANCELED") return { contract, amount: nano(0n) }
  if (variants !== undefined || amount === "pending" || evidence.kind !== "request") return undefined
  return evidence.times !== undefined && evidence.times.unit === times?.unit
    ? { contract, amount: nano(amount * BigInt(evidence.times.count)) }
    : undefined
}

const range = (price: Fixed): string => {
  const amounts = known(amountsOf(price))
  const [from, to] = [lowest(amounts), highest(amounts)]
  return from === to ? inWords(from) : `${inWords(from)} – ${inWords(to)}`
}

/** The amount in words, for what is paid for: a call, a task or a unit of it. */
export const amountWords = (price: Fixed, paid: string): string => {
  const { amount, resolved, times, variants = [] } = price
  if (resolved !== undefined) {
    const { count, each, unit = paid } = resolved
    return `${inWords(each)} / ${unit}${count === 1 ? "" : `, for ${count} ${unit}s`}`
  }
  const unit = times?.unit ?? paid
  return variants.length === 0 ? `${inWords(amount)} / ${unit}` : `${range(price)} / ${unit}, by what is asked for`
}

const Value = Schema.NullOr(Schema.Union([Schema.String, Schema.Finite, Schema.Boolean]))

export const BodyField = Field('the path of a field of the body, such as "parameters.resolution"')

const timesFields = {
  unit: text(/^[a-z]{1,20}$/u, 'a word in the singular, such as "second"'),
  otherwise: wholeNumber(1_000_000).annotate({ description: "The number if the request leaves the field out" })
}

const TimesSection = Schema.Struct({
  field: asPath(BodyField),
  characters: Schema.optionalKey(Schema.Boolean).annotate({
    description: "The field is a text, and the amount is due for each of its characters"
  }),
  ...timesFields
}).annotate({ description: "The amount is due as often as this field of the request says" })

const Where = Schema.Record(BodyField, Schema.Union([Value, Schema.Array(Value)]))
  .annotate({ description: "The values of fields of the request; null is a field that is left out" })
  .pipe(
    Schema.decodeTo(Schema.Array(Schema.Struct({ field: Path, values: Schema.Array(Value) })), {
      decode: Getter.transform((where) =>
        Object.entries(where).map(([field, values]) => ({
          field: pathOf(field),
          values: Array.isArray(values) ? values : [values]
        }))
      ),
      encode: Getter.transform((where) =>
        Object.fromEntries(
          where.map(({ field, values }) => [field.join("."), values.length === 1 ? (values[0] ?? null) : values])
        )
      )
    })
  )

const VariantSection = Schema.Struct({ where: Where, amount: Usd })

const Variants = Schema.Array(VariantSection).check(Schema.isMinLength(1, { expected: "at least one variant" }))

/** What a fixed price may have besides its amount, for operations with a body. */
export const FixedFields = { times: Schema.optionalKey(TimesSection), variants: Schema.optionalKey(Variants) }

const ReportField = Field('the path of a field of the finished task, such as "usage.duration"')

const taskTimesFields = {
  field: Schema.optionalKey(asPath(BodyField)),
  reported: Schema.optionalKey(
    asPath(
      ReportField.annotate({ description: "The field of the finished task that says how often the amount is due" })
    )
  ),
  ...timesFields
}

const TaskTimesSection = Schema.Struct(taskTimesFields)
  .check(
    Schema.makeFilter(({ field, reported }) => field !== undefined || reported !== undefined, {
      expected: "a field of the request, or one that the finished task reports"
    })
  )
  .annotate({ description: "The amount is due as often as this field of the request, or of the finished task, says" })

const Reported = Schema.Record(BodyField, ReportField)
  .annotate({
    description: "For fields of the request that variants name: the field of the finished task that says what it was"
  })
  .pipe(
    Schema.decodeTo(Schema.Array(Schema.Struct({ field: Path, at: Path })), {
      decode: Getter.transform((reported) =>
        Object.entries(reported).map(([field, at]) => ({ field: pathOf(field), at: pathOf(at) }))
      ),
      encode: Getter.transform((reported) =>
        Object.fromEntries(reported.map(({ at, field }) => [field.join("."), at.join(".")]))
      )
    })
  )

/** What the price of a task may have besides its amount. */
export const TaskFields = {
  times: Schema.optionalKey(TaskTimesSection),
  variants: Schema.optionalKey(Variants),
  reported: Schema.optionalKey(Reported)
}

type Reports = Partial<Record<"reported", typeof Reported.Type>>

/** Only a field that a variant names can be reported. */
export const reportedOfVariants = Schema.makeFilter<Reports & Pick<Fixed, "variants">>(
  ({ reported = [], ...price }) => {
    const names = new Set(variantFields(price).map((field) => field.join(".")))
    return reported.every(({ field }) => names.has(field.join(".")))
  },
  { expected: "reported fields that variants name" }
)

const section = <P extends FixedPrice>(price: P, hasBody: boolean): Schema.Codec<P, unknown> =>
  hasBody
    ? terms(Schema.Struct({ ...named(price.contract), amount: Usd, ...FixedFields }), (fields): P => ({
        ...price,
        ...fields,
        contract: price.contract
      }))
    : terms(Schema.Struct({ ...named(price.contract), amount: Usd }), ({ amount }): P => ({ ...price, amount }))

const AnyTimes = Schema.Struct({ ...taskTimesFields, characters: TimesSection.fields.characters })

const encodeFields = Schema.encodeSync(Schema.Struct({ ...TaskFields, times: Schema.optionalKey(AnyTimes) }))

export const written = ({ amount, contract, ...fields }: FixedPrice & Reports) =>
  ifPriced({ contract, amount: usdText(amount), ...encodeFields(fields) })

/** The answers of a contract with a fixed amount. `paid` is what the amount is for. */
export const fixedContract = <P extends FixedPrice>(paid: string) =>
  ({
    canBeFree: (price) => amountsOf(price).some(isNothing),
    fixedAmount: ({ amount }) => amount,
    estimate,
    decidingFields,
    needsBody: dependsOnRequest,
    units: (price) => [{ per: price.times?.unit ?? paid, amounts: amountsOf(price) }],
    namedFields: (price) => [...timesField(price), ...variantFields(price)],
    section,
    example: '{ "amount": … }',
    written,
    withAmount: (price, amount) => (price.amount === "pending" ? { ...price, amount } : price)
  }) satisfies Partial<PriceContract<P>>
