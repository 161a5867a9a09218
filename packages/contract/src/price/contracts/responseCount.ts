import * as Schema from "effect/Schema"
import { type Amount, inWords, isNothing } from "../Amount.ts"
import { read, whole } from "../exact.ts"
import type { PriceContract } from "../PriceContract.ts"
import { ifPriced, Most, named, terms, Usd, UsdOrNumber, usdText } from "../priceSchemas.ts"

/** Bills each item in a field of the answer. `most` is the largest page that an estimate assumes. */
export interface ResponseCount {
  readonly contract: "response_count"
  readonly perItem: Amount
  readonly items: string
  readonly most: number
}

export const responseCount: PriceContract<ResponseCount> = {
  canBeFree: ({ perItem }) => isNothing(perItem),
  estimate: ({ most, perItem }) =>
    perItem === "pending" ? undefined : { likely: whole(perItem, 1), most: whole(perItem, most) },
  evidence: (price, answer) => {
    const items = read(answer, [price.items])
    return Array.isArray(items) ? { kind: "items", count: items.length } : undefined
  },
  answerFields: ({ items }) => [[items]],
  settle: ({ perItem }, evidence) =>
    perItem === "pending" || evidence.kind !== "items" ? undefined : whole(perItem, evidence.count),
  basis: ({ items, most, perItem }, times) =>
    `${inWords(perItem)} / item in ${items}${times}; the estimate assumes 1 item, the maximum ${most}`,
  units: ({ items, perItem }) => [{ per: `item in ${items}`, amounts: [perItem] }],
  section: (price) =>
    terms(
      Schema.Struct({ ...named("response_count"), perItem: Usd, most: Schema.optionalKey(Most) }),
      ({ most = price.most, perItem }) => ({ ...price, perItem, most })
    ),
  example: '{ "perItem": …, "most": … }',
  own: {
    key: "perItem",
    example: '{ "perItem": …, "items": …, "most": … }',
    schema: () =>
      terms(
        Schema.Struct({
          ...named("response_count"),
          perItem: UsdOrNumber,
          items: Schema.NonEmptyString,
          most: Most
        }),
        (price) => ({ ...price, contract: "response_count" })
      )
  },
  written: ({ contract, most, perItem }) => ifPriced({ contract, perItem: usdText(perItem), most }),
  withAmount: (price, amount) => (price.perItem === "pending" ? { ...price, perItem: amount } : price)
}
