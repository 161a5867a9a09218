import * as Utf8 from "@tollgate/contract/Utf8"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import type { Decoded, Routed } from "../Exchange.ts"
import { bodyTooLarge } from "../internal/body.ts"
import { parseQuery } from "../internal/query.ts"
import { refuse, type Refused } from "../Refused.ts"

const nothing = new Uint8Array(0)
const empty: Readonly<Record<string, unknown>> = {}

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1()

const decoders = new WeakMap<Schema.Constraint, ReturnType<typeof makeDecoder>>()
const makeDecoder = (schema: Schema.Constraint) =>
  Schema.decodeUnknownResult(schema as Schema.ConstraintDecoder<unknown>)

/** Names the field at fault and what was expected; never the value, which may hold a secret. */
const decode = (schema: Schema.Constraint, value: unknown): Result.Result<unknown, Refused> => {
  let decoder = decoders.get(schema)
  if (decoder === undefined) decoders.set(schema, (decoder = makeDecoder(schema)))
  return Result.mapError(decoder(value), (error) => {
    const issue = formatIssues(error.issue).issues[0]
    const param = (issue?.path ?? []).map((key) => String(typeof key === "object" ? key.key : key)).join(".")
    const message = issue?.message ?? "The request does not fit."
    return param === ""
      ? refuse("invalid_request", message)
      : refuse("invalid_request", `${param}: ${message}`, { param })
  })
}

const parseJson = (bytes: Uint8Array): Result.Result<unknown, Refused> => {
  try {
    return Result.succeed(JSON.parse(Utf8.decodeStrict(bytes)))
  } catch {
    return Result.fail(
      refuse("invalid_request", bytes.length === 0 ? "A JSON body is needed." : "The body is not valid JSON in UTF-8.")
    )
  }
}

const readBody = (exchange: Routed): Effect.Effect<Uint8Array, Refused> =>
  Effect.matchEager(exchange.request.arrayBuffer, {
    onSuccess: (buffer) => Effect.succeed(new Uint8Array(buffer)),
    onFailure: (error) =>
      Effect.fail(
        bodyTooLarge(error)
          ? refuse("body_too_large", "The body is larger than this gateway takes.")
          : refuse("invalid_request", "The body could not be read.")
      )
  }).pipe(Effect.flatten)

/** Checks what the schemas know and lets the rest through. */
export const request = Effect.fnUntraced(function* (exchange: Routed): Effect.fn.Return<Decoded, Refused> {
  const { operation, request } = exchange
  const schemas = operation.request
  for (const [name, value] of Object.entries(schemas.headers ?? {})) {
    if (request.headers[name.toLowerCase()] !== value) {
      return yield* refuse("invalid_request", `The header ${name}: ${value} is needed.`, { param: name })
    }
  }
  let path = empty
  if (schemas.path !== undefined) {
    path = (yield* Effect.fromResult(decode(schemas.path, exchange.match.parameters))) as typeof empty
  }
  let query = empty
  if (schemas.query !== undefined) {
    const parsed = parseQuery(exchange.query)
    if (parsed === undefined) return yield* refuse("invalid_request", "The query string is not well encoded.")
    query = (yield* Effect.fromResult(decode(schemas.query, Object.fromEntries(parsed)))) as typeof empty
  }
  if (schemas.body === undefined) return { ...exchange, input: { path, query, body: undefined }, bytes: nothing }
  const bytes = yield* readBody(exchange)
  const body = yield* Effect.fromResult(Result.flatMap(parseJson(bytes), (json) => decode(schemas.body!, json)))
  return { ...exchange, input: { path, query, body }, bytes }
})
