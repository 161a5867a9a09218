import * as Utf8 from "@tollgate/contract/Utf8"
import * as Result from "effect/Result"
import { items, members, splice } from "../../internal/jsonEdit.ts"
import { leftBrace, leftBracket, quote } from "../../internal/jsonScan.ts"
import { invalid, refuse, type Refused } from "@tollgate/contract/errors/Refused"
import { type Names, takenName, upstreamsName, callersName, isForwardable, isHeaderValue } from "./names.ts"
import type { Sent, Decoded } from "../../exchange/Exchange.ts"
import type { Target } from "../Route.ts"
import { baseName } from "@tollgate/contract/QueryStyle"
import { hasDotSegment, parseQuery } from "../../internal/query.ts"
import { headerParameters } from "../../internal/decode.ts"
import { holdsCredential } from "../../internal/callerCredential.ts"
import { sentHeaders as protocolHeaders } from "../protocols/message.ts"

const formType = "application/x-www-form-urlencoded"

const encode = (text: string): string => encodeURIComponent(text.toWellFormed()).replaceAll("%20", "+")

const notFlat = (name: string): Refused =>
  invalid(name, "the upstream takes a form, whose fields are texts, numbers, true, false or lists of them.")

const notObject = refuse("invalid_request", "The body must be a JSON object: the upstream takes its fields as a form.")

/** A value as it is written in a form. Numbers keep their digits. `undefined`: null, which is left out. */
const textOf = (bytes: Uint8Array, start: number, end: number): string | undefined => {
  const text = Utf8.decode(bytes.subarray(start, end))
  if (text === "null") return undefined
  return bytes[start] === quote ? String(JSON.parse(text)) : text
}

const isNested = (bytes: Uint8Array, start: number): boolean =>
  bytes[start] === leftBrace || bytes[start] === leftBracket

/** The fields of a JSON object as a form, under the upstream's names. A list repeats its name. */
const formOf = (bytes: Uint8Array, names: Names): Result.Result<Uint8Array, Refused> => {
  if (bytes.length === 0) return Result.succeed(bytes)
  const found = members(bytes)
  if (found === undefined) return Result.fail(notObject)
  const fields: Array<string> = []
  for (const { end, name, start } of found) {
    const taken = takenName(names, name, "body")
    if (taken !== undefined) return Result.fail(taken)
    const values = bytes[start] === leftBracket ? items(bytes, start, end) : [{ start, end }]
    if (values === undefined || values.some((value) => isNested(bytes, value.start))) return Result.fail(notFlat(name))
    for (const value of values) {
      const text = textOf(bytes, value.start, value.end)
      if (text !== undefined) fields.push(`${encode(upstreamsName(names, name))}=${encode(text)}`)
    }
  }
  return Result.succeed(Utf8.encode(fields.join("&")))
}

/**
 * The upstream's path with the caller's parameters in it, each encoded once. They are called as in the operation's path. A model has
 * the upstream's name.
 */
const filledPath = (
  template: string,
  { match, operation }: Decoded,
  { model, names: { path: names = {} } = {} }: Target
): Result.Result<string, Refused> => {
  let missing = false
  const parameters = model === undefined ? match.parameters : { ...match.parameters, model }
  const path = template
    .split(/\{([^}]+)\}/)
    .map((part, i) => {
      if (i % 2 === 0) return part
      const name = Object.hasOwn(parameters, part) ? part : callersName(names, part)
      const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined
      if (value === undefined) missing = true
      // A colon may stand in a path as it is, and some upstreams know it only so.
      return encodeURIComponent((value ?? "").toWellFormed()).replaceAll("%3A", ":")
    })
    .join("")
  if (missing) {
    return Result.fail(
      refuse(
        "upstream_misconfigured",
        `The upstream's path for ${operation.id} has a parameter that the operation lacks; the operator has to fix it.`
      )
    )
  }
  // Two parameters that are fine alone can make one together.
  return hasDotSegment(path)
    ? Result.fail(refuse("invalid_request", `The path must not contain "." or ".." as a segment.`))
    : Result.succeed(path)
}

/** A header of the caller that the upstream would get, and that holds a credential of this gateway. */
const leakingHeader = (exchange: Decoded, target: Target): string | undefined => {
  const { forwardedHeaders = none, provider } = target
  const { names, request } = exchange.operation
  for (const some of [protocolHeaders, provider.forwardedHeaders, forwardedHeaders, headerParameters(request.header)]) {
    for (const name of some) {
      const value = exchange.request.headers[name]
      if (value !== undefined && holdsCredential(value, exchange) && isForwardable(name, names.provider)) return name
    }
  }
  return undefined
}

const leaked = (name: string): Refused =>
  invalid(name, "this header holds a credential of this gateway, which no upstream may get; remove it.")

type Headers = Readonly<Record<string, string>>

const none: ReadonlyArray<string> = []

/** The caller's headers that the upstream gets: the operation's own parameters, and those that the target forwards. */
const sentHeaders = (
  { operation, request }: Decoded,
  { forwardedHeaders = none, names }: Target
): Result.Result<Headers, Refused> => {
  const headers: Record<string, string> = {}
  const renamed = names?.header ?? {}
  for (const name of [...headerParameters(operation.request.header), ...forwardedHeaders]) {
    const value = request.headers[name]
    const sentAs = (Object.hasOwn(renamed, name) ? renamed[name] : undefined)?.toLowerCase() ?? name
    if (value === undefined) continue
    if (!isForwardable(name, operation.names.provider) || !isForwardable(sentAs, operation.names.provider)) continue
    if (!isHeaderValue(value)) {
      return Result.fail(invalid(name, "a header cannot hold control characters, or others than Latin-1."))
    }
    headers[sentAs] = value
  }
  return Result.succeed(headers)
}

/** The query with the upstream's names. Values keep their encoding. */
const renamedQuery = (query: string, names: Names): Result.Result<string, Refused> => {
  const parts: Array<string> = []
  for (const part of query.split("&")) {
    const [name] = parseQuery(part)?.keys() ?? []
    if (name === undefined) continue
    // `filter[color]` is a part of the parameter `filter`.
    const base = Object.hasOwn(names, name) ? name : baseName(name)
    const taken = takenName(names, base, "query")
    if (taken !== undefined) return Result.fail(taken)
    const sentAs = upstreamsName(names, base) + name.slice(base.length)
    const at = part.indexOf("=")
    parts.push(sentAs === name ? part : `${encodeURIComponent(sentAs)}${at === -1 ? "" : part.slice(at)}`)
  }
  return Result.succeed(parts.join("&"))
}

/** The body with the upstream's names for its fields. All other bytes stay. What is not an object stays as it is. */
const renamedBody = (bytes: Uint8Array, names: Names): Result.Result<Uint8Array, Refused> => {
  const edits: Array<{ from: number; to: number; insert: Uint8Array }> = []
  for (const { from, name, nameEnd } of members(bytes) ?? []) {
    const taken = takenName(names, name, "body")
    if (taken !== undefined) return Result.fail(taken)
    const sentAs = upstreamsName(names, name)
    if (sentAs !== name) edits.push({ from, to: nameEnd, insert: Utf8.encode(JSON.stringify(sentAs)) })
  }
  return Result.succeed(edits.length === 0 ? bytes : splice(bytes, 0, bytes.length, edits))
}

/** A call in the upstream's terms. */
export interface Translated {
  readonly exchange: Sent
  /** The upstream's path, if it is not the caller's. */
  readonly path?: string | undefined
  readonly headers?: Headers
}

const hasParameters = (path: string | undefined): path is string => path?.includes("{") === true

/** Whether a call to the target is sent as the caller wrote it. */
const isPlain = ({ body, forwardedHeaders, names, path }: Target): boolean =>
  body === undefined && forwardedHeaders === undefined && names === undefined && !hasParameters(path)

const bodyOf = ({ bytes, operation }: Sent, { body, names }: Target): Result.Result<Uint8Array, Refused> => {
  const { body: schema, bodyType } = operation.request
  if (schema === undefined || bodyType !== undefined) return Result.succeed(bytes)
  if (body === "form") return formOf(bytes, names?.body ?? {})
  return names?.body === undefined ? Result.succeed(bytes) : renamedBody(bytes, names.body)
}

const withType = (headers: Headers, { body }: Target, bytes: Uint8Array): Headers =>
  body === undefined || bytes.length === 0
    ? headers
    : { ...headers, "content-type": body === "form" ? formType : body.json }

/** Writes a call as the target wants it: its path, its names, its headers, a form. What cannot be written so is refused. */
export const translate = (exchange: Sent, target: Target): Result.Result<Translated, Refused> => {
  const leaking = leakingHeader(exchange, target)
  if (leaking !== undefined) return Result.fail(leaked(leaking))
  if (isPlain(target) && exchange.operation.request.header === undefined) {
    return Result.succeed({ exchange, path: target.path })
  }
  return Result.gen(function* () {
    const path = hasParameters(target.path) ? yield* filledPath(target.path, exchange, target) : target.path
    const isRenamed = exchange.query !== "" && target.names?.query !== undefined
    const query = isRenamed ? yield* renamedQuery(exchange.query, target.names.query) : exchange.query
    const headers = yield* sentHeaders(exchange, target)
    const bytes = yield* bodyOf(exchange, target)
    return { exchange: { ...exchange, query, bytes }, path, headers: withType(headers, target, bytes) }
  })
}
