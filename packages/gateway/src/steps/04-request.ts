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
  Effect.mapBoth(exchange.request.arrayBuffer, {
    onSuccess: (buffer) => new Uint8Array(buffer),
    onFailure: (error) =>
      bodyTooLarge(error)
        ? refuse("body_too_large", "The body is larger than this gateway takes.")
        : refuse("invalid_request", "The body could not be read.")
  })

type Parameters = Readonly<Record<string, unknown>>

const none: Result.Result<Parameters, Refused> = Result.succeed({})

const parameters = (schema: Schema.Constraint | undefined, read: () => Result.Result<object, Refused>) =>
  schema === undefined
    ? none
    : Result.flatMap(read(), (given) => decode(schema, given) as Result.Result<Parameters, Refused>)

const parseParameters = (query: string): Result.Result<object, Refused> => {
  const parsed = parseQuery(query)
  return parsed === undefined
    ? Result.fail(refuse("invalid_request", "The query string is not well encoded."))
    : Result.succeed(Object.fromEntries(parsed))
}

const missingHeader = ({ operation, request }: Routed): Refused | undefined => {
  for (const [name, value] of Object.entries(operation.request.headers ?? {})) {
    if (request.headers[name.toLowerCase()] !== value) {
      return refuse("invalid_request", `The header ${name}: ${value} is needed.`, { param: name })
    }
  }
  return undefined
}

/** Checks what the schemas know and lets the rest through. */
export const request = (exchange: Routed): Effect.Effect<Decoded, Refused> => {
  const schemas = exchange.operation.request
  const refused = missingHeader(exchange)
  if (refused !== undefined) return Effect.fail(refused)
  const path = parameters(schemas.path, () => Result.succeed(exchange.match.parameters))
  if (Result.isFailure(path)) return Effect.fail(path.failure)
  const query = parameters(schemas.query, () => parseParameters(exchange.query))
  if (Result.isFailure(query)) return Effect.fail(query.failure)
  const decoded = (body: unknown, bytes: Uint8Array): Decoded => ({
    ...exchange,
    input: { path: path.success, query: query.success, body },
    bytes
  })
  const { body } = schemas
  if (body === undefined) return Effect.succeed(decoded(undefined, nothing))
  return Effect.flatMap(readBody(exchange), (bytes) => {
    const value = Result.flatMap(parseJson(bytes), (json) => decode(body, json))
    return Result.isFailure(value) ? Effect.fail(value.failure) : Effect.succeed(decoded(value.success, bytes))
  })
}
