import type { Bound, Operation } from "@tollgate/contract/Operation"
import * as Effect from "effect/Effect"
import type { Client } from "./Client.ts"
import { InputInvalid } from "./errors.ts"

/** The operation with this client's names and bindings. Fails while its path is pending. */
export const bindOperation = <O extends Operation>(
  client: Client["Service"],
  operation: O
): Effect.Effect<Bound<O>, InputInvalid> => {
  const bound = client.bound(operation)
  return bound === undefined
    ? Effect.fail(
        new InputInvalid({
          operation: operation.id,
          message: `The path of this operation is not known. Pass it in the client's options: bindings: { "${operation.id}": { path: "/…" } }`,
          outcome: "not executed"
        })
      )
    : Effect.succeed(bound)
}
