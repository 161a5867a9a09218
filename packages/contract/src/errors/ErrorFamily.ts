import * as Schema from "effect/Schema"
import { Open } from "../Open.ts"
import { codes } from "./codes.ts"
import type { Refusal } from "./Refused.ts"

export type ErrorBody = Readonly<Record<string, unknown>>

/** All that is known of a format of errors and its SDKs. What is left out has the usual answer: no, or nothing. */
export interface ErrorFamily {
  // The body of the gateway's own errors.
  readonly shape: Schema.Constraint
  readonly body: (refusal: Refusal, status: number) => ErrorBody

  // Streams.
  /** The error that ends a broken stream. The usual one is the body with `request_id`. */
  readonly lastBody?: (refusal: Refusal) => ErrorBody
  /** The name of the event with that error. */
  readonly errorEvent?: string
  /** A stream without events is a JSON array. */
  readonly streamsArray?: true
  /** The path asks for a stream, not a field of the body. */
  readonly streamsByPath?: true
  /** The data of the last event of a whole stream. */
  readonly lastItem?: string

  // What its SDKs send and expect.
  /** Paths that they call, for an answer where there is no operation. */
  readonly paths?: RegExp
  /** Where they send the key. */
  readonly keyHeader?: "x-api-key" | "x-goog-api-key"
  readonly keyParameter?: "key"
  /** The header with the version of the format. It tells who calls an address that SDKs share. */
  readonly versionHeader?: "anthropic-version"
  /** Their name for `X-Request-ID`. */
  readonly requestIdHeader?: string
  /** Where they list models, if that is not `/v1/models`. */
  readonly modelsPath?: string
  /** `gen_ai.operation.name` of every call of a model. */
  readonly genAiOperation?: string
}

/** A rate limit has `error.type` and a string code in every family, even if its other errors are flat. */
export const RateLimit = Open({
  code: Schema.String,
  message: Schema.String,
  type: Schema.Literal("rate_limit_error")
})

/** The error as `RateLimit`. `undefined`: it is another one. */
export const rateLimitOf = ({ code, message }: Refusal): ErrorBody | undefined => {
  const { type } = codes[code]
  return type === "rate_limit_error" ? { code, message, type } : undefined
}

export const optionalText = Schema.optionalKey(Schema.String)

export const requestIdOf = ({ requestId }: Refusal): ErrorBody =>
  requestId === undefined ? {} : { request_id: requestId }
