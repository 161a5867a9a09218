import { isAnswer } from "@tollgate/contract/price/answerShape"
import { contractOf } from "@tollgate/contract/price/contracts"
import type { Evidence } from "@tollgate/contract/price/evidence"
import { isByModel } from "@tollgate/contract/price/Price"
import { read } from "@tollgate/contract/price/exact"
import { type Json, objectOr } from "@tollgate/protocols/json"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type { Priced } from "../../exchange/Exchange.ts"
import type { Answer } from "../../exchange/Reply.ts"
import { isJson, isSuccess } from "./message.ts"
import type { Facts } from "../Protocol.ts"
import { modelEvidence } from "./counts.ts"
import { hasInteger } from "./fieldScanner.ts"
import { textAt } from "./reportedCost.ts"
import { isOwnAnswer } from "./customAnswer.ts"
import { completions, parsedAnswer } from "./parsedAnswer.ts"

/** How a protocol's whole answers are read for their cost. */
export interface Completion {
  /** What was generated: choices, content or candidates. `undefined`: the answer is not a completion. */
  readonly outputs: (answer: unknown) => ReadonlyArray<unknown> | undefined
  readonly facts: (answer: Json, exchange: Priced) => Facts
}

/** The value, if it is an array of outputs. */
export const outputsIn = (value: unknown, isOutput: (item: unknown) => boolean): ReadonlyArray<unknown> | undefined =>
  Array.isArray(value) && value.every(isOutput) ? value : undefined

const none = Option.none<Evidence>()
const failed: Evidence = { kind: "failed" }

/** A failure that a 2xx declares: `success: false`, or another code than the one that is paid for. */
const failureIn = ({ price }: Priced, bytes: Uint8Array, answer: unknown): Evidence | undefined => {
  if (!Predicate.isObject(answer)) return undefined
  if (answer["success"] === false) return failed
  const { evidence, integerField, isFailure } = contractOf(price)
  const field = integerField?.(price)
  const code = field === undefined ? undefined : read(answer, [field])
  if (field === undefined || (typeof code !== "number" && typeof code !== "string")) return undefined
  if (!hasInteger(bytes, field) || !Number.isSafeInteger(code)) return failed
  const found = evidence(price, answer)
  return found?.kind === "failed" || (found !== undefined && isFailure?.(price, found) === true) ? found : undefined
}

const evidenceIn = (
  { input, price }: Priced,
  bytes: Uint8Array,
  answer: unknown,
  inHeader: string | undefined
): Option.Option<Evidence> => {
  const contract = contractOf(price)
  const field = contract.integerField?.(price)
  if (field !== undefined && !hasInteger(bytes, field)) return none
  const at = contract.reportedAt?.(price)
  const reported = at !== undefined && "field" in at ? textAt(bytes, at.field) : inHeader
  return Option.fromUndefinedOr(contract.evidence(price, answer, reported) ?? contract.counted?.(price, input.body))
}

/**
 * The evidence of cost in a whole answer; `none` if it is not an answer of the operation and the protocol. Tokens are priced
 * by the caller's name for the model. Without `completion` the protocol reports no tokens.
 */
export const evidenceOf =
  (completion?: Completion) =>
  (exchange: Priced, { bytes, contentType, reportedCost, status }: Answer): Option.Option<Evidence> => {
    const { model, operation, price } = exchange
    if (!isSuccess(status)) return none
    const answer = isJson(contentType) ? parsedAnswer(exchange, bytes) : undefined
    const failure = failureIn(exchange, bytes, answer)
    if (failure !== undefined) return Option.some(failure)
    const { evidence, isProvenByAnswer } = contractOf(price)
    if (isProvenByAnswer?.(price) && !completions.has(operation.id)) {
      if (isOwnAnswer(operation, { bytes, contentType, status }, answer)) {
        return Option.fromUndefinedOr(evidence(price, undefined, reportedCost))
      }
    }
    if (answer === undefined || !isJson(operation.contentType)) return none
    if (!isAnswer(operation.success, answer)) return none
    const byModel = isByModel(price)
    if (!byModel && (completion === undefined || !completions.has(operation.id))) {
      return evidenceIn(exchange, bytes, answer, reportedCost)
    }
    const generated = completion?.outputs(answer)
    if (completion === undefined || generated === undefined) return none
    const { served, textBytes, usage } = completion.facts(objectOr(answer), exchange)
    if (generated.length === 0 && usage === undefined) return none
    if (!byModel) return evidenceIn(exchange, bytes, answer, reportedCost)
    return model === undefined ? none : Option.some(modelEvidence(exchange, { ...served, ...usage }, textBytes))
  }
