import type { Bound, Operation } from "@tollgate/contract/Operation"
import * as Effect from "effect/Effect"
import type { Client } from "../Client.ts"
import { type InputInvalid, type TransportFailed, inputInvalid } from "../errors/errors.ts"

export const notBound = (operation: string, message: string) => Effect.fail(inputInvalid(operation, message))

/** Fails for a pending part of an operation that is not bound. */
export const unbound = ({ discover }: Client["Service"], id: string, part: string, binding: string) =>
  notBound(
    id,
    `The ${part} of this operation is pending, and ` +
      (discover
        ? "this gateway does not bind it"
        : `not bound. Set discover: true, or bindings: { "${id}": ${binding} }, in the client's options`)
  )

type Binder = <O extends Operation>(
  client: Client["Service"],
  operation: O,
  /** Of reading the gateway's contract. The client's by default. */
  timeoutMillis?: number
) => Effect.Effect<Bound<O>, InputInvalid | TransportFailed>

/** Binders of pending operations, which `pending` registers, so that a bundle without them leaves out what they need. */
export const binders = new WeakMap<Operation, Binder>()

/** The operation with this client's names and bindings. Fails while its path is pending. */
export const bindOperation: Binder = (client, operation, timeoutMillis) => {
  const binder = operation.pending.length === 0 ? undefined : binders.get(operation)
  if (binder !== undefined) return binder(client, operation, timeoutMillis)
  const bound = client.bound(operation)
  return bound === undefined ? unbound(client, operation.id, "path", `{ path: "/…" }`) : Effect.succeed(bound)
}
