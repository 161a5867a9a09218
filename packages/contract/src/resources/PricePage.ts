import * as Schema from "effect/Schema"
import { Open } from "../Open.ts"

/** A page of the price list. */
export const PricePage = Open({
  currency: Schema.String,
  prices: Schema.Array(
    Open({
      operation_id: Schema.String,
      category: Schema.String,
      price: Schema.String.annotate({ description: "The list price in words. An account may have a multiplier." }),
      models: Schema.optionalKey(
        Schema.Array(Open({ model: Schema.String, input: Schema.Finite, output: Schema.Finite }))
      ).annotate({ description: "USD per million tokens of input and output, if one operation was asked for." })
    })
  ),
  next: Schema.NullOr(Schema.String).annotate({ description: "`after` of the next page. `null`: this is the last." })
}).annotate({ identifier: "PricePage" })
export interface PricePage extends Schema.Schema.Type<typeof PricePage> {}
