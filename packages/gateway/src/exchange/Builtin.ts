import type { Charge } from "@tollgate/contract/Outcome"
import type * as Effect from "effect/Effect"
import type { Decoded } from "./Exchange.ts"
import type { Refused } from "@tollgate/contract/errors/Refused"
import type { Answer } from "./Answer.ts"

/** Answers an operation without an upstream. One file each, named after the operation. */
export type Builtin = (exchange: Decoded) => Effect.Effect<BuiltinAnswer, Refused>

/** `charge` is that of an earlier call which the answer is about. */
export type BuiltinAnswer = Answer & { readonly charge?: Charge }
