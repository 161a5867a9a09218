import { byStatus, type DeclaredStatus } from "../errors/ApiError.ts"
import type { Family } from "../errors/Family.ts"
import { errorFamilies } from "../errors/families.ts"
import { type Bound, isComplete, isQuotable } from "../Operation.ts"
import { isShared, modelGet } from "../operations/modelGet.ts"
import { modelGetGemini } from "../operations/modelGetGemini.ts"
import { isFree } from "../price/Price.ts"
import { statusWords } from "../reference/errorWords.ts"
import { Quote } from "../resources/Quote.ts"
import type { Components } from "./components.ts"
import { familiesAt, headersOf, isCacheable } from "./headers.ts"

const json = "application/json"
const events = "text/event-stream"

/** What the gateway can refuse on any operation, beside what each declares. */
type Status = DeclaredStatus | 405 | 413 | 415

const reasons: Readonly<Record<Status, string>> = {
  ...statusWords,
  405: "The path has other methods.",
  413: "The body is too large.",
  415: "The body has another type."
}

const statusesOf = ({ access, errors, request }: Bound): ReadonlyArray<Status> => [
  ...new Set<Status>([
    ...errors,
    // Of a wrong cost mode, which any operation refuses.
    400,
    405,
    ...(access === "open" ? [] : ([403] as const)),
    ...(request.body === undefined ? [] : ([413] as const)),
    ...(request.bodyType === undefined ? [] : ([415] as const))
  ])
]

const anyOf = (schemas: ReadonlyArray<unknown>): unknown => (schemas.length === 1 ? schemas[0] : { anyOf: schemas })

const familyError = (family: Family, components: Components) =>
  components.refer("schemas", `${family}_error`, () => components.add(errorFamilies[family].shape))

const upstreamError = (components: Components) =>
  components.refer("schemas", "upstream_error", () => ({
    type: "object",
    description: "The upstream's own error, unchanged.",
    additionalProperties: true,
    "x-origin": "upstream"
  }))

/** A body of an upstream that is not of the protocol. It is handed on. */
const foreign = { "*/*": { schema: {}, "x-origin": "upstream" } }

/** The upstream's own 401 and 429 never reach the caller, and its 403 only on calls for a linked user. */
const mayBeUpstream = ({ errors, upstream }: Bound, status: number): boolean =>
  upstream !== "gateway" && status !== 401 && status !== 429 && (status !== 403 || errors.includes(403))

/** The families in which the gateway refuses: a quote without a credential and Anthropic's SDK get their own. */
const familiesOf = (operation: Bound, status: number): ReadonlySet<Family> =>
  new Set([...familiesAt(operation), ...(status === 401 ? (["data"] as const) : [])])

/** A page of the gateway's own, which its refusals are too. */
const isPage = ({ contentType, upstream }: Bound): boolean => contentType !== json && upstream === "gateway"

const errorContent = (operation: Bound, status: number, components: Components): object => {
  const { contentType } = operation
  const isUpstream = mayBeUpstream(operation, status)
  const schemas = [
    ...[...familiesOf(operation, status)].map((family) => familyError(family, components)),
    ...(isUpstream ? [upstreamError(components)] : [])
  ]
  return {
    [json]: { schema: anyOf(schemas) },
    ...(isPage(operation) ? { [contentType]: { schema: { type: "string" } } } : {}),
    ...(isUpstream ? foreign : {})
  }
}

const nameOf = (status: Status): string =>
  status === 405 || status === 413 || status === 415 ? "UnexpectedStatus" : byStatus[status].name

const errorResponse = (operation: Bound, status: Status, components: Components) => ({
  description: `${nameOf(status)}: ${reasons[status]}`,
  headers: headersOf(operation, status, components),
  content: errorContent(operation, status, components)
})

/** Operations with the same name have the same answers to what they refuse. */
const kindOf = (operation: Bound): string => {
  const { access, errors, family, upstream } = operation
  const who = access === "open" ? "open" : upstream === "gateway" ? "own" : isQuotable(operation) ? "billed" : "free"
  return [family, who, ...(errors.includes(403) ? ["linked"] : []), ...(isPage(operation) ? ["page"] : [])].join("_")
}

const isSpecial = (operation: Bound): boolean => operation.access === "open" || isShared(operation.id)

const errors = (operation: Bound, components: Components) =>
  Object.fromEntries(
    statusesOf(operation)
      .toSorted((one, other) => one - other)
      .map((status) => {
        const make = () => errorResponse(operation, status, components)
        const name = `${kindOf(operation)}_${status}`
        return [String(status), isSpecial(operation) ? make() : components.refer("responses", name, make)]
      })
  )

/** OpenAPI 3.0 has no events. `x-item-schema` is that of one event's data, `x-last-item` the data of the last event. */
const eventContent = ({ event, family }: Bound, components: Components): object => {
  if (event === undefined) return {}
  const { lastItem } = errorFamilies[family]
  return {
    [events]: {
      schema: { type: "string" },
      "x-unchecked": true,
      "x-item-schema": anyOf([components.add(event), familyError(family, components)]),
      ...(lastItem === undefined ? {} : { "x-last-item": lastItem })
    }
  }
}

/** Of a billed operation whose answer is known, no other success is delivered. */
const maySucceedOtherwise = ({ pending, price, upstream }: Bound): boolean =>
  upstream !== "gateway" && (isFree(price) || pending.some(({ open }) => open === "response"))

const successContent = (operation: Bound, components: Components): object => {
  const { contentType, success, upstream } = operation
  const quote = isQuotable(operation) ? [components.add(Quote)] : []
  const gemini = operation.id === modelGet.id ? [components.add(modelGetGemini.success)] : []
  const isUpstream = upstream !== "gateway"
  if (isUpstream && contentType !== json) {
    return {
      ...(maySucceedOtherwise(operation) ? foreign : {}),
      [contentType]: { schema: { type: "string", format: "binary" }, "x-unchecked": true },
      ...(quote.length === 0 ? {} : { [json]: { schema: anyOf(quote), "x-unchecked": true } })
    }
  }
  return {
    [contentType]: {
      schema: anyOf([components.add(success), ...gemini, ...quote]),
      // The gateway reads what it needs for the charge, and hands the body on.
      ...(isUpstream ? { "x-unchecked": true } : {})
    },
    ...eventContent(operation, components),
    ...(maySucceedOtherwise(operation) ? foreign : {})
  }
}

const describeSuccess = (operation: Bound): string =>
  [
    isComplete(operation) ? "Success" : "Success; parts of the definition are pending",
    ...(isQuotable(operation) ? ["or, in quote mode, the price"] : []),
    ...(operation.event === undefined
      ? []
      : ["Of events, each one's data is JSON; an error may be the last, and a comment after it reports the cost"])
  ].join(". ")

/** Every answer of an operation. Links lead to the calls that continue it. */
export const responses = (operation: Bound, components: Components, links: object | undefined) => ({
  "200": {
    description: describeSuccess(operation),
    headers: headersOf(operation, 200, components),
    content: successContent(operation, components),
    ...(links === undefined ? {} : { links })
  },
  ...(isCacheable(operation)
    ? { "304": { description: "The caller has it already", headers: headersOf(operation, 304, components) } }
    : {}),
  ...errors(operation, components),
  ...(operation.upstream === "gateway"
    ? {}
    : {
        default: components.refer("responses", `${kindOf(operation)}_default`, () => ({
          description: "Any other answer of the upstream, unchanged",
          headers: headersOf(operation, "default", components),
          content: foreign
        }))
      })
})
