import type { Call } from "./Caller.ts"
import { type Document, type Json, isJson, listAt, objectAt, textAt } from "./Document.ts"

/** A call that a program makes from the document alone. */
export interface ExampleCall {
  readonly id: string
  /** The name of the example; empty if the operation needs nothing. */
  readonly name: string
  readonly call: Call
}

/** A call from a link: the parameters are read from the answer to another call. */
export interface LinkedCall {
  readonly id: string
  readonly from: string
  readonly callAfter: (answer: unknown) => Call
}

type Values = Readonly<Record<string, unknown>>

const pairs = (parameter: Json, value: unknown): ReadonlyArray<string> =>
  isJson(value)
    ? Object.entries(value).map(([name, field]) => `${name}=${encodeURIComponent(String(field))}`)
    : [`${textAt(parameter, "name")}=${encodeURIComponent(String(value))}`]

/** A header that may have one value only needs no example. */
const valueOf = (parameter: Json, values: Values): unknown => {
  const value = values[textAt(parameter, "name")]
  const [only] = listAt(objectAt(parameter, "schema"), "enum")
  return value ?? (parameter.required === true ? only : undefined)
}

const callOf = (
  document: Document,
  method: string,
  path: string,
  operation: Json,
  values: Values,
  body: unknown
): Call => {
  let address = path
  const query: Array<string> = []
  const headers: Record<string, string> = {}
  for (const listed of listAt(operation, "parameters")) {
    const parameter = document.resolve(listed)
    const value = valueOf(parameter, values)
    if (value === undefined) continue
    if (parameter.in === "path")
      address = address.replace(`{${textAt(parameter, "name")}}`, encodeURIComponent(String(value)))
    else if (parameter.in === "query") query.push(...pairs(parameter, value))
    else headers[textAt(parameter, "name")] = String(value)
  }
  return {
    method: method.toUpperCase(),
    path: address + (query.length === 0 ? "" : `?${query.join("&")}`),
    headers,
    ...(body === undefined ? {} : { body })
  }
}

const bodyOf = (operation: Json): Json => {
  const content = objectAt(objectAt(operation, "requestBody"), "content")
  return objectAt(content, Object.keys(content)[0] ?? "")
}

const exampleIn = (part: unknown, name: string): unknown => objectAt(objectAt(part, "examples"), name).value

const parametersOf = (document: Document, operation: Json): ReadonlyArray<Json> =>
  listAt(operation, "parameters").map((listed) => document.resolve(listed))

const namesIn = (document: Document, operation: Json): ReadonlySet<string> =>
  new Set(
    [...parametersOf(document, operation), bodyOf(operation)].flatMap((part) => Object.keys(objectAt(part, "examples")))
  )

const needsNothing = (document: Document, operation: Json): boolean =>
  operation.requestBody === undefined &&
  parametersOf(document, operation).every((parameter) => parameter.required !== true)

/** Every example of the document. */
export const exampleCalls = (document: Document): ReadonlyArray<ExampleCall> =>
  document.operations.flatMap(({ method, operation, path }) => {
    const names = [...namesIn(document, operation)]
    return [...names, ...(names.length === 0 && needsNothing(document, operation) ? [""] : [])].map((name) => {
      const values = Object.fromEntries(
        parametersOf(document, operation).map((parameter) => [textAt(parameter, "name"), exampleIn(parameter, name)])
      )
      const call = callOf(document, method, path, operation, values, exampleIn(bodyOf(operation), name))
      return { id: textAt(operation, "operationId"), name, call }
    })
  })

const evaluated = (expression: unknown, answer: unknown): unknown => {
  const [, pointer] = /^\$response\.body#\/(.*)$/.exec(String(expression)) ?? []
  return pointer === undefined
    ? expression
    : pointer.split("/").reduce<unknown>((at, name) => (isJson(at) ? at[name] : undefined), answer)
}

/** Every link of the document. */
export const linkedCalls = (document: Document): ReadonlyArray<LinkedCall> =>
  document.operations.flatMap((source) =>
    Object.values(objectAt(objectAt(objectAt(source.operation, "responses"), "200"), "links")).flatMap((link) => {
      const id = textAt(link, "operationId")
      const target = document.operations.find(({ operation }) => operation.operationId === id)
      if (target === undefined) throw new Error(`a link leads to ${id}, which is not documented`)
      return [
        {
          id,
          from: textAt(source.operation, "operationId"),
          callAfter: (answer: unknown) => {
            const parameters = Object.entries(objectAt(link, "parameters"))
            const values = Object.fromEntries(parameters.map(([name, value]) => [name, evaluated(value, answer)]))
            return callOf(
              document,
              target.method,
              target.path,
              target.operation,
              values,
              objectAt({ link }, "link").requestBody
            )
          }
        }
      ]
    })
  )
