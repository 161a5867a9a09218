import type { Bound, Operation, ParameterPending } from "@tollgate/contract/Operation"
import { jsonSchema } from "@tollgate/contract/openapi/jsonSchema"
import { isByModel, type ModelPrice, modelsOf, type Price } from "@tollgate/contract/price/Price"
import { type DetailKind, detailNames, eachKind, type TokenKind } from "@tollgate/contract/price/TokenKind"
import { basis, contractOf } from "@tollgate/contract/price/contracts"
import type { Rates } from "@tollgate/contract/price/contracts/modelRates"
import { dimensionsInWords, writtenModel } from "@tollgate/contract/price/contracts/modelSection"
import { withSamples } from "@tollgate/contract/reference/Example"
import { examplesOf } from "@tollgate/contract/reference/examples"
import { limitsOf, pendingOf, replays } from "@tollgate/contract/reference/words"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { inUsd, isAcceptedBy, listPrice, priceText } from "../../exchange/Prices.ts"
import type { Model, PriceBook, PriceText } from "../../exchange/Prices.ts"
import { type Field, fieldsOf, type Part } from "./fields.ts"

/** In USD per million tokens. */
export type RatesText = Readonly<Record<TokenKind, number>> & Readonly<Partial<Record<DetailKind, number>>>

export type ModelPriceText = RatesText & {
  readonly model: string
  /** For the whole call, if its prompt has more than `above` tokens, cached ones included. */
  readonly longPrompt?: RatesText & { readonly above: number }
  /** What else changes its price. Most models have none. */
  readonly dimensions?: {
    /** `tiers`, `speeds`, `regions`, `tools` and `periods`, as the configuration file has them. */
    readonly fields: Readonly<Record<string, unknown>>
    /** A clause each. */
    readonly words: ReadonlyArray<string>
  }
  readonly maxOutput?: number
  readonly contextWindow?: number
}

/** An amount that depends on fields of the request. `null` is a field that is left out. */
export interface VariantText {
  readonly usd: number
  readonly where: Readonly<Record<string, ReadonlyArray<string | number | boolean | null>>>
}

export interface PriceDetails extends PriceText {
  /** The fields of the request on which the price depends, such as `model` or `generationConfig.maxOutputTokens`. */
  readonly fields: ReadonlyArray<string>
  readonly models: ReadonlyArray<ModelPriceText>
  readonly variants: ReadonlyArray<VariantText>
}

const ratesText = (rates: Rates): RatesText => ({
  ...eachKind((kind) => inUsd(rates[kind])),
  ...Object.fromEntries(
    detailNames.flatMap((detail) => {
      const rate = rates[detail]
      return rate === undefined ? [] : [[detail, inUsd(rate)]]
    })
  )
})

/** Amounts and factors are text in the configuration file. */
const asNumbers = (value: unknown): unknown => {
  if (typeof value === "string") return /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : value
  if (Array.isArray(value)) return value.map(asNumbers)
  if (!Predicate.isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, asNumbers(inner)]))
}

const dimensionNames: ReadonlySet<string> = new Set(["tiers", "speeds", "regions", "tools", "periods"])

const dimensionsOf = (price: ModelPrice): Pick<ModelPriceText, "dimensions"> => {
  const words = dimensionsInWords(price)
  if (words.length === 0) return {}
  const written = Object.entries(writtenModel(price)).filter(([name]) => dimensionNames.has(name))
  return { dimensions: { fields: Object.fromEntries(written.map(([name, value]) => [name, asNumbers(value)])), words } }
}

const modelText = ([model, price]: readonly [string, ModelPrice]): ModelPriceText => ({
  model,
  ...ratesText(price),
  ...(price.longPrompt === undefined
    ? {}
    : { longPrompt: { above: price.longPrompt.above, ...ratesText(price.longPrompt) } }),
  ...dimensionsOf(price),
  ...(price.maxOutput === undefined ? {} : { maxOutput: price.maxOutput }),
  ...(price.contextWindow === undefined ? {} : { contextWindow: price.contextWindow })
})

const variantsOf = (price: Price): ReadonlyArray<VariantText> =>
  "variants" in price && price.variants !== undefined
    ? price.variants.map(({ amount, where }) => ({
        usd: inUsd(amount),
        where: Object.fromEntries(where.map(({ field, values }) => [field.join("."), values]))
      }))
    : []

export const priceDetails = (price: Price): PriceDetails => {
  const text = priceText(price)
  const fields = contractOf(price).namedFields?.(price) ?? []
  return {
    ...text,
    words: text.state === "priced" && !isByModel(price) ? basis(price) : text.words,
    fields: [...new Set(fields.map((field) => field.join(".")))],
    models: Object.entries(modelsOf(price)).map(modelText),
    variants: variantsOf(price)
  }
}

type Json = Readonly<Record<string, unknown>>

/** Values of the address are text on the wire; a caller writes what they mean. */
const schemaOf = ({ part, schema }: Field): Schema.Constraint => (part === "body" ? schema : Schema.toType(schema))

const open = {
  body: "Fields that are not named here are sent in the body unchanged.",
  query: "Parameters that are not named here are sent in the query unchanged."
}

const places = { path: "path", query: "query", header: "headers", body: "body" }

const renamed = ({ isWhole, name, part, sentAs }: Field): string | undefined => {
  if (isWhole === true) return "The whole body."
  return name === sentAs ? undefined : `Sent as ${sentAs} in the ${places[part]}.`
}

const descriptionOf = (field: Field, own: unknown): string =>
  [own, field.description, renamed(field)].filter((text) => typeof text === "string").join(" ")

/** Arguments are JSON, which has no bytes. `format` tells forms to offer a choice of files. */
const fileSchema = {
  type: "object",
  format: "binary",
  description: "A file.",
  properties: {
    base64: { type: "string", description: "Its bytes, in base64." },
    filename: { type: "string" },
    content_type: { type: "string" }
  },
  required: ["base64"]
} as const

const fileSchemas = {
  one: { schema: fileSchema as Json, definitions: {} },
  several: { schema: { type: "array", items: fileSchema } as Json, definitions: {} }
}

/** The JSON Schema (2020-12) of an operation's flat `arguments`. */
const inputSchema = (operation: Bound): Json => {
  const { byName, others } = fieldsOf(operation)
  const definitions: Record<string, unknown> = {}
  const properties: Record<string, unknown> = {}
  const required: Array<string> = []
  for (const field of byName.values()) {
    const property = field.file === undefined ? jsonSchema(schemaOf(field)) : fileSchemas[field.file]
    Object.assign(definitions, property.definitions)
    const description = descriptionOf(field, property.schema.description)
    properties[field.name] = description === "" ? property.schema : { ...property.schema, description }
    if (field.required) required.push(field.name)
  }
  return {
    type: "object",
    ...(others === undefined ? {} : { description: open[others] }),
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: others === "query" ? { type: ["string", "number", "boolean"] } : others === "body",
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions })
  }
}

type Arguments = Readonly<Record<string, unknown>>

const isScalar = (value: unknown): boolean =>
  Predicate.isString(value) || Predicate.isNumber(value) || Predicate.isBoolean(value)

/** What the text in an address means, if that can be written as JSON. */
const valueOf = ({ schema, style }: Field, text: string): unknown => {
  if (schema === Schema.Int) return Number(text)
  const decoded = Schema.decodeUnknownResult(schema as Schema.ConstraintDecoder<unknown>)(text)
  return Result.isSuccess(decoded) && (style !== undefined || isScalar(decoded.success)) ? decoded.success : text
}

/** The name of a query parameter; examples name pending ones by their role. `undefined`: it has no name yet. */
const boundName = ({ parameters, pending }: Bound, name: string): string | undefined =>
  pending.some((part): part is ParameterPending => part.open === "parameter" && part.role === name)
    ? parameters[name]
    : name

const objectOf = (value: unknown): object => (Predicate.isObject(value) ? value : {})

/** Arguments that the operation accepts. `described` is the operation before it was bound. */
const exampleOf = (operation: Bound, described: Operation, model: string | undefined): Arguments => {
  const [example] = examplesOf(described)
  const { byName } = fieldsOf(operation)
  const found = new Map([...byName.values()].map((field) => [`${field.part} ${field.sentAs}`, field]))
  const out: Array<readonly [string, unknown]> = []
  const add = (part: Part, sentAs: string, value: unknown) => {
    const field = found.get(`${part} ${sentAs}`)
    const isModel = sentAs === "model" && model !== undefined
    const given = field !== undefined && part !== "body" && typeof value === "string" ? valueOf(field, value) : value
    out.push([field?.name ?? sentAs, isModel ? model : given])
  }
  for (const [name, value] of Object.entries(example.path ?? {})) add("path", name, withSamples(example, value))
  for (const [name, value] of Object.entries(example.query ?? {})) {
    const sentAs = boundName(operation, name)
    if (sentAs !== undefined) add("query", sentAs, withSamples(example, value))
  }
  for (const [name, value] of Object.entries(example.header ?? {})) add("header", name, withSamples(example, value))
  const whole = [...byName.values()].find(({ isWhole }) => isWhole === true)
  if (whole === undefined) for (const [name, value] of Object.entries(objectOf(example.body))) add("body", name, value)
  else out.push([whole.name, example.body])
  return Object.fromEntries(out)
}

const modelOf = ({ id }: Bound, { models: priced }: PriceDetails, models: ReadonlyArray<Model>): string | undefined =>
  priced[0]?.model ?? models.find((model) => model.operations !== undefined && isAcceptedBy(model, id))?.id

/** What `get_details` says in full. `described` is the operation before it was bound. */
export const detailsOf = (operation: Bound, described: Operation, prices: PriceBook, models: ReadonlyArray<Model>) => {
  const { category, description, id, limit, method, path, pending, replay, request, summary } = operation
  const price = priceDetails(listPrice(operation, prices, models))
  const groupLimits = limitsOf(limit)
  return {
    operation_id: id,
    summary,
    ...(description === undefined ? {} : { description }),
    category,
    method,
    path,
    /** The JSON Schema of `arguments`. */
    input_schema: inputSchema(operation),
    /** Arguments that the operation accepts. */
    example: exampleOf(operation, described, modelOf(operation, price, models)),
    price,
    limits: {
      words: `the tier's requests per minute${groupLimits === "" ? "" : `; in addition ${groupLimits}`}`,
      /** Operations of one group share its limit. */
      group: limit.id,
      ...(limit.rpm === undefined ? {} : { requests_per_minute: limit.rpm }),
      counts_tokens: limit.tokens,
      counts_concurrency: limit.concurrency,
      ...(limit.tasks === undefined ? {} : { tasks: limit.tasks }),
      ...(request.body === undefined ? {} : { max_body_bytes: operation.bodyLimit })
    },
    replay: { class: replay, words: replays[replay] },
    streams: operation.event !== undefined,
    /** `pending`: the parts in `pending` are not defined; what is sent there passes through unchanged. */
    state: pending.length === 0 ? "complete" : "pending",
    pending: pending.map((part) => pendingOf({ ...operation, pending: [part] }, operation))
  }
}

export type OperationDetails = ReturnType<typeof detailsOf>
