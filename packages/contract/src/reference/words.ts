import type { Bound, Operation, Pending } from "../Operation.ts"
import { basis } from "../price/basis.ts"
import type { LimitGroup } from "../Tier.ts"

const isOpen = ({ price }: Operation): boolean => Object.values(price).includes("pending")

export const priceOf = (operation: Operation): string =>
  `${basis(operation.price)}${isOpen(operation) ? "; the operator sets it" : ""}`

/** What counts besides the calls a minute that every operation counts against. */
export const limitsOf = ({ concurrency, rpm, tasks, tokens }: LimitGroup): string =>
  [
    ...(rpm === undefined
      ? []
      : [rpm === "upstream" ? "calls a minute by the upstream's quota" : `${rpm} calls a minute`]),
    ...(tokens ? ["the tier's tokens a minute"] : []),
    ...(tasks === undefined ? [] : [`${tasks} tasks at once`]),
    ...(concurrency ? ["the tier's calls at once"] : [])
  ].join(", ")

const openPart = (pending: Pending, bound: Bound | undefined): string => {
  switch (pending.open) {
    case "path":
      return bound === undefined ? "the path" : "the path, which is bound here"
    case "parameter": {
      const name = bound?.parameters[pending.role]
      return `the name of the parameter for ${pending.role}${name === undefined ? "" : `, \`${name}\` here`}`
    }
    case "request":
      return `of the request, the ${pending.what}`
    case "response":
      return `of the answer, the ${pending.what}`
  }
}

export const openOf = ({ pending }: Operation, bound: Bound | undefined): string =>
  pending.map((pending) => openPart(pending, bound)).join("; ")
