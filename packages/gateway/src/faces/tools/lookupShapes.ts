import * as Predicate from "effect/Predicate"
import { pricesInShort } from "@tollgate/contract/price/notation"
import type { CategoryEntry, Found, OperationDetails } from "./catalogue/Index.ts"
import type { ModelPriceText, PriceDetails } from "./catalogue/priceDetails.ts"
import { shortSchema } from "./shortSchema.ts"

// What the free tools return: as little as a model needs for its next step, and more if it asks.

export const foundOf = ({ category, operationId, price, summary }: Found) => ({
  operation_id: operationId,
  summary,
  category,
  price: price.words
})

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Renames the fields of one level. */
const snakeCased = (value: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(value).map(([name, field]) => [snakeCase(name), field as unknown]))

const modelOf = ({ dimensions, longPrompt, ...model }: ModelPriceText) => ({
  ...snakeCased(model),
  ...dimensions?.fields,
  ...(longPrompt === undefined ? {} : { long_prompt: snakeCased(longPrompt) })
})

const fullDetailsOf = ({ inputSchema, limits, operationId, price, ...rest }: OperationDetails) => ({
  operation_id: operationId,
  ...rest,
  input_schema: inputSchema,
  price: { ...price, models: price.models.map(modelOf) },
  limits: snakeCased(limits)
})

/** How many models a short price names. */
const fewModels = 5

const shortPrice = ({ models, words }: PriceDetails) =>
  models.length === 0
    ? { price: words }
    : {
        price: words,
        models: models.slice(0, fewModels).map(({ input, model, output }) => ({ model, input, output })),
        ...(models.length > fewModels ? { more_models: models.length - fewModels } : {})
      }

export interface DetailOptions {
  readonly full?: boolean | undefined
  readonly fields?: ReadonlyArray<string> | undefined
}

const named = 8

const onlyOutlined = (names: ReadonlyArray<string>): string =>
  `Of ${names.slice(0, named).join(", ")}${names.length > named ? " and others" : ""} only an outline is shown: name an argument in fields to see all of it.`

const notDescribed = (names: ReadonlyArray<string>): string =>
  `The input schema does not describe ${names.slice(0, named).join(", ").slice(0, 200)}.`

/** What a caller needs to make a call. `fields` are shown whole; with `full` everything is. */
export const detailsOf = (details: OperationDetails, { fields = [], full = false }: DetailOptions = {}) => {
  if (full) return fullDetailsOf(details)
  const { description, example, inputSchema, operationId, pending, price, replay, streams, summary } = details
  const { outlined, schema } = shortSchema(inputSchema, new Set(fields))
  const properties = Predicate.isObject(inputSchema["properties"]) ? inputSchema["properties"] : {}
  const missing = fields.filter((name) => !Object.hasOwn(properties, name))
  const notes = [
    ...(missing.length === 0 ? [] : [notDescribed(missing)]),
    ...(outlined.length === 0 ? [] : [onlyOutlined(outlined)])
  ]
  return {
    operation_id: operationId,
    summary,
    ...(description === undefined ? {} : { description }),
    input_schema: schema,
    ...(notes.length === 0 ? {} : { note: notes.join(" ") }),
    example,
    ...shortPrice(price),
    replay: replay.class,
    ...(streams ? { streams } : {}),
    ...(pending.length === 0 ? {} : { pending })
  }
}

const defaultPage = 20

export interface PageOptions {
  readonly after?: string | undefined
  readonly limit?: number | undefined
}

const rangeIn = ({ free, prices }: CategoryEntry): string => {
  const ranges = prices.map((range) => pricesInShort([range]))
  const words = [...(free === 0 ? [] : [`${free} free`]), ...ranges].join("; ")
  return words === "" ? "pending: no price is set" : words
}

/** A page of the categories. `howToChange`: they are only what a grant allows. */
export const categoriesOf = (
  categories: ReadonlyArray<CategoryEntry>,
  { after = "", limit = defaultPage }: PageOptions = {},
  howToChange?: string
) => {
  const rest = categories.filter(({ name }) => name > after)
  const page = rest.slice(0, limit)
  const last = page.at(-1)
  const notes = [
    ...(rest.length > page.length && last !== undefined
      ? [`${rest.length - page.length} more: call list_categories with after ${JSON.stringify(last.name)}.`]
      : []),
    ...(howToChange === undefined ? [] : [`What this grant does not allow is left out. ${howToChange}`])
  ]
  return {
    categories: page.map((category) => ({
      name: category.name,
      operations: category.count,
      ...(category.description === "" ? {} : { description: category.description }),
      price: rangeIn(category)
    })),
    ...(notes.length === 0 ? {} : { note: notes.join(" ") })
  }
}
