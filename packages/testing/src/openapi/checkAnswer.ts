import { type Document, type Json, isJson, listAt, objectAt, textAt } from "./Document.ts"
import { type Exchange, mediaTypeOf } from "./Exchange.ts"
import { eventsIn } from "./events.ts"
import type { Schemas } from "./Schemas.ts"

type Problems = Array<string>

/** Headers of HTTP itself and for browsers, which no program of a caller reads. */
const ofTransport =
  /^(?:date|connection|keep-alive|transfer-encoding|content-(?:type|length|security-policy|encoding|language)|cache-control|vary|last-modified|x-accel-buffering|x-content-type-options|referrer-policy|access-control-.*)$/

export const checkHeaders = (
  document: Document,
  schemas: Schemas,
  response: Json,
  headers: Exchange["headers"]
): Problems => {
  const problems: Problems = []
  const documented = new Map(
    Object.entries(objectAt(response, "headers")).map(([name, header]) => [
      name.toLowerCase(),
      document.resolve(header)
    ])
  )
  for (const [name, header] of documented) {
    const value = headers[name]
    if (value === undefined) {
      if (header.required === true) problems.push(`header ${name} is missing`)
      continue
    }
    const wrong = schemas.checkText(document.resolve(objectAt(header, "schema")), value)
    if (wrong !== undefined) problems.push(`header ${name}: ${wrong}`)
  }
  for (const name of Object.keys(headers)) {
    if (!documented.has(name) && !ofTransport.test(name)) problems.push(`header ${name} is not documented`)
  }
  return problems
}

const isOfUpstream = (value: unknown): boolean =>
  isJson(value) && (value["x-origin"] === "upstream" || textAt(value, "$ref").endsWith("/upstream_error"))

const mediaOf = (response: Json, { fromUpstream, headers }: Exchange): Json | undefined => {
  const content = objectAt(response, "content")
  const type = mediaTypeOf(headers)
  for (const name of [type, type.replace(/\/.*/, "/*"), "*/*"]) {
    const media = content[name]
    if (isJson(media) && (fromUpstream || !isOfUpstream(media))) return media
  }
  return undefined
}

const isQuote = (schema: unknown): boolean => textAt(schema, "$ref").endsWith("/Quote")

/** Of several schemas, those that can be meant: quotes only if one was asked for, the upstream's only if it answered. */
const meant = (schema: Json, { fromUpstream, requestHeaders, status }: Exchange): Json => {
  const anyOf = listAt(schema, "anyOf")
  if (anyOf.length === 0) return schema
  const quoting =
    status === 200 &&
    Object.entries(requestHeaders).some(([name, value]) => name.endsWith("-cost-mode") && value === "quote")
  const hasQuote = anyOf.some(isQuote)
  return {
    ...schema,
    anyOf: anyOf.filter((one) => (fromUpstream || !isOfUpstream(one)) && (!hasQuote || isQuote(one) === quoting))
  }
}

/** The document says that the gateway does not check this body of an upstream. */
const isUnchecked = (media: Json, { fromUpstream }: Exchange): boolean => fromUpstream && media["x-unchecked"] === true

const checkJson = (schemas: Schemas, media: Json, exchange: Exchange, text: string): Problems => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return ["the body is not JSON"]
  }
  const wrong = schemas.check(meant(objectAt(media, "schema"), exchange), value)
  return wrong === undefined ? [] : [wrong]
}

const checkEvents = (schemas: Schemas, media: Json, text: string): Problems => {
  const schema = objectAt(media, "x-item-schema")
  if (Object.keys(schema).length === 0) return ["the events have no schema"]
  return eventsIn(text).flatMap((event, i) => {
    if (event === media["x-last-item"]) return []
    try {
      const wrong = schemas.check(schema, JSON.parse(event))
      return wrong === undefined ? [] : [`event ${i}: ${wrong}`]
    } catch {
      return [`event ${i} is not JSON`]
    }
  })
}

const checkBody = (schemas: Schemas, response: Json, exchange: Exchange): Problems => {
  const { body, headers, method } = exchange
  if (method === "HEAD") return []
  const hasContent = Object.keys(objectAt(response, "content")).length > 0
  if (body.length === 0) return hasContent && !exchange.fromUpstream ? ["the body is empty"] : []
  const media = mediaOf(response, exchange)
  if (media === undefined) return [`content type "${mediaTypeOf(headers)}" is not documented`]
  const text = new TextDecoder().decode(body)
  const type = mediaTypeOf(headers)
  if (type === "text/event-stream") return isUnchecked(media, exchange) ? [] : checkEvents(schemas, media, text)
  if (isUnchecked(media, exchange)) return []
  if (type === "application/json") return checkJson(schemas, media, exchange, text)
  const wrong = schemas.check(objectAt(media, "schema"), text)
  return wrong === undefined ? [] : [wrong]
}

/** The documented answer with this status. The `default` is for what an upstream answers. */
const responseOf = (document: Document, operation: Json, { fromUpstream, status }: Exchange): Json | undefined => {
  const responses = objectAt(operation, "responses")
  const listed = responses[String(status)] ?? (fromUpstream ? responses.default : undefined)
  return listed === undefined ? undefined : document.resolve(listed)
}

/** How an answer differs from what the document says of its operation. */
export const checkAnswer = (document: Document, schemas: Schemas, operation: Json, exchange: Exchange): Problems => {
  const response = responseOf(document, operation, exchange)
  if (response === undefined) return [`status ${exchange.status} is not documented`]
  return [...checkHeaders(document, schemas, response, exchange.headers), ...checkBody(schemas, response, exchange)]
}
