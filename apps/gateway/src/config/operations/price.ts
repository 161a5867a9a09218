import { choices, defaultOutputLimit, outputLimit } from "@tollgate/contract/price/outputLimit"
import type { FieldPath, Price } from "@tollgate/contract/price/Price"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Getter from "effect/SchemaGetter"
import { fixedBy, FixedFields } from "../sections/fixedPrice.ts"
import { decode } from "../text/issues.ts"
import { Models } from "../sections/modelPrice.ts"
import { didYouMean, type Path, type Problem } from "../text/Problem.ts"
import { text, Usd, wholeNumber } from "../text/values.ts"

/** In quotes, or as a number whose digits JSON keeps. */
const Amount = Schema.Union([Schema.String, Schema.Number])
  .annotate({ expected: 'an amount of USD in quotes, with at most nine decimals, such as "0.05"' })
  .pipe(Schema.decodeTo(Usd, { decode: Getter.transform(String), encode: Getter.forbiddenEncoding }))

const Field = text(/^[^\s.]+(?:\.[^\s.]+){0,3}$/u, 'the path of a field of the answer, such as "usage.credits"')
const most = wholeNumber(1_000_000)

const Texts = Schema.Array(
  Schema.Union([
    Schema.NonEmptyString,
    Schema.Struct({ field: Schema.NonEmptyString, timesItemsOf: Schema.optionalKey(Schema.NonEmptyString) })
  ])
).annotate({ description: "The fields of the body whose text is billed, for estimates" })

const contract = <const C extends string>(name: C) => ({ contract: Schema.optionalKey(Schema.Literal(name)) })

const ByModel = Schema.Struct({ ...contract("model_tokens"), models: Models })
const PerItem = Schema.Struct({ ...contract("response_count"), perItem: Amount, items: Schema.NonEmptyString, most })
const PerToken = Schema.Struct({ ...contract("per_token"), perMillion: Amount, texts: Schema.optionalKey(Texts) })
const PerUnit = Schema.Struct({
  ...contract("answer_field"),
  perUnit: Amount,
  field: Field,
  unit: Schema.optionalKey(text(/^[a-z][a-z ]{0,29}$/u, 'a word in the singular, such as "credit"')),
  most
})
const ByCode = Schema.Struct({
  ...contract("body_code"),
  amount: Amount,
  field: Schema.NonEmptyString,
  equals: Schema.Number.check(Schema.isInt({ expected: "a whole number" }))
})
const Fixed = Schema.Struct({
  contract: Schema.optionalKey(Schema.Literals(["per_request", "per_task"])),
  amount: Amount,
  ...FixedFields
})

/** What an operation of the operator's own may cost. */
export const WrittenPrice = Schema.Union([
  Schema.Literals(["free", "pending"]),
  ByModel,
  PerItem,
  PerToken,
  PerUnit,
  ByCode,
  Fixed
])

const pathOf = (field: string): FieldPath => field.split(".")

type Decoded = Result.Result<Price, ReadonlyArray<Problem>>

/** The protocols that report tokens. */
const byModel = ["openai", "anthropic", "gemini"] as const

const isByModel = (protocol: string): protocol is (typeof byModel)[number] => byModel.some((name) => name === protocol)

/** The form that is meant, by the field that only it has. */
const forms: ReadonlyArray<readonly [key: string, read: (written: unknown, path: Path, protocol: string) => Decoded]> =
  [
    [
      "models",
      (written, path, protocol) =>
        Result.map(decode(ByModel, written, path), ({ models }) => ({
          contract: "model_tokens",
          models,
          outputLimit: isByModel(protocol) ? outputLimit[protocol] : [],
          defaultOutputLimit,
          choices: isByModel(protocol) ? choices[protocol] : []
        }))
    ],
    [
      "perItem",
      (written, path) =>
        Result.map(decode(PerItem, written, path), (price) => ({ ...price, contract: "response_count" }))
    ],
    [
      "perMillion",
      (written, path) =>
        Result.map(decode(PerToken, written, path), ({ perMillion, texts = [] }) => ({
          contract: "per_token",
          perMillion,
          texts: texts.map((item) => (typeof item === "string" ? { field: item } : item))
        }))
    ],
    [
      "perUnit",
      (written, path) =>
        Result.map(decode(PerUnit, written, path), ({ field, ...price }) => ({
          ...price,
          contract: "answer_field",
          field: pathOf(field)
        }))
    ],
    [
      "equals",
      (written, path) => Result.map(decode(ByCode, written, path), (price) => ({ ...price, contract: "body_code" }))
    ],
    [
      "amount",
      (written, path, protocol) =>
        Result.map(decode(Fixed, written, path), ({ amount, contract, ...fields }) => ({
          contract: contract ?? (protocol === "task" ? "per_task" : "per_request"),
          amount,
          ...fixedBy(fields)
        }))
    ]
  ]

const expected =
  '{ "amount": … }, { "perItem": …, "items": …, "most": … }, { "perMillion": …, "texts": … }, ' +
  '{ "perUnit": …, "field": …, "most": … }, { "amount": …, "field": …, "equals": … }, { "models": … }, "pending" or "free"'

const kindOf = (value: unknown): string =>
  typeof value === "object" && value !== null ? "another object" : `a ${typeof value}`

/** The first key that is similar to one that says the form, and which. */
const misspelled = (written: object): readonly [key: string, meant: string] | undefined => {
  const known = forms.map(([key]) => key)
  return Object.keys(written)
    .map((key) => [key, didYouMean(key, known)] as const)
    .find(([, meant]) => meant !== "")
}

const pending: Price = { contract: "per_request", amount: "pending" }

/** The price of an operation. Without one, nobody can call it until the operator sets one. */
export const readPrice = (written: unknown, path: Path, protocol: string): Decoded => {
  if (written === undefined || written === "pending") {
    return Result.succeed(protocol === "task" ? { contract: "per_task", amount: "pending" } : pending)
  }
  if (written === "free") return Result.succeed({ contract: "free" })
  if (typeof written === "object" && written !== null) {
    const form = forms.find(([key]) => Object.hasOwn(written, key))
    if (form !== undefined) return form[1](written, path, protocol)
    const meant = misspelled(written)
    if (meant !== undefined) return Result.fail([{ path: [...path, meant[0]], message: `not a known key${meant[1]}` }])
  }
  return Result.fail([{ path, message: `expected ${expected}, found ${kindOf(written)}` }])
}

/** Why an upstream of this protocol cannot be billed so, or a request without a JSON body. */
export const priceProblem = (price: Price, protocol: string, hasBody: boolean): string | undefined => {
  if (price.contract === "model_tokens" && !isByModel(protocol)) {
    return `only an upstream of the protocol ${byModel.join(", ")} reports tokens by model`
  }
  if (price.contract === "per_task" && protocol !== "task") return "only an upstream of the protocol task starts tasks"
  if (protocol === "task" && price.contract !== "per_task" && price.contract !== "free") {
    return 'a task is billed when it succeeds: expected { "amount": … } or "free"'
  }
  const needsBody =
    price.contract === "model_tokens" ||
    (price.contract === "per_token" && price.texts.length > 0) ||
    ("times" in price && price.times !== undefined) ||
    ("variants" in price && price.variants !== undefined)
  return needsBody && !hasBody ? "this price depends on fields of the body, and the operation has none" : undefined
}
