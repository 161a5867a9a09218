import { ModelSection } from "@tollgate/contract/price/contracts/modelSection"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { readFile } from "node:fs/promises"
import * as Issues from "../config/text/issues.ts"
import { formatPath } from "../config/text/Problem.ts"
import { ModelName, text } from "../config/text/values.ts"

const Amount = text(/^\d{1,7}(?:\.\d{1,9})?$/u, "an amount of USD in quotes, with at most nine decimals")

const Day = text(/^\d{4}-\d{2}-\d{2}$/u, 'a day such as "2026-11-30"')

/** Neither it nor a note can end a comment of the file that is written. */
const Source = text(/^https:\/\/[\x21-\x7e]+$/u, "an address that starts with https://")
const Note = text(/^[\x20-\x7e]{1,300}$/u, "one line of plain text")

const Provider = text(/^[a-z0-9-]{1,40}$/u, "lower-case letters, digits and -")

/** Where a figure was read, and when. */
const origin = {
  day: Day,
  source: Source,
  /** Further addresses, for what the first does not have. */
  also: Schema.optionalKey(Schema.Array(Source)),
  note: Schema.optionalKey(Note)
}

/** Amounts are kept as they are written, so that a file made of them says the same. */
const ListedModel = Schema.toEncoded(
  Schema.Struct({
    provider: Provider,
    model: ModelName,
    /** It cannot be called by the operations that `init` writes routes for. */
    makes: Schema.optionalKey(Schema.Literal("images")),
    ...ModelSection.fields,
    ...origin
  })
)
export type ListedModel = typeof ListedModel.Type

/** The price of a listed model, as the configuration file has it. */
export const priceOf = (listed: ListedModel) => {
  const {
    also: _also,
    day: _day,
    makes: _makes,
    model: _model,
    note: _note,
    provider: _provider,
    source: _source,
    ...price
  } = listed
  return price
}

/** The price of an operation that is billed by units of its answer. */
const ListedOperation = Schema.Struct({
  provider: Provider,
  operation: text(/^[a-z0-9_.]{1,80}$/u, "the id of an operation"),
  perUnit: Amount,
  ...origin
})
export type ListedOperation = typeof ListedOperation.Type

/** What providers charge, with the day on which each figure was read and where. */
export const PriceList = Schema.Struct({
  about: Schema.optionalKey(Schema.String),
  day: Day,
  models: Schema.Array(ListedModel),
  operations: Schema.optionalKey(Schema.Array(ListedOperation))
})
export type PriceList = typeof PriceList.Type

export class PriceListError extends Data.TaggedError("PriceListError")<{ readonly message: string }> {}

const largest = 4_000_000

/** Reads a list from a file. */
export const read = Effect.fnUntraced(function* (path: string) {
  const fail = (message: string) => new PriceListError({ message: `${path}: ${message}` })
  const content = yield* Effect.tryPromise({ try: () => readFile(path, "utf8"), catch: () => fail("cannot be read") })
  if (content.length > largest) return yield* fail("is too large for a price list")
  const json = yield* Effect.try({ try: (): unknown => JSON.parse(content), catch: () => fail("is not JSON") })
  const decoded = Issues.decode(PriceList, json, [])
  if (Result.isSuccess(decoded)) return decoded.success
  const first = decoded.failure[0]
  return yield* fail(first === undefined ? "is no price list" : `${formatPath(first.path)}: ${first.message}`)
})
