import { isFree } from "@tollgate/contract/price/Price"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Decoded, Routed } from "../Exchange.ts"
import { callerMayLeave } from "../internal/callerMayLeave.ts"
import { decode } from "../internal/decode.ts"
import { hasDuplicateNames } from "../internal/jsonEdit.ts"
import { parseJson } from "../internal/parseJson.ts"
import { parseQuery } from "../internal/query.ts"
import { refuse, type Refused } from "../Refused.ts"

const nothing = new Uint8Array(0)

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

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

const modelIn = (body: unknown): unknown =>
  typeof body === "object" && body !== null && Object.hasOwn(body, "model")
    ? (body as { readonly model: unknown }).model
    : undefined

const empty: Result.Result<unknown, Refused> = Result.succeed({})

/** Where nothing in it is needed, a body may be left out; what an upstream makes of that is not for us to say. */
const isLeftOut = ({ operation }: Routed, bytes: Uint8Array): boolean =>
  bytes.length === 0 && operation.upstream === "gateway"

const twice = Result.fail(refuse("invalid_request", "Two fields of the body have the same name."))

/**
 * What is priced must be what is read, and readers differ in which of two equal names they take. Some do not mind case
 * either: that counts where the names are the operation's own, and not those that a caller chose.
 */
const isAmbiguous = ({ operation }: Routed, json: unknown, bytes: Uint8Array): boolean => {
  if (isFree(operation.price) || !Predicate.isObject(json)) return false
  const names = Object.keys(json)
  return hasDuplicateNames(bytes, json) || new Set(names.map((name) => name.toLowerCase())).size !== names.length
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
    model: text(path.success.model) ?? text(modelIn(body)),
    bytes
  })
  const { body } = schemas
  if (body === undefined) return Effect.succeed(decoded(undefined, nothing))
  return Effect.flatMapEager(callerMayLeave(exchange.request.readBody()), (bytes) => {
    const json = isLeftOut(exchange, bytes) ? empty : parseJson(bytes)
    const value = Result.flatMap(json, (json) => (isAmbiguous(exchange, json, bytes) ? twice : decode(body, json)))
    return Result.isFailure(value) ? Effect.fail(value.failure) : Effect.succeed(decoded(value.success, bytes))
  })
}
