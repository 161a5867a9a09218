import type { Head } from "@tollgate/contract/carrier/Carrier"
import * as ApiError from "@tollgate/contract/errors/ApiError"
import { decode as decodeError } from "@tollgate/contract/errors/decode"
import type { Bound, Failure, Operation, Success } from "@tollgate/contract/Operation"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { AnswerInvalid } from "./errors.ts"

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

/** Status and content type first; only then is the body read for what it says it is. */
export const read = Effect.fnUntraced(function* <O extends Operation>(
  operation: Bound<O>,
  response: Collected
): Effect.fn.Return<Success<O>, Failure<O> | AnswerInvalid> {
  const body = Utf8.decode(response.body)
  const wire = { status: response.status, headers: response.headers, body }
  const details = () => Effect.map(Clock.currentTimeMillis, (now) => decodeError(wire, operation.names, now))
  if (response.status < 200 || response.status >= 300) {
    return yield* Effect.fail(ApiError.make(operation.errors, yield* details()) as Failure<O>)
  }
  const invalid = (message: string) =>
    Effect.flatMap(details(), ({ charge, headers, requestId, status }) =>
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
  const contentType = response.headers["content-type"] ?? ""
  if (!/[/+]json\b/i.test(contentType)) {
    return yield* invalid(`Expected JSON, the answer is ${contentType === "" ? "of no stated type" : contentType}`)
  }
  return yield* Effect.catch(decoderOf(operation.success)(body), (error) => invalid(error.message)) as Effect.Effect<
    Success<O>,
    AnswerInvalid
  >
})
