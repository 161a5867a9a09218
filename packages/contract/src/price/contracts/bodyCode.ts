import * as Schema from "effect/Schema"
import { type Amount, inWords, isNothing } from "../Amount.ts"
import { read, whole } from "../exact.ts"
import type { PriceContract } from "../PriceContract.ts"
import { ifPriced, named, terms, Usd, UsdOrNumber, usdText } from "../priceSchemas.ts"

/** Bills only if a field of the answer has this value. */
export interface BodyCode {
  readonly contract: "body_code"
  readonly amount: Amount
  readonly field: string
  readonly equals: number
}

const Own = Schema.Struct({
  ...named("body_code"),
  amount: UsdOrNumber,
  field: Schema.NonEmptyString,
  equals: Schema.Number.check(Schema.isInt({ expected: "a whole number" }))
})

export const bodyCode: PriceContract<BodyCode> = {
  canBeFree: ({ amount }) => isNothing(amount),
  estimate: ({ amount }) => (amount === "pending" ? undefined : { likely: whole(amount, 1), most: whole(amount, 1) }),
  evidence: ({ field }, answer) => {
    const value = read(answer, [field])
    return Number.isSafeInteger(value) ? { kind: "code", value: Number(value) } : undefined
  },
  answerFields: ({ field }) => [[field]],
  integerField: ({ field }) => field,
  isFailure: ({ equals }, evidence) => evidence.kind === "code" && evidence.value !== equals,
  settle: ({ amount, equals }, evidence) => {
    if (amount === "pending" || evidence.kind !== "code") return undefined
    return evidence.value === equals ? whole(amount, 1) : 0n
  },
  basis: ({ amount, equals, field }, times) => `${inWords(amount)} / answer whose ${field} is ${equals}${times}`,
  units: ({ amount, equals, field }) => [{ per: `answer whose ${field} is ${equals}`, amounts: [amount] }],
  section: (price) =>
    terms(Schema.Struct({ ...named("body_code"), amount: Usd }), ({ amount }) => ({ ...price, amount })),
  example: '{ "amount": … }',
  own: {
    key: "equals",
    example: '{ "amount": …, "field": …, "equals": … }',
    schema: () => terms(Own, (price) => ({ ...price, contract: "body_code" }))
  },
  written: ({ amount, contract }) => ifPriced({ contract, amount: usdText(amount) }),
  withAmount: (price, amount) => (price.amount === "pending" ? { ...price, amount } : price)
}
