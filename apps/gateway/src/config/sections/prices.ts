import { fill, type Names } from "@tollgate/contract/Names"
import type { Operation } from "@tollgate/contract/Operation"
import { operations } from "@tollgate/contract/operations"
import { canBeFree, type ModelPrice, type Price } from "@tollgate/contract/price/Price"
import type { PriceBook } from "@tollgate/gateway/operator"
import * as Schema from "effect/Schema"
import * as Getter from "effect/SchemaGetter"
import { fixedBy, FixedFields } from "./fixedPrice.ts"
import { Models } from "./modelPrice.ts"
import { find } from "./modelName.ts"
import type { Problem } from "../text/Problem.ts"
import { Usd, wholeNumber } from "../text/values.ts"

const isPrice = (u: unknown): u is Price => typeof u === "object" && u !== null && "contract" in u

/** Decodes what the file has for an operation into its price. */
const priced = <T, E>(schema: Schema.Codec<T, E>, price: (written: T) => Price): Schema.Codec<Price, E> =>
  schema.pipe(
    Schema.decodeTo(Schema.declare(isPrice), { decode: Getter.transform(price), encode: Getter.forbiddenEncoding })
  )

const free = (expected: string) => priced(Schema.Literal("free").annotate({ expected }), () => ({ contract: "free" }))

const perRequest = priced(
  Schema.Struct({ contract: Schema.Literal("per_request"), amount: Usd }),
  ({ amount }): Price => ({ contract: "per_request", amount })
)

const contract = <const C extends string>(name: C) => ({ contract: Schema.optionalKey(Schema.Literal(name)) })

/** The operation's own price contract, with amounts from the file. Only a body has fields that a price may depend on. */
const own = (price: Exclude<Price, { contract: "free" }>, hasBody: boolean): Schema.Codec<Price, unknown> => {
  switch (price.contract) {
    case "per_request":
    case "per_task":
      if (hasBody) {
        return priced(
          Schema.Struct({ ...contract(price.contract), amount: Usd, ...FixedFields }),
          ({ amount, contract: _, ...fields }) => ({ ...price, amount, ...fixedBy(fields) })
        )
      }
      return priced(Schema.Struct({ ...contract(price.contract), amount: Usd }), ({ amount }) => ({ ...price, amount }))
    case "body_code":
      return priced(Schema.Struct({ ...contract(price.contract), amount: Usd }), ({ amount }) => ({ ...price, amount }))
    case "per_token":
      return priced(Schema.Struct({ ...contract(price.contract), perMillion: Usd }), ({ perMillion }) => ({
        ...price,
        perMillion
      }))
    case "response_count":
      return priced(
        Schema.Struct({
          ...contract(price.contract),
          perItem: Usd,
          most: Schema.optionalKey(wholeNumber(1_000_000))
        }),
        ({ most, perItem }) => ({ ...price, perItem, most: most ?? price.most })
      )
    case "answer_field":
      return priced(
        Schema.Struct({ ...contract(price.contract), perUnit: Usd, most: Schema.optionalKey(wholeNumber(1_000_000)) }),
        ({ most, perUnit }) => ({ ...price, perUnit, most: most ?? price.most })
      )
    case "model_tokens":
      return priced(Schema.Struct({ ...contract(price.contract), models: Models }), ({ models }) => ({
        ...price,
        models
      }))
  }
}

const forms: Readonly<Record<Exclude<Price["contract"], "free">, string>> = {
  per_request: '{ "amount": … }',
  body_code: '{ "amount": … }',
  per_task: '{ "amount": … }',
  per_token: '{ "perMillion": … }',
  response_count: '{ "perItem": …, "most": … }',
  answer_field: '{ "perUnit": …, "most": … }',
  model_tokens: '{ "models": … }'
}

/** A free operation stays free, because clients retry it freely. */
const override = ({ price, request }: Operation): Schema.Codec<Price, unknown> =>
  price.contract === "free"
    ? free('"free", because this operation cannot have a price')
    : Schema.Union([own(price, request.body !== undefined), perRequest, free('"free"')]).annotate({
        expected: `${forms[price.contract]} or "free"`
      })

export const Prices = (names: Names) =>
  Schema.Struct({
    models: Schema.optionalKey(Models),
    operations: Schema.optionalKey(
      Schema.Struct(
        Object.fromEntries(
          operations.map((operation) => [fill(operation.id, names), Schema.optionalKey(override(operation))] as const)
        )
      )
    )
  })

/** Says where the price of an operation of the operator's own belongs, instead of that this section does not know it. */
export const aboutOwn = (
  problems: ReadonlyArray<Problem>,
  own: ReadonlyArray<Pick<Operation, "id">>,
  names: Names
): ReadonlyArray<Problem> => {
  const builtIn = new Set(operations.map(({ id }) => fill(id, names)))
  const ids = new Set(own.flatMap(({ id }) => (builtIn.has(id) ? [] : [id])))
  return problems.map(({ message, path }) => {
    const [prices, section, id, ...others] = path
    const isOwn = prices === "prices" && section === "operations" && others.length === 0 && ids.has(String(id))
    return { path, message: isOwn ? 'the price of this operation belongs in its entry in "operations"' : message }
  })
}

export type PricesFile = ReturnType<typeof Prices>["Type"]

const modelsOf = (price: Price | undefined) => (price?.contract === "model_tokens" ? price.models : {})

/** All models, without those that a pattern of a list before always precedes. */
const merged = (lists: ReadonlyArray<Readonly<Record<string, ModelPrice>>>): Readonly<Record<string, ModelPrice>> => {
  const all: Record<string, ModelPrice> = {}
  const prefixes: Array<string> = []
  for (const models of lists) {
    for (const [name, price] of Object.entries(models)) {
      if (!Object.hasOwn(all, name) && !prefixes.some((prefix) => name.startsWith(prefix))) all[name] = price
    }
    prefixes.push(...Object.keys(models).flatMap((name) => (name.endsWith("*") ? [name.slice(0, -1)] : [])))
  }
  return all
}

const withoutStars = (models: Readonly<Record<string, ModelPrice>>) =>
  Object.fromEntries(Object.entries(models).filter(([name]) => !name.endsWith("*")))

/** Prices from the file, or else from the contract. Models of an operation have precedence over those for all operations. */
export const priceBook = (file: PricesFile): PriceBook => ({
  canBeFree: ({ id, price }) => {
    const own = file.operations?.[id]
    const used = own ?? price
    if (used.contract !== "model_tokens") return canBeFree(used)
    return [modelsOf(own), file.models ?? {}, modelsOf(price)].some((models) => canBeFree({ ...used, models }))
  },
  all: (operation) => {
    const own = file.operations?.[operation.id]
    const price = own ?? operation.price
    if (price.contract !== "model_tokens") return price
    return { ...price, models: merged([modelsOf(own), file.models ?? {}, modelsOf(operation.price)]) }
  },
  of: (operation, model) => {
    const own = file.operations?.[operation.id]
    const price = own ?? operation.price
    if (price.contract !== "model_tokens") return price
    const lists = [modelsOf(own), file.models ?? {}, modelsOf(operation.price)]
    if (model === undefined) return { ...price, models: Object.assign({}, ...lists.toReversed().map(withoutStars)) }
    for (const models of lists) {
      const found = find(models, model)
      if (found !== undefined) return { ...price, models: { [model]: found } }
    }
    return { ...price, models: {} }
  }
})
