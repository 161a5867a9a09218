import { ModelSection } from "@tollgate/contract/price/contracts/modelSection"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { readFile } from "node:fs/promises"
import { parseUsd } from "@tollgate/contract/Money"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Issues from "../config/text/issues.ts"
import { formatPath } from "../config/text/Problem.ts"
import { ModelName, text } from "../config/text/values.ts"
import type { WrittenPrices } from "../config/Config.ts"
import { CommandError } from "../terminal/print.ts"

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
export const priceOf = (listed: ListedModel) =>
  Struct.omit(listed, ["also", "day", "makes", "model", "note", "provider", "source"])

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

const largest = 4_000_000

export const read = Effect.fnUntraced(function* (path: string) {
  const fail = (message: string) => new CommandError({ message: `${path}: ${message}` })
  const content = yield* Effect.tryPromise({ try: () => readFile(path, "utf8"), catch: () => fail("cannot be read") })
  if (content.length > largest) return yield* fail("is too large for a price list")
  const json = yield* Effect.try({ try: (): unknown => JSON.parse(content), catch: () => fail("is not JSON") })
  const decoded = Issues.decode(PriceList, json, [])
  if (Result.isSuccess(decoded)) return decoded.success
  const first = decoded.failure[0]
  return yield* fail(first === undefined ? "is no price list" : `${formatPath(first.path)}: ${first.message}`)
})

interface Change {
  /** A model, or an operation that is not billed by model. */
  readonly name: string
  /** A path such as `tiers.flex`. Missing for a model that the configuration does not have. */
  readonly field?: string
  /** What the configuration says; missing if it says nothing. */
  readonly now?: unknown
  readonly listed: unknown
  readonly day: string
  readonly source: string
}

/** `2.5` is `2.50`. */
const isSameText = (now: string, listed: string): boolean => {
  if (now === listed) return true
  const amount = Option.getOrUndefined(parseUsd(now))
  return amount !== undefined && amount === Option.getOrUndefined(parseUsd(listed))
}

const isSame = (now: unknown, listed: unknown): boolean => {
  if (typeof now === "string" && typeof listed === "string") return isSameText(now, listed)
  if (Array.isArray(now) && Array.isArray(listed)) {
    return now.length === listed.length && listed.every((item, i) => isSame(now[i], item))
  }
  if (!Predicate.isObject(now) || !Predicate.isObject(listed)) return now === listed
  const names = Object.keys(listed)
  return names.length === Object.keys(now).length && names.every((name) => isSame(now[name], listed[name]))
}

/** The parts that differ, by their paths. What only the configuration has is the operator's own. */
const differing = (
  now: unknown,
  listed: unknown,
  path: string
): ReadonlyArray<Pick<Change, "field" | "now" | "listed">> => {
  if (Predicate.isObject(listed) && (now === undefined || Predicate.isObject(now))) {
    return Object.entries(listed).flatMap(([name, value]) =>
      differing(now?.[name], value, path === "" ? name : `${path}.${name}`)
    )
  }
  return isSame(now, listed) ? [] : [{ field: path, ...(now === undefined ? {} : { now }), listed }]
}

const changesOf = (configured: Readonly<Record<string, unknown>>, model: ListedModel): ReadonlyArray<Change> => {
  const { day, model: name, source } = model
  return differing(configured, priceOf(model), "").map((change) => ({ name, ...change, day, source }))
}

const addition = ({ day, input, model, output, source }: ListedModel): Change => ({
  name: model,
  listed: `${input} / ${output}`,
  day,
  source
})

const changeOf = (
  written: WrittenPrices["operations"],
  { day, operation, perUnit, source }: ListedOperation
): ReadonlyArray<Change> => {
  const now = Object.hasOwn(written, operation) ? written[operation]?.["perUnit"] : undefined
  return differing(now, perUnit, "perUnit").map((change) => ({ name: operation, ...change, day, source }))
}

/** Whether something of the list may be added: its provider is an upstream, or upstreams are not called by providers here. */
const isOffered = ({ upstreams }: WrittenPrices, { models, operations = [] }: PriceList) => {
  const providers = new Set([...models, ...operations].map(({ provider }) => provider))
  const known = upstreams.filter((name) => providers.has(name))
  return ({ provider }: ListedModel | ListedOperation): boolean => known.length === 0 || known.includes(provider)
}

/** What the list would change in the prices of models and operations, and what it would add for the configuration's upstreams. */
export const difference = (written: WrittenPrices, list: PriceList): ReadonlyArray<Change> => {
  const offered = isOffered(written, list)
  return [
    ...list.models.flatMap((model) => {
      if (Object.hasOwn(written.models, model.model)) return changesOf(written.models[model.model] ?? {}, model)
      return offered(model) && model.makes === undefined ? [addition(model)] : []
    }),
    ...(list.operations ?? []).flatMap((operation) =>
      offered(operation) ? changeOf(written.operations, operation) : []
    )
  ]
}
