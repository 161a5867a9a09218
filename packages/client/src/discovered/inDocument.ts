import { attempt } from "@tollgate/contract/attempt"
import { type DeclaredStatus, byStatus } from "@tollgate/contract/errors/ApiError"
import { families, type Family } from "@tollgate/contract/errors/Family"
import type { Method, Replay } from "@tollgate/contract/Operation"
import type { Price } from "@tollgate/contract/price/Price"
import type { QueryStyle } from "@tollgate/contract/QueryStyle"
import type { LimitGroup } from "@tollgate/contract/limits"
import { type Event as Json, list, object, text } from "../events/Event.ts"
import type { Description } from "./Description.ts"

export { bindingsIn } from "../pending/discover.ts"

/** An operation of an OpenAPI document: what the client needs, and the rest of it. */
export interface Documented {
  readonly description: Description
  readonly operation: Json
  /** Whether it can answer with events. */
  readonly streams: boolean
  /** Whether a header of its answer leads to the next page. */
  readonly isPaged: boolean
}

const methods: Readonly<Record<string, Method>> = {
  get: "GET",
  post: "POST",
  put: "PUT",
  patch: "PATCH",
  delete: "DELETE"
}

const oneOf = <T extends string>(value: unknown, all: ReadonlyArray<T>): T | undefined =>
  all.find((one) => one === value)

const replays: ReadonlyArray<Replay> = ["free", "billed", "create"]

const isLimitGroup = (value: unknown): value is LimitGroup => {
  const { concurrency, id, tokens } = object(value)
  return typeof id === "string" && typeof tokens === "boolean" && typeof concurrency === "boolean"
}

const statusesIn = (value: unknown): ReadonlyArray<DeclaredStatus> =>
  (Array.isArray(value) ? value : []).filter((status): status is DeclaredStatus => Object.hasOwn(byStatus, status))

const isStandard = ({ concurrency, id, rpm, tasks, tokens }: LimitGroup): boolean =>
  id === "standard" && !concurrency && !tokens && rpm === undefined && tasks === undefined

/** The only value of a header that must be sent. */
const fixedValue = ({ required, schema }: Json): string | undefined => {
  const { enum: values } = object(schema)
  return required === true && Array.isArray(values) && values.length === 1 ? text(values[0]) : undefined
}

/** Parameters under any other name are not arguments of their own. */
const isArgument = (parameter: Json): boolean => parameter["x-option"] !== true && parameter["x-others"] !== true

const styleOf = ({ explode, style }: Json): QueryStyle | undefined => {
  if (style === "spaceDelimited") return "spaces"
  if (style === "pipeDelimited") return "pipes"
  if (style === "deepObject") return "brackets"
  return style === "form" && explode === true ? "repeat" : undefined
}

/** The parameters of one place that are arguments. Roles are the names that the interface has for bound parameters. */
export const parametersIn = (operation: Json, place: string): ReadonlyArray<Json> =>
  list(operation["parameters"]).filter(
    (parameter) =>
      parameter["in"] === place &&
      text(parameter["name"]) !== undefined &&
      isArgument(parameter) &&
      (place !== "header" || fixedValue(parameter) === undefined)
  )

const namesIn = (operation: Json, place: string): ReadonlyArray<string> =>
  parametersIn(operation, place).map(({ name }) => String(name))

const jsonOf = (content: unknown): Json => object(object(content)["application/json"])

const bodyContent = (operation: Json): Json => object(object(operation["requestBody"])["content"])

/** The type of a body that is not JSON. */
const bodyTypeOf = (operation: Json): string | undefined =>
  Object.keys(bodyContent(operation)).find((type) => type !== "application/json")

export const bodySchema = (operation: Json): unknown =>
  operation["requestBody"] === undefined
    ? undefined
    : object(bodyContent(operation)[bodyTypeOf(operation) ?? "application/json"])["schema"]

/** The answer to a success, by content type. */
const successOf = (operation: Json): Json => object(object(object(operation["responses"])["200"])["content"])

/** Whether a success has the header `Link`. */
const answersLinks = (operation: Json): boolean =>
  Object.keys(object(object(object(operation["responses"])["200"])["headers"])).some(
    (name) => name.toLowerCase() === "link"
  )

/** Whether a success is bytes. The JSON beside them is a quote. */
const answersBytes = (operation: Json): boolean =>
  Object.values(successOf(operation)).some((media) => object(object(media)["schema"])["format"] === "binary")

export const answerSchema = (operation: Json): unknown => jsonOf(successOf(operation))["schema"]
export const eventSchema = (operation: Json): unknown =>
  object(successOf(operation)["text/event-stream"])["x-item-schema"]

/** The name that a segment of a JSON pointer means. */
const unescaped = (segment: string): string => {
  const name = segment.replaceAll("~1", "/").replaceAll("~0", "~")
  return attempt(() => decodeURIComponent(name)) ?? name
}

/** Follows references within the document. */
export const resolved = (document: unknown, schema: unknown): Json => {
  let found = object(schema)
  for (let steps = 0; steps < 16 && typeof found["$ref"] === "string"; steps++) {
    found = found["$ref"]
      .replace(/^#\//, "")
      .split("/")
      .map(unescaped)
      .reduce((value, name) => (Object.hasOwn(value, name) ? object(value[name]) : {}), object(document))
  }
  return found
}

const deepest = 16

/** A body of named fields, whose fields can be arguments. */
const isFields = (document: unknown, schema: unknown, depth = 0): boolean => {
  const found = resolved(document, schema)
  const { allOf, anyOf, oneOf, properties, type } = found
  if (depth > deepest) return false
  if (type === "object" || properties !== undefined || Object.keys(found).length === 0) return true
  if (type !== undefined || anyOf !== undefined || oneOf !== undefined) return false
  return Array.isArray(allOf) && allOf.every((part) => isFields(document, part, depth + 1))
}

const descriptionOf = (
  document: unknown,
  id: string,
  method: Method,
  path: string,
  operation: Json
): Description | undefined => {
  const replay = oneOf(operation["x-replay-class"], replays)
  const price = text(operation["x-price-contract"]) as Price["contract"] | undefined
  if (replay === undefined || price === undefined) return undefined
  const query = namesIn(operation, "query")
  const header = namesIn(operation, "header")
  const hasOthers = list(operation["parameters"]).some((parameter) => parameter["x-others"] === true)
  const styles = parametersIn(operation, "query").flatMap((parameter) => {
    const style = styleOf(parameter)
    return style === undefined ? [] : [[String(parameter["name"]), style] as const]
  })
  const headers = list(operation["parameters"]).flatMap((parameter) => {
    const value = parameter["in"] === "header" ? fixedValue(parameter) : undefined
    return value === undefined ? [] : [[String(parameter["name"]), value] as const]
  })
  const body =
    operation["requestBody"] === undefined ? undefined : isFields(document, bodySchema(operation)) ? "fields" : "value"
  const bodyType = bodyTypeOf(operation)
  const family: Family | undefined = oneOf(operation["x-error-family"], families)
  const limit = operation["x-limit-group"]
  return {
    id,
    method,
    path,
    ...(query.length > 0 || (hasOthers && body !== "fields") ? { query } : {}),
    ...(styles.length > 0 ? { styles: Object.fromEntries(styles) } : {}),
    ...(header.length > 0 ? { header } : {}),
    ...(headers.length > 0 ? { headers: Object.fromEntries(headers) } : {}),
    ...(body === undefined ? {} : { body }),
    ...(bodyType === undefined ? {} : { bodyType }),
    ...(answersBytes(operation) ? { answer: "bytes" } : {}),
    price,
    replay,
    ...(operation["x-declared-errors"] === undefined ? {} : { errors: statusesIn(operation["x-declared-errors"]) }),
    ...(family === undefined || family === "data" ? {} : { family }),
    ...(isLimitGroup(limit) && !isStandard(limit) ? { limit } : {}),
    ...(Array.isArray(operation["security"]) && operation["security"].length === 0 ? { open: true } : {})
  }
}

/** The operations in the OpenAPI document of a gateway, by id. */
export const operationsIn = (document: unknown): ReadonlyMap<string, Documented> => {
  const found = new Map<string, Documented>()
  for (const [path, item] of Object.entries(object(object(document)["paths"]))) {
    for (const [name, value] of Object.entries(object(item))) {
      const operation = object(value)
      const id = text(operation["operationId"])
      const method = Object.hasOwn(methods, name) ? methods[name] : undefined
      if (id === undefined || method === undefined || !path.startsWith("/")) continue
      const description = descriptionOf(document, id, method, path, operation)
      if (description === undefined) continue
      const streams = "text/event-stream" in successOf(operation)
      found.set(id, { description, operation, streams, isPaged: answersLinks(operation) })
    }
  }
  return found
}
