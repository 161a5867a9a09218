import type { OfferedOperation } from "@tollgate/contract/account/Offer"
import { type Operation, parts } from "@tollgate/contract/Operation"

export type Arguments = Readonly<Record<string, unknown>>
type Part = (typeof parts)[number]

const hasParameters = ({ pending }: Operation): boolean => pending.some(({ open }) => open === "parameter")

/** A query has texts only. What the operation names itself is encoded by its schema. */
const textOf = (value: unknown): unknown =>
  value === null || typeof value === "object" ? JSON.stringify(value) : String(value)

/**
 * The input of the client's function from the arguments of the form, which are all in one object. This is the one place where
 * data of a form takes the place of a typed input; the client checks it before it sends anything.
 */
export const inputOf = (offered: OfferedOperation, operation: Operation, given: Arguments): never => {
  const present = parts.filter((part) => operation.request[part] !== undefined)
  const rest: Part = operation.request.body === undefined ? "query" : "body"
  const split: Record<Part, Record<string, unknown>> = { path: {}, query: {}, body: {} }
  for (const [name, value] of Object.entries(given)) {
    const named = Object.hasOwn(offered.parts, name) ? offered.parts[name] : undefined
    const part = named ?? rest
    const asText = part === "query" && (named === undefined || hasParameters(operation))
    Object.defineProperty(split[part], name, { value: asText ? textOf(value) : value, enumerable: true })
  }
  const [only] = present
  const input =
    present.length > 1
      ? Object.fromEntries(present.map((part) => [part, split[part]]))
      : only === undefined
        ? undefined
        : split[only]
  return input as never
}
