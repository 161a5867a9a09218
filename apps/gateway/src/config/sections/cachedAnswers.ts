import { fill, type Names } from "@tollgate/contract/Names"
import type { Operation } from "@tollgate/contract/Operation"
import { follow } from "@tollgate/contract/operations/follow"
import { streamGenerateContent } from "@tollgate/contract/operations/streamGenerateContent"
import type { CacheTerms } from "@tollgate/contract/price/contracts"
import { parseMultiplier } from "@tollgate/contract/price/Price"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Add, didYouMean } from "../text/Problem.ts"
import { decodedTo, wholeNumber } from "../text/values.ts"

const thirtyDays = 30 * 24 * 3600

const expected = "a part of the first call's price, from 0 to 1 with at most six decimals, such as 0.1"

/** JavaScript writes a number of six decimals with exactly its digits. */
const shareOf = (part: number) => Option.getOrUndefined(parseMultiplier(String(part)))

const isBigInt = (u: unknown): u is bigint => typeof u === "bigint"

const Share = decodedTo(
  Schema.Number.annotate({ expected }).check(
    Schema.isBetween({ minimum: 0, maximum: 1 }, { expected }).abort(),
    Schema.makeFilter((part: number) => shareOf(part) !== undefined, { expected })
  ),
  isBigInt,
  (part) => shareOf(part) ?? 0n
)

/** By operation id. */
export const CachedAnswersFile = Schema.Record(
  Schema.String,
  Schema.Struct({ seconds: wholeNumber(thirtyDays), price: Share })
)

/** Why answers of this operation cannot be kept. */
const reasonAgainst = (operation: Operation): string | undefined => {
  if (operation.upstream === "gateway") return "the gateway answers this operation itself, from what is so now"
  if (operation.limit.tasks !== undefined) return "this operation starts a task each time"
  if (operation.id === follow.id) return "this operation acts for a linked user, so each call is executed"
  if (operation.replay === "create") return "this operation creates something, so each call is executed"
  return operation.id === streamGenerateContent.id
    ? "this operation always streams, and streams are not kept"
    : undefined
}

/** `operations` are all that the gateway has, the operator's own included. */
export const resolve = (
  file: typeof CachedAnswersFile.Type,
  names: Names,
  operations: ReadonlyArray<Operation>,
  add: Add
): ReadonlyMap<string, CacheTerms> => {
  const known = new Map(operations.map((operation) => [fill(operation.id, names), operation]))
  const cachedAnswers = new Map<string, CacheTerms>()
  for (const [id, { price, seconds }] of Object.entries(file)) {
    const operation = known.get(id)
    cachedAnswers.set(id, { seconds, share: price })
    const unknown = `there is no such operation${didYouMean(id, [...known.keys()])}`
    add(["cachedAnswers", id], operation === undefined ? unknown : reasonAgainst(operation))
  }
  return cachedAnswers
}
