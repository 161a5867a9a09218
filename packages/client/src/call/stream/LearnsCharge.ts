import type * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import type { Client } from "../../Client.ts"
import type { LeftCharge } from "../../options/LeftCharge.ts"
import type { OnCharge } from "../../events/read.ts"

/** What `streaming` asks of a `LeftCharge`. */
export interface LearnsCharge extends LeftCharge {
  /** If the charge was not told when the scope closes, it asks for it, and tells it. Returns how to tell it before. */
  readonly atEnd: (requestId: string | undefined, onCharge: OnCharge) => Effect.Effect<OnCharge, never, Client | Scope>
}
