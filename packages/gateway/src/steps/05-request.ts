import { isFree } from "@tollgate/contract/price/Price"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Decoded, Routed } from "../Exchange.ts"
import { callerMayLeave } from "../internal/callerMayLeave.ts"
import { decode } from "../internal/decode.ts"
import { emptyBytes } from "../internal/emptyBytes.ts"
import { hasDuplicateNames } from "../internal/jsonEdit.ts"
import { parseJson } from "../internal/parseJson.ts"
import { parseQuery } from "../internal/query.ts"
import { refuse, type Refused } from "../Refused.ts"

type Parameters = Readonly<Record<string, unknown>>

const noParameters: Result.Result<Parameters, Refused> = Result.succeed({})

const decodeParameters = (schema: Schema.Constraint | undefined, read: () => Result.Result<object, Refused>) =>
  schema === undefined
    ? noParameters
    : Result.flatMap(read(), (given) => decode(schema, given) as Result.Result<Parameters, Refused>)

const queryParameters = (query: string): Result.Result<object, Refused> => {
  const parsed = parseQuery(query)
  return parsed === undefined
    ? Result.fail(refuse("invalid_request", "The query string is not encoded correctly."))
    : Result.succeed(Object.fromEntries(parsed))
}

const missingHeader = ({ operation, request }: Routed): Refused | undefined => {
  for (const [name, value] of Object.entries(operation.request.headers ?? {})) {
    if (request.headers[name.toLowerCase()] !== value) {
      return refuse("invalid_request", `The header ${name}: ${value} is required.`, { param: name })
    }
  }
  return undefined
}

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

const modelIn = (body: unknown): unknown =>
  typeof body === "object" && body !== null && Object.hasOwn(body, "model")
    ? (body as { readonly model: unknown }).model
    : undefined

const emptyBody: Result.Result<unknown, Refused> = Result.succeed({})

/** The gateway's own operations accept a missing body as `{}`. An upstream decides for itself. */
const isOmitted = ({ operation }: Routed, bytes: Uint8Array): boolean =>
  bytes.length === 0 && operation.upstream === "gateway"

const duplicateName = Result.fail(refuse("invalid_request", "Two fields of the body have the same name."))

/**
 * Readers differ in which of two duplicate names they take, so the upstream might read what was not priced. Some ignore case
 * too: that is checked only at the top level, where the names are the operation's own.
 */
const isAmbiguous = ({ operation }: Routed, json: unknown, bytes: Uint8Array): boolean => {
  if (isFree(operation.price) || !Predicate.isObject(json)) return false
  const names = Object.keys(json)
  return hasDuplicateNames(bytes, json) || new Set(names.map((name) => name.toLowerCase())).size !== names.length
}

/** Checks the fields that the schemas declare. Other fields pass unchecked. */
export const request = (exchange: Routed): Effect.Effect<Decoded, Refused> => {
  const schemas = exchange.operation.request
  const refused = missingHeader(exchange)
  if (refused !== undefined) return Effect.fail(refused)
  const path = decodeParameters(schemas.path, () => Result.succeed(exchange.match.parameters))
  if (Result.isFailure(path)) return Effect.fail(path.failure)
  const query = decodeParameters(schemas.query, () => queryParameters(exchange.query))
  if (Result.isFailure(query)) return Effect.fail(query.failure)
  const decoded = (body: unknown, bytes: Uint8Array): Decoded => ({
    ...exchange,
    input: { path: path.success, query: query.success, body },
    model: text(path.success.model) ?? text(modelIn(body)),
    bytes
  })
  const { body } = schemas
  if (body === undefined) return Effect.succeed(decoded(undefined, emptyBytes))
  return Effect.flatMapEager(callerMayLeave(exchange.request.readBody()), (bytes) => {
    const json = isOmitted(exchange, bytes) ? emptyBody : parseJson(bytes)
    const value = Result.flatMap(json, (json) =>
      isAmbiguous(exchange, json, bytes) ? duplicateName : decode(body, json)
    )
    return Result.isFailure(value) ? Effect.fail(value.failure) : Effect.succeed(decoded(value.success, bytes))
  })
}
