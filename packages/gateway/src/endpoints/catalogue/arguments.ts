import type { Bound, Method } from "@tollgate/contract/Operation"
import { pairsOf, type QueryStyle } from "@tollgate/contract/QueryStyle"
import { writeBody } from "@tollgate/contract/Upload"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { hasDotSegment } from "../../internal/query.ts"
import { isHeaderValue } from "../../upstream/translate/names.ts"
import { type Field, fieldsOf } from "./fields.ts"

/** What the gateway is called with. */
export interface ToolRequest {
  readonly method: Method
  /** Path and query. */
  readonly url: string
  /** The fixed headers of the operation and its parameters in headers, in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** `undefined` if the operation has no body. */
  readonly body: Uint8Array | undefined
  readonly contentType: string | undefined
}

type Text = Result.Result<string, string>

const isScalar = (value: unknown): value is string | number | boolean =>
  Predicate.isString(value) || Predicate.isBoolean(value) || Number.isFinite(value)

const encodedText = (schema: Schema.Constraint, value: unknown): string | undefined => {
  const encoded = Schema.encodeUnknownResult(schema as Schema.ConstraintEncoder<unknown>)(value)
  return Result.isSuccess(encoded) && typeof encoded.success === "string" ? encoded.success : undefined
}

/** A value of the address as the operation reads it. A list is written only if the operation's schema says how. */
export const textOf = (name: string, value: unknown, schema?: Schema.Constraint): Text => {
  if (Predicate.isString(value)) return Result.succeed(value)
  const encoded = schema === undefined ? undefined : encodedText(schema, value)
  if (encoded !== undefined) return Result.succeed(encoded)
  return isScalar(value)
    ? Result.succeed(String(value))
    : Result.fail(`${name}: must be a string, a number, true or false.`)
}

const percentEncoded = (name: string, text: string): Text =>
  text.isWellFormed() ? Result.succeed(encodeURIComponent(text)) : Result.fail(`${name}: is not valid Unicode text.`)

const segmentOf = (field: Field, value: unknown): Text => {
  if (Predicate.isNullish(value)) return Result.fail(`${field.name}: is missing.`)
  return Result.flatMap(textOf(field.name, value, field.schema), (text) => {
    if (text === "") return Result.fail(`${field.name}: must not be empty.`)
    if (hasDotSegment(text)) return Result.fail(`${field.name}: must not contain "." or ".." as a path segment.`)
    return percentEncoded(field.name, text)
  })
}

const parameterOf = (name: string, sentAs: string, value: unknown, schema?: Schema.Constraint): Text =>
  Result.flatMap(textOf(name, value, schema), (text) =>
    Result.flatMap(percentEncoded(name, sentAs), (key) =>
      Result.map(percentEncoded(name, text), (encoded) => `${key}=${encoded}`)
    )
  )

const styledOf = (name: string, sentAs: string, value: unknown, style: QueryStyle): Text => {
  const pairs = pairsOf(sentAs, value, style).flat()
  return pairs.every((text) => text.isWellFormed())
    ? Result.succeed(
        pairsOf(sentAs, value, style)
          .map((pair) => pair.map(encodeURIComponent).join("="))
          .join("&")
      )
    : Result.fail(`${name}: is not valid Unicode text.`)
}

const headerOf = (name: string, value: unknown, schema?: Schema.Constraint): Text =>
  Result.flatMap(textOf(name, value, schema), (text) =>
    isHeaderValue(text)
      ? Result.succeed(text.trim())
      : Result.fail(`${name}: a header cannot hold control characters, or others than Latin-1.`)
  )

const jsonOf = (value: unknown): Result.Result<Uint8Array, string> =>
  Result.try({
    try: () => Utf8.encode(JSON.stringify(value)),
    catch: () => "arguments: cannot be written as JSON."
  })

const unknownField = (name: string, known: Iterable<string>): string => {
  const names = [...known]
  const expected = names.length === 0 ? "it takes none" : `it takes ${names.join(", ")}`
  return `${name.slice(0, 100)}: the operation has no such argument; ${expected}.`
}

const namesIn = (path: string): ReadonlyArray<string> => path.split(/\{([^}]+)\}/)

/**
 * Makes a request of a tool's flat `arguments`. A name that several parts have means the path's, else the query's, else the
 * headers', else the body's; the others are written `query.name`, `header.name` and `body.name`. The operation itself checks
 * the values.
 */
export const toRequest = (operation: Bound, given: unknown): Result.Result<ToolRequest, string> =>
  given === undefined || Predicate.isObject(given)
    ? requestOf(operation, given ?? {})
    : Result.fail("arguments: must be an object.")

const requestOf = (operation: Bound, given: object): Result.Result<ToolRequest, string> =>
  Result.gen(function* () {
    const { byName, others } = fieldsOf(operation)
    const path = new Map<string, unknown>()
    const query: Array<string> = []
    const headers: Array<readonly [string, string]> = []
    const body: Array<readonly [string, unknown]> = []
    let whole: unknown
    for (const [name, value] of Object.entries(given)) {
      const field = byName.get(name)
      const part = field?.part ?? others
      if (part === undefined) return yield* Result.fail(unknownField(name, byName.keys()))
      if (part === "path") path.set(name, value)
      else if (field?.isWhole === true) whole = value
      else if (part === "body") body.push([field?.sentAs ?? name, value])
      else if (value === null) continue
      else if (part === "header") {
        headers.push([(field?.sentAs ?? name).toLowerCase(), yield* headerOf(name, value, field?.schema)])
      } else {
        const parameter =
          field?.style === undefined
            ? yield* parameterOf(name, field?.sentAs ?? name, value, field?.schema)
            : yield* styledOf(name, field.sentAs, value, field.style)
        if (parameter !== "") query.push(parameter)
      }
    }
    let url = ""
    for (const [i, part] of namesIn(operation.path).entries()) {
      const field = i % 2 === 0 ? undefined : byName.get(part)
      url += field === undefined ? part : yield* segmentOf(field, path.get(part))
    }
    if (query.length > 0) url += `?${query.join("&")}`
    for (const [name, value] of Object.entries(operation.request.headers ?? {}))
      headers.push([name.toLowerCase(), value])
    const request = { method: operation.method, url, headers: Object.fromEntries(headers) }
    const isLeftOut = body.length === 0 && whole === undefined && operation.request.optionalBody === true
    if (operation.request.body === undefined || isLeftOut)
      return { ...request, body: undefined, contentType: undefined }
    const { bodyType } = operation.request
    const value: unknown = whole ?? Object.fromEntries(body)
    if (bodyType === undefined) return { ...request, body: yield* jsonOf(value), contentType: "application/json" }
    const { bytes, contentType } = yield* Result.mapError(writeBody(bodyType, value), (wrong) => `arguments: ${wrong}.`)
    return { ...request, body: bytes, contentType }
  })
