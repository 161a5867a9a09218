import type { Head } from "@tollgate/contract/carrier/Carrier"
import * as ApiError from "@tollgate/contract/errors/ApiError"
import { decode as decodeError } from "@tollgate/contract/errors/decode"
import type { Bound, Failure, Operation, Success } from "@tollgate/contract/Operation"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { AnswerInvalid } from "./errors.ts"
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
}

export const isOk = ({ status }: Head): boolean => status >= 200 && status < 300

/** The details of an answer that is not the expected success. */
const detailsOf = ({ body, headers, status }: Collected, { names }: Bound) =>
  Effect.map(Clock.currentTimeMillis, (now) => decodeError({ status, headers, body: Utf8.decode(body) }, names, now))

/** Fails with the error that the operation declares for this status. */
export const refused = <O extends Operation>(
  operation: Bound<O>,
  collected: Collected
): Effect.Effect<never, Failure<O>> =>
  Effect.flatMap(detailsOf(collected, operation), (details) =>
    Effect.fail(ApiError.make(operation.errors, details) as Failure<O>)
  )

/** Fails for a successful status whose content does not fit the operation. */
export const invalid = (operation: Bound, collected: Collected, message: string): Effect.Effect<never, AnswerInvalid> =>
  Effect.flatMap(detailsOf(collected, operation), ({ body, charge, headers, requestId, status }) =>
    Effect.fail(
      new AnswerInvalid({
        operation: operation.id,
        message,
        status,
        outcome: "executed",
        charge,
        headers,
        body,
        ...(requestId === undefined ? {} : { requestId })
      })
    )
  )

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
): Effect.Effect<Success<O>, Failure<O> | AnswerInvalid> => {
  if (!isOk(collected)) return refused(operation, collected)
  if (!/[/+]json\b/i.test(collected.headers["content-type"] ?? "")) {
    return invalid(operation, collected, `Expected JSON, the answer is ${kindOf(collected)}`)
  }
  const { list, success } = operation
  const decoded = decoderOf(success)(Utf8.decode(collected.body))
  return Effect.catch(list === undefined ? decoded : Effect.flatMap(decoded, checkList(list)), (error) =>
    invalid(operation, collected, error.message)
  ) as Effect.Effect<Success<O>, AnswerInvalid>
}
