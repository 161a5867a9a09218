import { fill, type Names } from "@tollgate/contract/Names"
import { bind, type Operation } from "@tollgate/contract/Operation"
import * as Effect from "effect/Effect"
import { binders, notBound, unbound } from "../call/bindOperation.ts"
import type { Client, Bindings } from "../Client.ts"
import { discovered, inTime } from "./discover.ts"
import { bindable } from "./generated/bindable.ts"

const isNot = (given: string, what: string, right: ReadonlyArray<string>): string =>
  `bindings: ${given} is not ${what}. There are: ${right.join(", ") || "none"}`

/** What is wrong with bindings: one of no pending operation or parameter, or a path that is none. */
const problemIn = (bindings: Bindings, names: Names): string | undefined => {
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

const bindPending = Effect.fnUntraced(function* <O extends Operation>(
  client: Client["Service"],
  operation: O,
  timeoutMillis = client.timeoutMillis
) {
  const { bindings, discover, names } = client
  const id = fill(operation.id, names)
  const problem = problemIn(bindings, names)
  if (problem !== undefined) return yield* notBound(id, problem)
  const read = inTime(discovered(client), timeoutMillis, id, "discover: true needs for this operation")
  const found = discover ? (yield* read)[id] : undefined
  const path = operation.path ?? found?.path
  const bound = bind(operation, names, {
    ...(path === undefined ? {} : { path }),
    ...bindings[id],
    parameters: { ...found?.parameters, ...bindings[id]?.parameters }
  })
  return bound ?? (yield* unbound(client, id, "path", `{ path: "/…" }`))
})

/** An operation whose path or parameter names come from the client's bindings or the gateway's contract. */
export const pending = <O extends Operation>(operation: O): O => {
  binders.set(operation, bindPending)
  return operation
}
