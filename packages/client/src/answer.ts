import type { Head } from "@tollgate/contract/carrier/Carrier"
import * as ApiError from "@tollgate/contract/errors/ApiError"
import { decode as decodeError } from "@tollgate/contract/errors/decode"
import type { Bound, Failure, Operation, Success } from "@tollgate/contract/Operation"
import { ResellerEnvelope } from "@tollgate/contract/resources/ResellerEnvelope"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { AnswerInvalid } from "./errors.ts"
import { type Hide, hideIn } from "./hideCredential.ts"
import { type ResellerError, ResellerFailed } from "./ResellerFailed.ts"
import { object } from "./stream/Event.ts"

type Decoder = (value: unknown) => Effect.Effect<unknown, Schema.SchemaError>

const decoders = new WeakMap<Schema.Constraint, Decoder>()

const decoderOf = (schema: Schema.Constraint): Decoder => {
  const known = decoders.get(schema)
  if (known !== undefined) return known
  const made = Schema.decodeUnknownEffect(Schema.fromJsonString(schema as Schema.ConstraintDecoder<unknown>))
  decoders.set(schema, made)
  return made
}

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

/** Fails with the error that the operation declares for this status. */
export const refused = <O extends Operation>(
  operation: Bound<O>,
  collected: Collected
): Effect.Effect<never, Failure<O>> =>
  Effect.flatMap(detailsOf(collected, operation), (details) =>
    Effect.fail(ApiError.make(operation.errors, { operation: operation.id, ...details }) as Failure<O>)
  )

/** Fails for a successful status whose content does not fit the operation. */
export const invalid = (operation: Bound, collected: Collected, message: string): Effect.Effect<never, AnswerInvalid> =>
  Effect.flatMap(detailsOf(collected, operation), ({ body, charge, headers, requestId, status }) =>
    Effect.fail(
      new AnswerInvalid({
        operation: operation.id,
        message: collected.hide(message),
        status,
        outcome: "executed",
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
const checkList = (list: string) => (value: unknown) =>
  Array.isArray(object(value)[list]) || object(value)["promptFeedback"] !== undefined
    ? Effect.succeed(value)
    : Effect.fail({ message: `The answer has no \`${list}\`` })

/** Checks status and content type before it decodes the body. */
export const read = <O extends Operation>(
  operation: Bound<O>,
  collected: Collected
): Effect.Effect<Success<O>, Failure<O> | AnswerInvalid | ResellerError<O>> => {
  if (!isOk(collected)) return refused(operation, collected)
  if (!/[/+]json\b/i.test(collected.headers["content-type"] ?? "")) {
    return invalid(operation, collected, `Expected JSON, the answer is ${kindOf(collected)}`)
  }
  const { list, success } = operation
  const parsed = decoderOf(success)(Utf8.decode(collected.body))
  const decoded = Effect.catch(list === undefined ? parsed : Effect.flatMap(parsed, checkList(list)), (error) =>
    invalid(operation, collected, error.message)
  )
  const checked =
    success === (ResellerEnvelope as Schema.Constraint)
      ? Effect.flatMap(decoded, (envelope) => checkEnvelope(operation, collected, envelope as ResellerEnvelope))
      : decoded
  return checked as Effect.Effect<Success<O>, AnswerInvalid | ResellerError<O>>
}
