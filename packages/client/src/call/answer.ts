import type { Charge } from "@tollgate/contract/Outcome"
import type { Head } from "@tollgate/contract/carrier/Carrier"
import * as ApiError from "@tollgate/contract/errors/ApiError"
import { decode as decodeError, isForeign } from "@tollgate/contract/errors/decode"
import type { BinaryAnswer } from "@tollgate/contract/binary"
import type { Bound, Failure, Operation, Success } from "@tollgate/contract/Operation"
import { oncePer } from "@tollgate/contract/oncePer"
import { ResellerEnvelope } from "@tollgate/contract/resources/ResellerEnvelope"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { AnswerInvalid, type ResellerError, ResellerFailed } from "../errors/errors.ts"
import { type Hide, hideIn } from "../credential/hideCredential.ts"
import { object } from "../events/Event.ts"

export interface Answered<A> {
  readonly value: A
  /** Of a replayed answer, the charge of the first call. */
  readonly charge: Charge
  readonly head: Head & { readonly hide: Hide }
}

const decoderOf = /* @__PURE__ */ oncePer((schema: Schema.Constraint) =>
  Schema.decodeUnknownResult(schema as Schema.ConstraintDecoder<unknown>)
)

export interface Collected extends Head {
  readonly body: Uint8Array
  readonly hide: Hide
}

export const isOk = ({ status }: Head): boolean => status >= 200 && status < 300

/** The details of an answer that is not the expected success. */
const detailsOf = ({ body, headers, hide, status }: Collected, { names }: Bound) =>
  Effect.map(Clock.currentTimeMillis, (now) =>
    decodeError({ status, headers: hideIn(headers, hide), body: hide(Utf8.decode(body)) }, names, now)
  )

const foreign = ", probably from a proxy: check baseUrl"

/** Fails with the error that the operation declares for this status. */
export const refused = <O extends Operation>(
  operation: Bound<O>,
  collected: Collected
): Effect.Effect<never, Failure<O>> =>
  Effect.flatMap(detailsOf(collected, operation), (details) => {
    const message = details.message + (isForeign(collected, operation.names) ? `, an HTML page${foreign}` : "")
    return Effect.fail(ApiError.make(operation.errors, { operation: operation.id, ...details, message }) as Failure<O>)
  })

/** Fails for a successful status whose content does not fit the operation. */
export const invalid = (operation: Bound, collected: Collected, message: string): Effect.Effect<never, AnswerInvalid> =>
  Effect.flatMap(detailsOf(collected, operation), ({ body, charge, headers, outcome, requestId, status }) =>
    Effect.fail(
      new AnswerInvalid({
        operation: operation.id,
        message: collected.hide(message) + (isForeign(collected, operation.names) ? foreign : ""),
        status,
        outcome: outcome === "unknown" ? outcome : "executed",
        charge,
        headers,
        body,
        ...(requestId === undefined ? {} : { requestId })
      })
    )
  )

/** Only code 200 of a reseller is a success. */
const checkEnvelope = (operation: Bound, collected: Collected, received: ResellerEnvelope) => {
  if (received.code === 200) return Effect.succeed(received)
  const envelope = hideIn(received, collected.hide)
  return Effect.flatMap(detailsOf(collected, operation), ({ charge, requestId, status }) =>
    Effect.fail(
      new ResellerFailed({
        operation: operation.id,
        message: envelope.message || `The reseller answered with code ${envelope.code}`,
        status,
        code: String(envelope.code),
        outcome: "executed",
        charge,
        envelope,
        ...(requestId === undefined ? {} : { requestId })
      })
    )
  )
}

/** The content type, for error messages. */
export const kindOf = ({ headers }: Head): string => headers["content-type"] || "of no stated type"

/** A model's answer without its list would fail where a program reads it. Gemini leaves it out if the prompt was blocked. */
export const lacks = (list: string, value: unknown): boolean =>
  !Array.isArray(object(value)[list]) && object(value)["promptFeedback"] === undefined

/** The value in a body. Throws if it does not fit the operation. */
const decode = ({ list, success }: Bound, body: Uint8Array): unknown => {
  const value = Result.getOrThrow(decoderOf(success)(JSON.parse(Utf8.decode(body))))
  if (list !== undefined && lacks(list, value)) throw new Error(`The answer has no \`${list}\``)
  return value
}

const isJson = (contentType: string): boolean => /[/+]json\b/i.test(contentType)

/** Checks status and content type before it decodes the body. */
export const read = <O extends Operation>(
  operation: Bound<O>,
  collected: Collected
): Effect.Effect<Success<O>, Failure<O> | AnswerInvalid | ResellerError<O>> => {
  if (!isOk(collected)) return refused(operation, collected)
  if (operation.mayBeEmpty === true && collected.body.length === 0) return Effect.succeed(undefined as Success<O>)
  const contentType = collected.headers["content-type"] ?? ""
  if (operation.bytes === "always" || (operation.bytes !== undefined && !isJson(contentType))) {
    return Effect.succeed({ bytes: collected.body, contentType } satisfies BinaryAnswer as Success<O>)
  }
  if (!isJson(contentType)) {
    return invalid(operation, collected, `Expected JSON, the answer is ${kindOf(collected)}`)
  }
  try {
    const value = decode(operation, collected.body)
    const isEnvelope = operation.success === (ResellerEnvelope as Schema.Constraint)
    const checked = isEnvelope ? checkEnvelope(operation, collected, value as ResellerEnvelope) : Effect.succeed(value)
    return checked as Effect.Effect<Success<O>, ResellerError<O>>
  } catch (error) {
    return invalid(operation, collected, (error as Error).message)
  }
}
