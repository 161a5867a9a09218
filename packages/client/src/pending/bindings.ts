import { fill, type Names } from "@tollgate/contract/Names"
import type { Bindings } from "../Client.ts"
import { bindable } from "./bindable.ts"

const isNot = (given: string, what: string, right: ReadonlyArray<string>): string =>
  `bindings: ${given} is not ${what}. There are: ${right.join(", ") || "none"}`

/** What is wrong with bindings: one of no pending operation or parameter, or a path that is none. */
export const problemIn = (bindings: Bindings, names: Names): string | undefined => {
  const rolesOf = Object.fromEntries(Object.entries(bindable).map(([id, roles]) => [fill(id, names), roles]))
  for (const [id, { parameters = {}, path = "/" }] of Object.entries(bindings)) {
    const roles = rolesOf[id]
    if (roles === undefined) return isNot(id, "an operation with pending parts", Object.keys(rolesOf))
    if (!path.startsWith("/")) return `bindings: the path of ${id} has to begin with /`
    const wrong = Object.keys(parameters).find((role) => !roles.includes(role))
    if (wrong !== undefined) return isNot(wrong, `a pending parameter of ${id}`, roles)
  }
  return undefined
}
