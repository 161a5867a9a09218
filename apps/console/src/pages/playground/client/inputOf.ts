import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import { type Operation, parts } from "@tollgate/contract/Operation"
import { AnyQuery } from "@tollgate/contract/Query"
import type { Arguments } from "../json.ts"

type Part = (typeof parts)[number]

/** Whether all parameters of the query are texts to the client. */
const hasTextsOnly = ({ request }: Operation): boolean => request.query === AnyQuery

const hasParameters = ({ pending }: Operation): boolean => pending.some(({ open }) => open === "parameter")

/** A query has texts only. What the operation names itself is encoded by its schema. */
const textOf = (value: unknown): unknown =>
  value === null || typeof value === "object" ? JSON.stringify(value) : String(value)

const isText = (part: Part, isNamed: boolean, operation: Operation): boolean => {
  if (part === "query") return !isNamed || hasParameters(operation) || hasTextsOnly(operation)
  return part === "header" || part === "path"
}

/**
 * The input of the client's function from the arguments of the form, which are all in one object. This is the one place where
 * data of a form takes the place of a typed input; the client checks it before it sends anything.
 */
export const inputOf = (offered: OfferedOperation, operation: Operation, given: Arguments): never => {
  const present = parts.filter((part) => operation.request[part] !== undefined)
  const rest: Part = operation.request.body === undefined ? "query" : "body"
  const split: Record<Part, object> = { path: {}, query: {}, header: {}, body: {} }
  for (const [name, value] of Object.entries(given)) {
    const named = Object.hasOwn(offered.parts, name) ? offered.parts[name] : undefined
    const part = named ?? rest
    const asText = isText(part, named !== undefined, operation)
    Object.defineProperty(split[part], name, { value: asText ? textOf(value) : value, enumerable: true })
  }
  const { body_argument: whole } = offered
  const partOf = (part: Part): unknown => (part === "body" && whole !== undefined ? given[whole] : split[part])
  const [only] = present
  const input =
    present.length > 1
      ? Object.fromEntries(present.map((part) => [part, partOf(part)]))
      : only === undefined
        ? undefined
        : partOf(only)
  return input as never
}
