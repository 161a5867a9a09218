import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { readFile } from "node:fs/promises"
import * as Issues from "../config/text/issues.ts"
import { formatPath } from "../config/text/Problem.ts"
import { ModelName, text, wholeNumber } from "../config/text/values.ts"

/** Kept as written, so that a file made of it says the same. */
const Amount = text(/^\d{1,7}(?:\.\d{1,9})?$/u, "an amount of USD in quotes, with at most nine decimals")

const Day = text(/^\d{4}-\d{2}-\d{2}$/u, 'a day such as "2026-11-30"')

/** Neither it nor a note can end a comment of the file that is written. */
const Source = text(/^https:\/\/[\x21-\x7e]+$/u, "an address that starts with https://")
const Note = text(/^[\x20-\x7e]{1,200}$/u, "one line of plain text")

const Provider = text(/^[a-z0-9-]{1,40}$/u, "lower-case letters, digits and -")

const tokens = Schema.optionalKey(wholeNumber(100_000_000))

const ListedLongPrompt = Schema.Struct({
  above: wholeNumber(100_000_000),
  input: Schema.optionalKey(Amount),
  output: Schema.optionalKey(Amount),
  cacheRead: Schema.optionalKey(Amount),
  cacheWrite: Schema.optionalKey(Amount)
})

const ListedModel = Schema.Struct({
  provider: Provider,
  model: ModelName,
  input: Amount,
  output: Amount,
  cacheRead: Schema.optionalKey(Amount),
  cacheWrite: Schema.optionalKey(Amount),
  longPrompt: Schema.optionalKey(ListedLongPrompt),
  maxOutput: tokens,
  contextWindow: tokens,
  day: Day,
  source: Source,
  note: Schema.optionalKey(Note)
})
export type ListedModel = typeof ListedModel.Type

/** The price of an operation that is billed by units of its answer. */
const ListedOperation = Schema.Struct({
  provider: Provider,
  operation: text(/^[a-z0-9_.]{1,80}$/u, "the id of an operation"),
  perUnit: Amount,
  day: Day,
  source: Source,
  note: Schema.optionalKey(Note)
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
