import { jsonSchemaOf } from "@tollgate/contract/jsonSchema/fromJsonSchema"
import type { Bound } from "@tollgate/contract/Operation"
import { longestName as longestModel } from "@tollgate/contract/price/modelFamily"
import { isFree } from "@tollgate/contract/price/Price"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type { Decoded, Routed } from "../../exchange/Exchange.ts"
import { callerMayDisconnect } from "../../internal/callerMayDisconnect.ts"
import { DecidingFields, longestName } from "../../internal/DecidingFields.ts"
import { check, decode, headerParameters } from "../../internal/decode.ts"
import { emptyBytes } from "../../internal/emptyBytes.ts"
import { duplicateName, hasDuplicateNames } from "../../internal/jsonEdit.ts"
import { decodeText, notJson, parseJson, parseText } from "../../internal/jsonValue.ts"
import { firstOf, queryPairs } from "../../internal/query.ts"
import { bodyHoldsCredential, holdsCredential, uploadParts } from "../../internal/callerCredential.ts"
import { QueryRules, shapingHeader } from "../../internal/QueryRules.ts"
import { familyOf } from "@tollgate/contract/errors/families"
import { isLarge, type Turns } from "../../internal/Turns.ts"
import type { PriceBook } from "../../exchange/Prices.ts"
import { refuse, type Refused } from "@tollgate/contract/errors/Refused"
import * as Headers from "@tollgate/contract/Headers"
import { parseTags, type Tags } from "@tollgate/contract/Tags"
import { readStyled } from "@tollgate/contract/QueryStyle"
import { multipartType } from "@tollgate/contract/Upload"
import { isHeaderValue } from "../../upstream/translate/names.ts"

const noTags: Result.Result<Tags | undefined, Refused> = Result.succeed(undefined)

/** Reads what the caller files the call under. */
const tagsOf = ({ operation: { names }, request }: Routed): Result.Result<Tags | undefined, Refused> => {
  const text = request.headers[Headers.tags.key(names)]
  if (text === undefined) return noTags
  const header = Headers.tags(names)
  return Result.mapError(parseTags(text), (wrong) =>
    refuse("invalid_request", `${header} must be like team=search,job=nightly: ${wrong}.`, { param: header })
  )
}

type Parameters = Readonly<Record<string, unknown>>

const noParameters: Result.Result<Parameters, Refused> = Result.succeed({})

const decodeParameters = (schema: Schema.Constraint | undefined, read: () => Result.Result<object, Refused>) =>
  schema === undefined
    ? noParameters
    : Result.flatMap(
        read(),
        (given) => decode(schema, given, undefined, "parameter") as Result.Result<Parameters, Refused>
      )

const queryParameters = ({ operation, query }: Routed): Result.Result<object, Refused> => {
  const pairs = queryPairs(query)
  if (pairs === undefined) return Result.fail(wrongEncoding)
  const { styles } = operation.request
  return Result.succeed(Object.fromEntries(firstOf(styles === undefined ? pairs : readStyled(pairs, styles))))
}

const wrongEncoding = refuse("invalid_request", "The query string is not encoded correctly.")

const holdsOwn = (where: string, param?: string): Refused =>
  refuse(
    "invalid_request",
    `${where} holds a credential of this gateway, which no upstream may get; remove it, and send it as the credential only.`,
    param === undefined ? {} : { param }
  )

type Pairs = ReadonlyArray<readonly [name: string, value: string]>

/** The parameters of the query, unless a value is a credential. The family's own parameter for it is not sent on. */
const checkedPairs = (exchange: Routed): Result.Result<Pairs, Refused> => {
  const { keyParameter } = familyOf(exchange.operation)
  const pairs: Array<Pairs[number]> = []
  for (const part of exchange.query.split("&")) {
    if (part === "") continue
    const [pair] = queryPairs(part) ?? []
    if (pair === undefined) return Result.fail(wrongEncoding)
    if (pair[0] !== keyParameter && holdsCredential(part, exchange)) return Result.fail(holdsOwn("The query"))
    pairs.push(pair)
  }
  return Result.succeed(pairs)
}

const headerValues = ({ operation, request }: Routed): object =>
  Object.fromEntries(
    headerParameters(operation.request.header).flatMap((name) => {
      const value = request.headers[name]
      return value === undefined ? [] : [[name, value]]
    })
  )

const missingHeader = ({ operation, request }: Routed): Refused | undefined => {
  for (const [name, value] of Object.entries(operation.request.headers ?? {})) {
    if (request.headers[name.toLowerCase()] !== value) {
      return refuse("invalid_request", `The header ${name}: ${value} is required.`, { param: name })
    }
  }
  return undefined
}

/** A longer text is no name of a model: it is neither looked up nor recorded. */
const modelName = (value: unknown): string | undefined =>
  typeof value === "string" && value.length <= longestModel ? value : undefined

const modelIn = (body: unknown): unknown =>
  typeof body === "object" && body !== null && Object.hasOwn(body, "model")
    ? (body as { readonly model: unknown }).model
    : undefined

const noBody = refuse("invalid_request", "This operation takes no body; send its parameters in the path and the query.")
const missingBody = refuse("invalid_request", "The body is missing.")

/** What an upstream would not get is refused, not dropped. */
const hasBody = ({ operation: { upstream }, request: { headers } }: Routed): boolean => {
  if (upstream === "gateway") return false
  const length = headers["content-length"]
  return length === undefined ? headers["transfer-encoding"] !== undefined : length !== "0"
}

/** `image/*` stands for all images. */
const isOfType = (type: string, declared: string): boolean =>
  declared === "*/*" || (declared.endsWith("/*") ? type.startsWith(declared.slice(0, -1)) : type === declared)

/** The caller names another type than the operation takes. Without a type the body is tried as it is. */
const otherType = ({ request: { headers } }: Routed, declared: string): Refused | undefined => {
  const type = headers["content-type"]?.replace(/;.*/s, "").trim().toLowerCase()
  if (type === undefined || isOfType(type, declared)) return undefined
  const named = /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(type) ? `, not ${type}` : ""
  return refuse("unsupported_media_type", `The body must be sent as ${declared}${named}.`, { param: "Content-Type" })
}

const wrongType = (exchange: Routed, declared: string): Refused | undefined => {
  const given = exchange.request.headers["content-type"]
  if (given === undefined)
    return declared === "*/*"
      ? undefined
      : refuse("unsupported_media_type", `The header Content-Type is missing; the body must be sent as ${declared}.`, {
          param: "Content-Type"
        })
  if (!isHeaderValue(given) || holdsCredential(given, exchange)) {
    return refuse("invalid_request", "Content-Type: this value is not sent on.", { param: "Content-Type" })
  }
  const isUndivided = declared === multipartType && !/;\s*boundary=/i.test(given)
  return (
    otherType(exchange, declared) ??
    encoded(exchange) ??
    (isUndivided
      ? refuse("invalid_request", "Content-Type: multipart/form-data needs a boundary.", { param: "Content-Type" })
      : undefined)
  )
}

const emptyBody: Result.Result<unknown, Refused> = Result.succeed({})

/** The gateway's own operations accept a missing body as `{}`. An upstream decides for itself. */
const isOmitted = ({ operation }: Routed, bytes: Uint8Array): boolean =>
  bytes.length === 0 && operation.upstream === "gateway"

const refusedText = (exchange: Routed, text: string, isLarge: boolean): Refused | undefined =>
  exchange.operation.upstream !== "gateway" && bodyHoldsCredential(text, exchange, isLarge)
    ? holdsOwn("The body")
    : undefined

const parseBody = (exchange: Routed, bytes: Uint8Array): Result.Result<unknown, Refused> => {
  if (bytes.length === 0) return parseJson(bytes)
  const text = decodeText(bytes)
  if (Result.isFailure(text)) return text
  const refused = refusedText(exchange, text.success, false)
  return refused === undefined ? parseText(text.success) : Result.fail(refused)
}

const sameName = (name = ""): Refused =>
  name === "" || name.length > longestName
    ? refuse("invalid_request", "Two fields of the body have the same name, or a name ends in a backslash.")
    : refuse("invalid_request", `Two fields of the body are called "${name}".`, { param: name })

/** Some readers ignore case. That is checked only at the top level, where the names are the operation's own. */
const nameInOtherCase = (json: object): string | undefined => {
  for (const name in json) if (name !== name.toLowerCase()) return sameInLowerCase(Object.keys(json))
  return undefined
}

const sameInLowerCase = (names: ReadonlyArray<string>): string | undefined => {
  const seen = new Set<string>()
  return names.map((name) => name.toLowerCase()).find((name) => seen.size === seen.add(name).size)
}

/** Says why the bytes are not JSON, if a header tells. */
const explained = (exchange: Routed, refused: Refused): Refused =>
  refused === notJson ? (encoded(exchange) ?? otherType(exchange, "application/json") ?? refused) : refused

const encoded = ({ request: { headers } }: Routed): Refused | undefined => {
  const encoding = headers["content-encoding"]?.toLowerCase()
  if (encoding === undefined || encoding === "identity") return undefined
  const named = knownEncoding.test(encoding) ? `Content-Encoding ${encoding}` : "This Content-Encoding"
  return refuse("invalid_request", `${named} is not supported; send the body as it is.`)
}

const knownEncoding = /^(?:gzip|x-gzip|deflate|br|zstd|compress)$/

/** Schemas of an operator's own can take long for a large body. The upstream checks it anyway. */
const isDescribed = ({ operation }: Routed): boolean => jsonSchemaOf(operation.success) !== undefined

/** Checks the fields that the schemas declare and those that decide the price. Other fields pass unchecked. */
export const request = (prices: PriceBook, turns: Turns) => {
  const decidingFields = new WeakMap<Bound, DecidingFields>()
  const fieldsOf = (operation: Bound): DecidingFields => {
    const known = decidingFields.get(operation)
    if (known !== undefined) return known
    const fields = new DecidingFields(operation, prices.of(operation))
    decidingFields.set(operation, fields)
    return fields
  }

  const queryRules = new WeakMap<Bound, QueryRules>()
  const refusedAddress = (exchange: Routed): Refused | undefined => {
    const { operation, path, query } = exchange
    const hasParameters = operation.request.path !== undefined && operation.upstream !== "gateway"
    if (hasParameters && holdsCredential(path, exchange)) return holdsOwn("The path")
    if (query === "") return undefined
    const pairs = checkedPairs(exchange)
    if (Result.isFailure(pairs)) return pairs.failure
    const rules = queryRules.get(operation) ?? new QueryRules(operation)
    queryRules.set(operation, rules)
    return rules.problem(pairs.success)
  }

  const isBilledObject = ({ operation }: Routed, json: unknown): json is object =>
    !isFree(operation.price) && Predicate.isObject(json)

  /** Readers differ in which of two duplicate names they take, so the upstream might read what was not priced. */
  const duplicate = (exchange: Routed, json: unknown, bytes: Uint8Array): Refused | undefined =>
    isBilledObject(exchange, json) && hasDuplicateNames(bytes, json)
      ? sameName(isLarge(bytes) ? undefined : duplicateName(bytes))
      : undefined

  const inOtherCase = (exchange: Routed, json: unknown): Refused | undefined => {
    const name = isBilledObject(exchange, json) ? nameInOtherCase(json) : undefined
    return name === undefined ? undefined : sameName(name)
  }

  const unclear = (exchange: Routed, json: unknown): Refused | undefined => {
    if (!isBilledObject(exchange, json)) return undefined
    const found = fieldsOf(exchange.operation).unclear(json)
    return found === undefined
      ? undefined
      : refuse("invalid_request", `${found.param}: ${found.message}.`, { param: found.param })
  }

  const decodeSmall = (exchange: Routed, schema: Schema.Constraint, bytes: Uint8Array) =>
    Result.flatMap(isOmitted(exchange, bytes) ? emptyBody : parseBody(exchange, bytes), (json) => {
      const refused = duplicate(exchange, json, bytes) ?? inOtherCase(exchange, json) ?? unclear(exchange, json)
      return refused === undefined ? check(schema, json) : Result.fail(refused)
    })

  const orFail = (refused: Refused | undefined): Effect.Effect<void, Refused> =>
    refused === undefined ? Effect.void : Effect.fail(refused)

  /** The names and texts of its parts are sent on like parameters. */
  const searchUpload = Effect.fnUntraced(function* (exchange: Routed, bytes: Uint8Array) {
    for (const isFound of uploadParts(bytes, exchange)) {
      if (isFound) return yield* holdsOwn("The body")
      if (isLarge(bytes)) yield* turns.next
    }
  })

  /** Each pass over the body is a turn of its own. */
  const decodeLarge = Effect.fnUntraced(function* (exchange: Routed, schema: Schema.Constraint, bytes: Uint8Array) {
    yield* turns.next
    const text = yield* Effect.fromResult(decodeText(bytes))
    yield* turns.next
    yield* orFail(refusedText(exchange, text, true))
    yield* turns.next
    const json = yield* Effect.fromResult(parseText(text))
    yield* turns.next
    yield* orFail(duplicate(exchange, json, bytes))
    yield* turns.next
    yield* orFail(inOtherCase(exchange, json))
    yield* turns.next
    yield* orFail(unclear(exchange, json))
    yield* turns.next
    if (isDescribed(exchange)) return json
    const value = yield* Effect.fromResult(check(schema, json))
    yield* turns.next
    return value
  })

  return (exchange: Routed): Effect.Effect<Decoded, Refused> => {
    const { bodyLimit, request: schemas } = exchange.operation
    const refused =
      missingHeader(exchange) ?? shapingHeader(exchange.operation, exchange.request.headers) ?? refusedAddress(exchange)
    if (refused !== undefined) return Effect.fail(refused)
    const tags = tagsOf(exchange)
    if (Result.isFailure(tags)) return Effect.fail(tags.failure)
    const path = decodeParameters(schemas.path, () => Result.succeed(exchange.match.parameters))
    if (Result.isFailure(path)) return Effect.fail(path.failure)
    const query = decodeParameters(schemas.query, () => queryParameters(exchange))
    if (Result.isFailure(query)) return Effect.fail(query.failure)
    const header = decodeParameters(schemas.header, () => Result.succeed(headerValues(exchange)))
    if (Result.isFailure(header)) return Effect.fail(header.failure)
    const decoded = (body: unknown, bytes: Uint8Array): Decoded => ({
      ...exchange,
      input: { path: path.success, query: query.success, header: header.success, body },
      model: modelName(path.success.model ?? modelIn(body)),
      tags: tags.success,
      bytes
    })
    const { body } = schemas
    if (body === undefined) {
      return hasBody(exchange)
        ? Effect.flatMapEager(callerMayDisconnect(exchange.request.readBody(bodyLimit, false)), (bytes) =>
            bytes.length === 0 ? Effect.succeed(decoded(undefined, bytes)) : Effect.fail(noBody)
          )
        : Effect.succeed(decoded(undefined, emptyBytes))
    }
    if (schemas.bodyType !== undefined) {
      const wrong = wrongType(exchange, schemas.bodyType)
      if (wrong !== undefined) return Effect.fail(wrong)
      return Effect.flatMapEager(callerMayDisconnect(exchange.request.readBody(bodyLimit, false)), (bytes) => {
        if (bytes.length === 0 && schemas.optionalBody !== true) return Effect.fail(missingBody)
        return Effect.as(searchUpload(exchange, bytes), decoded(undefined, bytes))
      })
    }
    return Effect.flatMapEager(callerMayDisconnect(exchange.request.readBody(bodyLimit, true)), (bytes) => {
      if (bytes.length === 0 && schemas.optionalBody === true) return Effect.succeed(decoded(undefined, bytes))
      if (isLarge(bytes)) {
        return Effect.mapBoth(decodeLarge(exchange, body, bytes), {
          onSuccess: (value) => decoded(value, bytes),
          onFailure: (refused) => explained(exchange, refused)
        })
      }
      const value = decodeSmall(exchange, body, bytes)
      return Result.isFailure(value)
        ? Effect.fail(explained(exchange, value.failure))
        : Effect.succeed(decoded(value.success, bytes))
    })
  }
}
