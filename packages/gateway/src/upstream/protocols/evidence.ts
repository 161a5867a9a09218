import { operations } from "@tollgate/contract/operations"
import { isAnswer } from "@tollgate/contract/price/answerShape"
import { estimateTokens } from "@tollgate/contract/price/estimate"
import * as Evidence from "@tollgate/contract/price/evidence"
import { unitsOf } from "@tollgate/contract/price/units"
import * as Option from "effect/Option"
import type { Priced } from "../../exchange/Exchange.ts"
import type { Answer } from "../../exchange/Answer.ts"
import { isJson, isSuccess } from "./contentType.ts"
import { completeUsage, type ReportedUsage } from "./counts.ts"
import { hasInteger } from "./integerField.ts"
import { isOwnAnswer } from "./ownAnswer.ts"
import { tryParse } from "./jsonValue.ts"

/** How a protocol's whole answers are read for their cost. */
export interface Completion {
  /** What was generated: choices, content or candidates. `undefined`: the answer is not a completion. */
  readonly outputs: (answer: unknown) => ReadonlyArray<unknown> | undefined
  readonly usage: (answer: unknown) => ReportedUsage | undefined
  /** The bytes of generated text. */
  readonly textBytes: (bytes: Uint8Array) => number
}

/** Operations that answer with completions, however an operator prices them. */
const completions = new Set(operations.filter(({ price }) => price.contract === "model_tokens").map(({ id }) => id))

/** The value, if it is an array of outputs. */
export const outputsIn = (value: unknown, isOutput: (item: unknown) => boolean): ReadonlyArray<unknown> | undefined =>
  Array.isArray(value) && value.every(isOutput) ? value : undefined

const none = Option.none<Evidence.Evidence>()

const evidenceIn = (exchange: Priced, bytes: Uint8Array, answer: unknown): Option.Option<Evidence.Evidence> => {
  const { input, price } = exchange
  const found = Evidence.evidence(price, answer)
  if (price.contract === "body_code") return hasInteger(bytes, price.field) ? found : none
  if (Option.isSome(found)) return found
  if (price.contract === "per_token")
    return Option.some({ kind: "tokens", total: estimateTokens(price, input.body), isEstimate: true })
  return price.contract === "answer_field" && price.requested !== undefined
    ? Option.some({ kind: "units", count: unitsOf(price, input.body).likely, isEstimate: true })
    : none
}

/**
 * The evidence of cost in a whole answer; `none` if it is not an answer of the operation and the protocol. Tokens are priced
 * by the caller's name for the model. Without `completion` the protocol reports no tokens.
 */
export const evidenceOf =
  (completion?: Completion) =>
  (exchange: Priced, { bytes, contentType, status }: Answer): Option.Option<Evidence.Evidence> => {
    const { model, operation, price } = exchange
    if (!isSuccess(status)) return none
    if (price.contract === "per_request" && isOwnAnswer(operation, { bytes, contentType, status })) {
      return Evidence.evidence(price, undefined)
    }
    if (!isJson(contentType) || !isJson(operation.contentType)) return none
    const answer = tryParse(bytes)
    if (!isAnswer(operation.success, answer)) return none
    const isByModel = price.contract === "model_tokens"
    if (!isByModel && (completion === undefined || !completions.has(operation.id))) {
      return evidenceIn(exchange, bytes, answer)
    }
    const generated = completion?.outputs(answer)
    if (completion === undefined || generated === undefined) return none
    const reported = completion.usage(answer)
    if (generated.length === 0 && reported === undefined) return none
    if (!isByModel) return evidenceIn(exchange, bytes, answer)
    if (model === undefined) return none
    const isReported = reported?.input !== undefined && reported.output !== undefined
    return Option.some({
      kind: "model",
      model,
      ...completeUsage(exchange, reported, isReported ? 0 : completion.textBytes(bytes))
    })
  }
