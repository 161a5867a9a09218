import type { Operation } from "@tollgate/contract/Operation"
import * as Effect from "effect/Effect"
import type { CallOptions } from "../options/CallOptions.ts"
import type { Client } from "../Client.ts"
import { type InputInvalid, inputInvalid } from "../errors/errors.ts"

/** A function of one operation, such as `rerank`. `call` adds the operation to it, which its type does not show. */
export type CallFunction<I, A, E> = (input: I, options?: CallOptions) => Effect.Effect<A, E, Client>

/** The operation of a function. Those that make several calls have none. */
export const operationOf = (f: object): Effect.Effect<Operation, InputInvalid> =>
  "operation" in f
    ? Effect.succeed(f.operation as Operation)
    : Effect.fail(inputInvalid("", "Pass the function of one operation, such as `rerank`"))
