import type * as Effect from "effect/Effect"
import type { Decoded } from "../Exchange.ts"
import type { Refused } from "../Refused.ts"
import type { Answer } from "../upstream/Protocol.ts"

/** An operation that this gateway answers itself. One file each, named after the operation. */
export type Own = (exchange: Decoded) => Effect.Effect<Answer, Refused>
