import { checkAnswer } from "./checkAnswer.ts"
import { checkRequest } from "./checkRequest.ts"
import { type Document, isJson, objectAt } from "./Document.ts"
import { type Exchange, mediaTypeOf } from "./Exchange.ts"
import { Schemas } from "./Schemas.ts"

/** What is wrong with an exchange according to a document. Nothing: it fits. */
export type Judge = (exchange: Exchange) => ReadonlyArray<string>

const isAccepted = (status: number): boolean => status < 400

/** No operation has the path, or its method: the answer is a refusal in the shape of a family. */
const unknownPath = (
  document: Document,
  schemas: Schemas,
  { body, headers, method, status }: Exchange
): ReadonlyArray<string> => {
  if (![401, 404, 429, 500].includes(status)) return [`status ${status} on a path that is not documented`]
  if (method === "HEAD") return []
  if (mediaTypeOf(headers) !== "application/json") return ["a refusal that is not JSON"]
  const value: unknown = JSON.parse(new TextDecoder().decode(body))
  const shapes = Object.entries(objectAt(objectAt(document.root, "components"), "schemas")).filter(([name]) =>
    name.endsWith("_error")
  )
  const fits = shapes.some(([, schema]) => isJson(schema) && schemas.check(schema, value) === undefined)
  return fits ? [] : ["a refusal in the shape of no family"]
}

export const judgeBy = (document: Document): Judge => {
  const schemas = new Schemas(document)
  return (exchange) => {
    if (exchange.headers["x-request-id"] === undefined) return ["header x-request-id is missing"]
    // Browsers ask this before a call; it is no operation.
    if (exchange.method === "OPTIONS")
      return exchange.status === 204 ? [] : [`status ${exchange.status} to a preflight`]
    const operations = document.at(exchange.url.split("?")[0] ?? "")
    if (operations === undefined) return unknownPath(document, schemas, exchange)
    // Where a GET is free, a HEAD gets its headers; elsewhere 405.
    const asGet = exchange.method === "HEAD" && ![401, 404, 405].includes(exchange.status)
    const found = operations.get(asGet ? "get" : exchange.method.toLowerCase())
    if (found === undefined) {
      const [other] = operations.values()
      return exchange.status === 405
        ? checkAnswer(document, schemas, other?.operation ?? {}, exchange)
        : unknownPath(document, schemas, exchange)
    }
    const request = isAccepted(exchange.status) ? checkRequest(document, schemas, found, exchange) : []
    return [
      ...request.map((problem) => `accepted, although ${problem}`),
      ...checkAnswer(document, schemas, found.operation, exchange)
    ]
  }
}
