import { jsonSchemaOf } from "@tollgate/contract/jsonSchema/fromJsonSchema"
import { oncePer } from "@tollgate/contract/oncePer"
import type { Bound } from "@tollgate/contract/Operation"
import { longestName as longestModel } from "@tollgate/contract/price/modelFamily"
import { read } from "@tollgate/contract/price/exact"
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
import { readForm } from "../../internal/form.ts"
import { duplicateName, hasDuplicateNames } from "../../internal/jsonEdit.ts"
import { decodeText, missingJson, notJson, parseText } from "../../internal/jsonValue.ts"
import { firstOf, queryPairs } from "../../internal/query.ts"
import { bodyHoldsCredential, holdsCredential, uploadParts } from "../../internal/callerCredential.ts"
import { QueryRules, shapesAnswer, shapingHeaders } from "../../internal/QueryRules.ts"
import { familyOf } from "@tollgate/contract/errors/families"
import { isLarge, type Turns } from "../../internal/Turns.ts"
import type { PriceBook } from "../../exchange/Prices.ts"
import { invalid, refuse, type Refused } from "@tollgate/contract/errors/Refused"
import * as Headers from "@tollgate/contract/Headers"
import { parseTags, type Tags } from "@tollgate/contract/Tags"
import { readStyled } from "@tollgate/contract/QueryStyle"
import { multipartType } from "@tollgate/contract/Upload"
import { isHeaderValue } from "../../upstream/translate/names.ts"

const noTags = Result.succeed(undefined)

/** Reads what the caller files the call under. */
const tagsOf = ({ names }: Bound, text: string): Result.Result<Tags, Refused> => {
  const header = Headers.tags(names)
  return Result.mapError(parseTags(text), (wrong) =>
    refuse("invalid_request", `${header} must be like team=search,job=nightly: ${wrong}.`, { param: header })
  )
}

type Parameters = Readonly<Record<string, unknown>>

const noParameters: Result.Result<Parameters, Refused> = Result.succeed({})

const parametersIn = (schema: Schema.Constraint, given: object) =>
  decode(schema, given, undefined, "parameter") as Result.Result<Parameters, Refused>

const queryParameters = ({ operation, query }: Routed, schema: Schema.Constraint) => {
  const pairs = queryPairs(query)
  if (pairs === undefined) return Result.fail(wrongEncoding)
  const { styles } = operation.request
  return parametersIn(schema, Object.fromEntries(firstOf(styles === undefined ? pairs : readStyled(pairs, styles))))
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

const missingHeader = (name: string, value: string): Refused =>
  refuse("invalid_request", `The header ${name}: ${value} is required.`, { param: name })

/** A longer text is no name of a model: it is neither looked up nor recorded. */
const modelNamed = (path: Parameters, body: unknown): string | undefined => {
  const value = path.model ?? read(body, ["model"])
  return typeof value === "string" && value.length <= longestModel ? value : undefined
}

const noBody = refuse("invalid_request", "This operation takes no body; send its parameters in the path and the query.")
const notForm = refuse(
  "invalid_request",
  "The body must be a form of parts with different names, as browsers and SDKs write it: each begins after its boundary and CR LF."
)
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
    return invalid("Content-Type", "this value is not sent on.")
  }
  const isUndivided = declared === multipartType && !/;\s*boundary=/i.test(given)
  return (
    otherType(exchange, declared) ??
    encoded(exchange) ??
    (isUndivided ? invalid("Content-Type", "multipart/form-data needs a boundary.") : undefined)
  )
}

const refusedText = (exchange: Routed, text: string, isLarge: boolean): Refused | undefined =>
  exchange.operation.upstream !== "gateway" && bodyHoldsCredential(text, exchange, isLarge)
    ? holdsOwn("The body")
    : undefined

const sameName = (name = ""): Refused =>
  name === "" || name.length > longestName
    ? refuse("invalid_request", "Two fields of the body have the same name, or a name ends in a backslash.")
    : refuse("invalid_request", `Two fields of the body are called "${name}".`, { param: name })

/** Some readers ignore case. That is checked only at the top level, where the names are the operation's own. */
const inOtherCase = (json: object): Refused | undefined => {
  for (const name in json) if (name !== name.toLowerCase()) return sameInLowerCase(Object.keys(json))
  return undefined
}

const sameInLowerCase = (names: ReadonlyArray<string>): Refused | undefined => {
  const seen = new Set<string>()
  const name = names.map((name) => name.toLowerCase()).find((name) => seen.size === seen.add(name).size)
  return name === undefined ? undefined : sameName(name)
}

/** Readers differ in which of two duplicate names they take, so the upstream might read what was not priced. */
const duplicate = (json: object, bytes: Uint8Array): Refused | undefined =>
  hasDuplicateNames(bytes, json) ? sameName(isLarge(bytes) ? undefined : duplicateName(bytes)) : undefined

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

/** What follows from an operation alone. Made once for each. */
interface Rules {
  readonly requiredHeaders: ReadonlyArray<readonly [name: string, key: string, value: string]>
  readonly shapingHeaders: ReadonlyArray<string>
  readonly tagsHeader: string
  /** The path has parameters that an upstream gets. */
  readonly forwardsPath: boolean
  readonly query: QueryRules
  readonly isBilled: boolean
  readonly decidingFields: DecidingFields
}

const makeRules = (operation: Bound, prices: PriceBook): Rules => ({
  requiredHeaders: Object.entries(operation.request.headers ?? {}).map(([name, value]) => [
    name,
    name.toLowerCase(),
    value
  ]),
  shapingHeaders: shapingHeaders(operation),
  tagsHeader: Headers.tags.key(operation.names),
  forwardsPath: operation.request.path !== undefined && operation.upstream !== "gateway",
  query: new QueryRules(operation),
  isBilled: !isFree(operation.price),
  decidingFields: new DecidingFields(operation, prices.of(operation))
})

/** What is wrong with the request, without its body. */
const refusedHead = (exchange: Routed, rules: Rules): Refused | undefined => {
  const { path, query, request } = exchange
  for (const [name, key, value] of rules.requiredHeaders) {
    if (request.headers[key] !== value) return missingHeader(name, value)
  }
  for (const name of rules.shapingHeaders) if (request.headers[name] !== undefined) return shapesAnswer(name)
  if (rules.forwardsPath && holdsCredential(path, exchange)) return holdsOwn("The path")
  if (query === "") return undefined
  const pairs = checkedPairs(exchange)
  return Result.isFailure(pairs) ? pairs.failure : rules.query.problem(pairs.success)
}

const unclear = ({ decidingFields }: Rules, json: object): Refused | undefined => {
  const found = decidingFields.unclear(json)
  return found && invalid(found.param, `${found.message}.`)
}

/** The gateway's own operations accept a missing body as `{}`. An upstream decides for itself. */
const decodeSmall = (
  exchange: Routed,
  rules: Rules,
  schema: Schema.Constraint,
  bytes: Uint8Array
): Result.Result<unknown, Refused> => {
  if (bytes.length === 0) return exchange.operation.upstream === "gateway" ? check(schema, {}) : missingJson
  const text = decodeText(bytes)
  if (Result.isFailure(text)) return text
  const held = refusedText(exchange, text.success, false)
  if (held !== undefined) return Result.fail(held)
  const json = parseText(text.success)
  if (Result.isFailure(json)) return json
  const body = json.success
  const refused =
    rules.isBilled && Predicate.isObject(body)
      ? (duplicate(body, bytes) ?? inOtherCase(body) ?? unclear(rules, body))
      : undefined
  return refused === undefined ? check(schema, body) : Result.fail(refused)
}

/** Checks the fields that the schemas declare and those that decide the price. Other fields pass unchecked. */
export const request = (prices: PriceBook, turns: Turns) => {
  const rulesOf = oncePer((operation: Bound) => makeRules(operation, prices))

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
  const decodeLarge = Effect.fnUntraced(function* (
    exchange: Routed,
    rules: Rules,
    schema: Schema.Constraint,
    bytes: Uint8Array
  ) {
    yield* turns.next
    const text = yield* Effect.fromResult(decodeText(bytes))
    yield* turns.next
    yield* orFail(refusedText(exchange, text, true))
    yield* turns.next
    const json = yield* Effect.fromResult(parseText(text))
    if (rules.isBilled && Predicate.isObject(json)) {
      yield* turns.next
      yield* orFail(duplicate(json, bytes))
      yield* turns.next
      yield* orFail(inOtherCase(json))
      yield* turns.next
      yield* orFail(unclear(rules, json))
    }
    yield* turns.next
    if (isDescribed(exchange)) return json
    const value = yield* Effect.fromResult(check(schema, json))
    yield* turns.next
    return value
  })

  return (exchange: Routed): Effect.Effect<Decoded, Refused> => {
    const { match, operation, request } = exchange
    const { bodyLimit, request: schemas } = operation
    const rules = rulesOf(operation)
    const refused = refusedHead(exchange, rules)
    if (refused !== undefined) return Effect.fail(refused)
    const filedUnder = request.headers[rules.tagsHeader]
    const tags = filedUnder === undefined ? noTags : tagsOf(operation, filedUnder)
    if (Result.isFailure(tags)) return Effect.fail(tags.failure)
    const path = schemas.path === undefined ? noParameters : parametersIn(schemas.path, match.parameters)
    if (Result.isFailure(path)) return Effect.fail(path.failure)
    const query = schemas.query === undefined ? noParameters : queryParameters(exchange, schemas.query)
    if (Result.isFailure(query)) return Effect.fail(query.failure)
    const header = schemas.header === undefined ? noParameters : parametersIn(schemas.header, headerValues(exchange))
    if (Result.isFailure(header)) return Effect.fail(header.failure)
    const decoded = (body: unknown, bytes: Uint8Array): Decoded => ({
      ...exchange,
      input: { path: path.success, query: query.success, header: header.success, body },
      model: modelNamed(path.success, body),
      tags: tags.success,
      bytes
    })
    const { body } = schemas
    if (body === undefined) {
      return hasBody(exchange)
        ? Effect.flatMapEager(callerMayDisconnect(request.readBody(bodyLimit, false)), (bytes) =>
            bytes.length === 0 ? Effect.succeed(decoded(undefined, bytes)) : Effect.fail(noBody)
          )
        : Effect.succeed(decoded(undefined, emptyBytes))
    }
    if (schemas.bodyType !== undefined) {
      const wrong = wrongType(exchange, schemas.bodyType)
      if (wrong !== undefined) return Effect.fail(wrong)
      return Effect.flatMapEager(callerMayDisconnect(request.readBody(bodyLimit, false)), (bytes) => {
        if (bytes.length === 0 && schemas.optionalBody !== true) return Effect.fail(missingBody)
        const searched = searchUpload(exchange, bytes)
        if (schemas.form !== true) return Effect.as(searched, decoded(undefined, bytes))
        return Effect.flatMap(searched, () => {
          const form = readForm(bytes, request.headers["content-type"] ?? "", body)
          if (form === undefined) return Effect.fail(notForm)
          const { fields, modelAt } = form
          const refused = inOtherCase(fields) ?? unclear(rules, fields)
          const value = refused === undefined ? check(body, fields) : Result.fail(refused)
          return Effect.fromResult(Result.map(value, (value) => ({ ...decoded(value, bytes), modelAt })))
        })
      })
    }
    return Effect.flatMapEager(callerMayDisconnect(request.readBody(bodyLimit, true)), (bytes) => {
      if (bytes.length === 0 && schemas.optionalBody === true) return Effect.succeed(decoded(undefined, bytes))
      if (isLarge(bytes)) {
        return Effect.mapBoth(decodeLarge(exchange, rules, body, bytes), {
          onSuccess: (value) => decoded(value, bytes),
          onFailure: (refused) => explained(exchange, refused)
        })
      }
      const value = decodeSmall(exchange, rules, body, bytes)
      return Result.isFailure(value)
        ? Effect.fail(explained(exchange, value.failure))
        : Effect.succeed(decoded(value.success, bytes))
    })
  }
}
