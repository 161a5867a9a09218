import type { Bound, Operation } from "@tollgate/contract/Operation"
import * as Effect from "effect/Effect"
import type { CallOptions } from "../options/CallOptions.ts"
import type { Client } from "../Client.ts"
import { inputInvalid, type InputInvalid, type TransportFailed } from "../errors/errors.ts"

/** A function of one operation, such as `rerank`. `call` adds the operation to it, which its type does not show. */
export type CallFunction<I, A, E> = (input: I, options?: CallOptions) => Effect.Effect<A, E, Client>

/** The operation of a function. Those that make several calls have none. */
export const operationOf = (f: object): Effect.Effect<Operation, InputInvalid> =>
  "operation" in f
    ? Effect.succeed(f.operation as Operation)
    : Effect.fail(inputInvalid("", "Pass the function of one operation, such as `rerank`"))

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
