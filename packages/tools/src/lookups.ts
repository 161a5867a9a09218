import { pricesInShort } from "@tollgate/contract/price/notation"
import * as Predicate from "effect/Predicate"
import type { CategoryEntry } from "@tollgate/gateway/endpoints/catalogue/categories"
import type { ModelPriceText, OperationDetails, PriceDetails } from "@tollgate/gateway/endpoints/catalogue/details"

type Json = Readonly<Record<string, unknown>>

/** A description of this many characters is shown whole. */
const longestText = 200
/** How many characters the arguments may have together before the largest are shown in outline. */
const mostCharacters = 3_000

/** What a schema without names inside can say in short. */
const kept = ["type", "enum", "const", "format", "minimum", "maximum", "maxLength", "minItems", "maxItems", "default"]

const shortText = (text: string): string => (text.length <= longestText ? text : `${text.slice(0, longestText - 1)}…`)

const typeIn = (schema: Json, definitions: Json): unknown => {
  const { $ref } = schema
  const found = typeof $ref === "string" ? definitions[$ref.slice($ref.lastIndexOf("/") + 1)] : undefined
  return Predicate.isObject(found) ? found["type"] : schema["type"]
}

const shortProperty = (schema: Json, definitions: Json): Json => {
  const { description } = schema
  const type = typeIn(schema, definitions)
  return {
    ...Object.fromEntries(Object.entries(schema).filter(([name]) => kept.includes(name))),
    ...(type === undefined ? {} : { type }),
    ...(typeof description === "string" ? { description: shortText(description) } : {})
  }
}

/** The definitions that a schema names, and those that they name. */
const named = (value: unknown, definitions: Json, found = new Map<string, unknown>()): Map<string, unknown> => {
  if (Array.isArray(value)) for (const inner of value) named(inner, definitions, found)
  if (!Predicate.isObject(value)) return found
  for (const [name, inner] of Object.entries(value)) {
    if (name !== "$ref" || typeof inner !== "string") {
      named(inner, definitions, found)
      continue
    }
    const of = inner.slice(inner.lastIndexOf("/") + 1)
    if (found.has(of) || !Object.hasOwn(definitions, of)) continue
    found.set(of, definitions[of])
    named(definitions[of], definitions, found)
  }
  return found
}

const sizeOf = (schema: unknown, definitions: Json): number =>
  JSON.stringify(schema).length + JSON.stringify([...named(schema, definitions)]).length

/** The type alone, which is the least that can be said. */
const typeOnly = (schema: Json, definitions: Json): Json => {
  const type = typeIn(schema, definitions)
  return type === undefined ? {} : { type }
}

/**
 * An input schema with an outline of its largest arguments, and the names of those. Arguments in `whole` stay as they are.
 * If the outlines are too many, optional arguments have their type only.
 */
export const shortSchema = (
  { $defs, properties, ...rest }: Json,
  whole: ReadonlySet<string>
): { readonly schema: Json; readonly outlined: ReadonlyArray<string> } => {
  const definitions = Predicate.isObject($defs) ? $defs : {}
  const required = new Set(Array.isArray(rest["required"]) ? rest["required"] : [])
  const shown = new Map(Object.entries(Predicate.isObject(properties) ? properties : {}))
  const outlined: Array<string> = []
  const sizes = [...shown].map(([name, schema]) => ({ name, size: sizeOf(schema, definitions) }))
  let size = sizes.reduce((sum, one) => sum + one.size, 0)
  const shorten = (name: string, of: (schema: Json, definitions: Json) => Json) => {
    const schema = shown.get(name)
    if (size <= mostCharacters || !Predicate.isObject(schema) || whole.has(name)) return
    const short = of(schema, definitions)
    size -= sizeOf(schema, definitions) - sizeOf(short, definitions)
    shown.set(name, short)
    if (!outlined.includes(name)) outlined.push(name)
  }
  for (const { name } of sizes.toSorted((a, b) => b.size - a.size)) shorten(name, shortProperty)
  for (const { name } of sizes.toReversed()) if (!required.has(name)) shorten(name, typeOnly)
  const used = named(Object.fromEntries(shown), definitions)
  return {
    schema: {
      ...rest,
      properties: Object.fromEntries(shown),
      ...(used.size === 0 ? {} : { $defs: Object.fromEntries(used) })
    },
    outlined
  }
}

// What the free tools return: as little as a model needs for its next step, and more if it asks.

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Renames the fields of one level. */
const snakeCased = (value: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(value).map(([name, field]) => [snakeCase(name), field as unknown]))

const modelOf = ({ dimensions, longPrompt, ...model }: ModelPriceText) => ({
  ...snakeCased(model),
  ...dimensions?.fields,
  ...(longPrompt === undefined ? {} : { long_prompt: snakeCased(longPrompt) })
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

const mostNamed = 8

const onlyOutlined = (names: ReadonlyArray<string>): string =>
  `Of ${names.slice(0, mostNamed).join(", ")}${names.length > mostNamed ? " and others" : ""} only an outline is shown: name an argument in fields to see all of it.`

const notDescribed = (names: ReadonlyArray<string>): string =>
  `The input schema does not describe ${names.slice(0, mostNamed).join(", ").slice(0, 200)}.`

/** What a caller needs to make a call. `fields` are shown whole; with `full` everything is. */
export const detailsOf = (details: OperationDetails, { fields = [], full = false }: DetailOptions = {}) => {
  const { description, example, input_schema, operation_id, pending, price, replay, streams, summary } = details
  if (full) return { ...details, price: { ...price, models: price.models.map(modelOf) } }
  const { outlined, schema } = shortSchema(input_schema, new Set(fields))
  const properties = Predicate.isObject(input_schema["properties"]) ? input_schema["properties"] : {}
  const missing = fields.filter((name) => !Object.hasOwn(properties, name))
  const notes = [
    ...(missing.length === 0 ? [] : [notDescribed(missing)]),
    ...(outlined.length === 0 ? [] : [onlyOutlined(outlined)])
  ]
  return {
    operation_id,
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
