import type * as Effect from "effect/Effect"
import type { Decoded } from "../Exchange.ts"
import type { Refused } from "../Refused.ts"
import type { Answer } from "../upstream/Protocol.ts"

/** Answers an operation without an upstream. One file each, named after the operation. */
export type Builtin = (exchange: Decoded) => Effect.Effect<Answer, Refused>
