import * as Schema from "effect/Schema"
import type { Found, OperationDetails } from "./catalogue/Index.ts"
import type { ModelPriceText } from "./catalogue/priceDetails.ts"
import { Limits, ToolError } from "./shapes.ts"

// What the free tools return. Field descriptions are read by models.

const optional = Schema.optionalKey

const common = { error: optional(ToolError), limits: optional(Limits) }

const PriceRange = Schema.Struct({ per: Schema.String, from: Schema.Finite, to: Schema.Finite }).annotate({
  description: "In USD."
})

const priceFields = {
  contract: Schema.String,
  state: Schema.Literals(["free", "priced", "pending"]).annotate({
    description: "pending: no price is set, so calls are refused."
  }),
  words: Schema.String,
  ranges: Schema.Array(PriceRange)
}

export const SearchResult = Schema.Struct({
  results: optional(
    Schema.Array(
      Schema.Struct({
        operation_id: Schema.String,
        summary: Schema.String,
        category: Schema.String,
        price: Schema.Struct(priceFields),
        score: Schema.Finite
      })
    ).annotate({ description: "Best match first." })
  ),
  note: optional(Schema.String),
  ...common
})

export const foundOf = ({ category, operationId, price, score, summary }: Found) => ({
  operation_id: operationId,
  summary,
  category,
  price,
  score
})

const Details = Schema.Struct({
  operation_id: Schema.String,
  summary: Schema.String,
  description: optional(Schema.String),
  category: Schema.String,
  method: Schema.String,
  path: Schema.String,
  input_schema: Schema.Record(Schema.String, Schema.Unknown).annotate({
    description: "The JSON Schema of arguments in use."
  }),
  example: Schema.Record(Schema.String, Schema.Unknown).annotate({ description: "Arguments that work." }),
  price: Schema.Struct({
    ...priceFields,
    models: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)).annotate({
      description:
        "USD per million tokens, by model. long_prompt applies to the whole call if its prompt has more tokens than above. " +
        "tiers, speeds and regions are by what serves the call: a factor, or other rates. tools is USD for each use, or for " +
        "a call that uses it (perCall). periods are other rates at a time, in UTC."
    }),
    variants: Schema.Array(Schema.Record(Schema.String, Schema.Unknown))
  }),
  limits: Schema.Record(Schema.String, Schema.Unknown),
  replay: Schema.Struct({ class: Schema.String, words: Schema.String }),
  streams: Schema.Boolean,
  state: Schema.Literals(["complete", "pending"]),
  pending: Schema.Array(Schema.String).annotate({ description: "Parts that are not defined; they pass unchanged." })
})

export const DetailsResult = Schema.Struct({ details: optional(Details), ...common })

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Renames the fields of one level. */
const snakeCased = (value: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(value).map(([name, field]) => [snakeCase(name), field as unknown]))

const modelOf = ({ dimensions, longPrompt, ...model }: ModelPriceText) => ({
  ...snakeCased(model),
  ...dimensions?.fields,
  ...(longPrompt === undefined ? {} : { long_prompt: snakeCased(longPrompt) })
})

export const detailsOf = ({ inputSchema, limits, operationId, price, ...rest }: OperationDetails) => ({
  operation_id: operationId,
  ...rest,
  input_schema: inputSchema,
  price: { ...price, models: price.models.map(modelOf) },
  limits: snakeCased(limits)
})

export const CategoriesResult = Schema.Struct({
  categories: optional(
    Schema.Array(
      Schema.Struct({
        name: Schema.String,
        description: Schema.String,
        count: Schema.Int,
        free: Schema.Int,
        pending: Schema.Int,
        prices: Schema.Array(PriceRange)
      })
    )
  ),
  ...common
})
