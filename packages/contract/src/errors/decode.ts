import { attempt } from "../attempt.ts"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Headers from "../Headers.ts"
import { amountOf, parseMicros } from "../Money.ts"
import type { Names } from "../Names.ts"
import { type Charge, CostState, type Outcome } from "../Outcome.ts"
import * as RetryAfter from "../RetryAfter.ts"
import type { Details } from "./ApiError.ts"
import { type Code, codes, isCode } from "./codes.ts"

export interface WireAnswer {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The specification says that a call with one of these statuses did not run. */
const refusedByStatus = new Set([400, 401, 402, 403, 405, 413, 415, 429, 431])

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

const object = (value: unknown): Record<string, unknown> =>
  Predicate.isObject(value) ? (value as Record<string, unknown>) : {}

const parseObject = (answer: WireAnswer): Record<string, unknown> => {
  if (answer.body === "") return {}
  const contentType = answer.headers["content-type"]
  // A body without a content type may be JSON.
  if (contentType !== undefined && !/[/+]json\b/i.test(contentType)) return {}
  const parsed = attempt((): unknown => JSON.parse(answer.body))
  // Gemini's JSON array stream wraps its error in a list.
  return object(Array.isArray(parsed) ? parsed[0] : parsed)
}

const matchesStatus = (code: Code, status: number): boolean =>
  codes[code].status === status || (status === 503 && codes[code].type === "upstream_error")

/** A page of a proxy proves nothing, whatever its status: the gateway may have run the call behind it. */
export const isForeign = ({ headers }: Pick<WireAnswer, "headers">, names: Names): boolean =>
  /^text\/html\b/i.test(headers["content-type"] ?? "") &&
  headers[Headers.costState.key(names)] === undefined &&
  headers["x-request-id"]?.startsWith("req_") !== true

const outcomeOf = (answer: WireAnswer, names: Names, code: string | undefined): Outcome => {
  const { status } = answer
  if (isForeign(answer, names)) return "unknown"
  // An upstream may use the same code with another meaning: a code of the gateway is trusted only on its own status.
  if (code !== undefined && isCode(code) && matchesStatus(code, status)) return codes[code].outcome
  if (status >= 200 && status < 300) return "executed"
  return refusedByStatus.has(status) ? "not executed" : "unknown"
}

const longRetryAfter = Headers.longRetryAfter.toLowerCase()

const isCostState = Schema.is(CostState)

/** Whether it is the stored answer of an earlier call under the same idempotency key. */
export const isReplayed = (headers: WireAnswer["headers"]): boolean =>
  headers[Headers.idempotentReplayed.toLowerCase()] === "true"

/** The charge according to the headers of an answer with this outcome: for a replayed answer, that of the first call. */
export const chargeOf = (headers: WireAnswer["headers"], names: Names, outcome: Outcome): Charge => {
  const again = isReplayed(headers)
  const amount = headers[(again ? Headers.replayedCost : Headers.cost).key(names)]
  const parsed = parseMicros(amount)
  const told = parsed === undefined ? {} : amountOf(parsed)
  const state = again ? parsed !== undefined && "settled" : headers[Headers.costState.key(names)]
  if (isCostState(state)) return { state, ...told }
  // An amount contradicts a refusal, so the state is unknown.
  return { state: outcome === "not executed" && amount === undefined ? "none" : "unknown", ...told }
}

const sensitive = new Set(["set-cookie", "authorization", "proxy-authorization", "x-api-key", "x-goog-api-key"])

/**
 * Decodes an error answer of any family or none: `error` may be text or an object, the code at the top or inside it, the
 * request id in a header or in the body. It always succeeds, and keeps status, headers and body.
 */
export const decode = (answer: WireAnswer, names: Names, nowMillis: number): Details => {
  const top = parseObject(answer)
  const inner = object(top.error)
  const code = text(inner.code) ?? text(top.code)
  // Gemini's `status` is what others call type.
  const type = text(inner.type) ?? text(inner.status) ?? (top.type === "error" ? undefined : text(top.type))
  const message = text(inner.message) ?? text(top.error) ?? text(top.message) ?? `HTTP ${answer.status}`
  const requestId = text(answer.headers["x-request-id"]) ?? text(top.request_id) ?? text(inner.request_id)
  const wait = answer.headers["retry-after"] ?? answer.headers[longRetryAfter]
  const retryAfter = RetryAfter.parse(wait, nowMillis)
  const outcome = outcomeOf(answer, names, code)
  return {
    status: answer.status,
    message,
    ...(code === undefined ? {} : { code }),
    ...(type === undefined ? {} : { type }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    outcome,
    charge: chargeOf(answer.headers, names, outcome),
    headers: Object.fromEntries(Object.entries(answer.headers).filter(([name]) => !sensitive.has(name))),
    body: answer.body
  }
}
