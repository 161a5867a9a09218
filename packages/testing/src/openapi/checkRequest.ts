import { multipartType } from "@tollgate/contract/Upload"
import { type Document, type Found, type Json, isJson, listAt, objectAt, textAt } from "./Document.ts"
import { type Exchange, mediaTypeOf } from "./Exchange.ts"
import type { Schemas } from "./Schemas.ts"

type Problems = Array<string>

const decoded = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

const isFreeForm = (schema: Json): boolean => schema.type === "object"

const parameters = (document: Document, schemas: Schemas, found: Found, exchange: Exchange): Problems => {
  const problems: Problems = []
  const query = new URLSearchParams(exchange.url.split("?")[1] ?? "")
  const unnamed = new Set(query.keys())
  let openTo: Json | undefined
  const sentAs: Readonly<Record<string, (name: string) => string | undefined>> = {
    path: (name) => found.path[name],
    query: (name) => query.get(name) ?? undefined,
    header: (name) => exchange.requestHeaders[name.toLowerCase()]
  }
  for (const listed of listAt(found.operation, "parameters")) {
    const parameter = document.resolve(listed)
    const name = textAt(parameter, "name")
    const where = textAt(parameter, "in")
    const schema = objectAt(parameter, "schema")
    if (where === "query" && isFreeForm(schema)) {
      openTo = objectAt(schema, "additionalProperties")
      continue
    }
    if (where === "query") unnamed.delete(name)
    const text = sentAs[where]?.(name)
    if (text === undefined) {
      if (parameter.required === true) problems.push(`${where} parameter ${name} is missing`)
      continue
    }
    const wrong = schemas.checkText(document.resolve(schema), text)
    if (wrong !== undefined) problems.push(`${where} parameter ${name}: ${wrong}`)
  }
  for (const name of securityNames(document, found.operation, "query")) unnamed.delete(name)
  if (openTo === undefined) for (const name of unnamed) problems.push(`query parameter ${name} is not documented`)
  return problems
}

const schemesOf = (document: Document, operation: Json): ReadonlyArray<ReadonlyArray<Json>> => {
  const required = Array.isArray(operation.security) ? operation.security : listAt(document.root, "security")
  const all = objectAt(objectAt(document.root, "components"), "securitySchemes")
  return required.map((one: unknown) => (isJson(one) ? Object.keys(one) : []).map((name) => objectAt(all, name)))
}

const securityNames = (document: Document, operation: Json, where: string): ReadonlyArray<string> =>
  schemesOf(document, operation)
    .flat()
    .filter((scheme) => scheme.in === where)
    .map((scheme) => textAt(scheme, "name"))

const isSent = (scheme: Json, { requestHeaders, url }: Exchange): boolean =>
  scheme.type === "http"
    ? /^bearer /i.test(requestHeaders.authorization ?? "")
    : scheme.in === "query"
      ? new URLSearchParams(url.split("?")[1] ?? "").has(textAt(scheme, "name"))
      : requestHeaders[textAt(scheme, "name").toLowerCase()] !== undefined

const security = (document: Document, operation: Json, exchange: Exchange): Problems => {
  const alternatives = schemesOf(document, operation)
  const fits = alternatives.length === 0 || alternatives.some((all) => all.every((scheme) => isSent(scheme, exchange)))
  return fits ? [] : ["no credential that is documented here"]
}

const body = (document: Document, schemas: Schemas, operation: Json, exchange: Exchange): Problems => {
  const requestBody = document.resolve(operation.requestBody)
  if (exchange.requestBody.length === 0) return requestBody.required === true ? ["the body is missing"] : []
  const media = objectAt(objectAt(requestBody, "content"), mediaTypeOf(exchange.requestHeaders))
  if (Object.keys(media).length === 0) return ["a body of this content type is not documented"]
  if (mediaTypeOf(exchange.requestHeaders) === multipartType) return []
  try {
    const wrong = schemas.check(objectAt(media, "schema"), JSON.parse(decoded(exchange.requestBody)))
    return wrong === undefined ? [] : [`the request's ${wrong}`]
  } catch {
    return ["the request's body is not JSON"]
  }
}

/** What of a request the document does not allow. */
export const checkRequest = (document: Document, schemas: Schemas, found: Found, exchange: Exchange): Problems => [
  ...security(document, found.operation, exchange),
  ...parameters(document, schemas, found, exchange),
  ...body(document, schemas, found.operation, exchange)
]
