import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import { type Priced, withoutBytes } from "../../exchange/Exchange.ts"
import type { Admission } from "../../limits/Admission.ts"
import type { Refused } from "@tollgate/contract/errors/Refused"
import type { Called } from "../../upstream/Called.ts"
import { type Ending, free as noCharge, wholeEnding } from "../Ending.ts"
import { isLarge } from "../../internal/Turns.ts"
import { scrubbedFailure } from "../failing.ts"
import type { Forward } from "./forward.ts"

/** An upstream answers, and nothing is reserved, metered or charged. */
export const free =
  (forward: Forward) =>
  (given: Priced, called: Called, admission: Admission): Effect.Effect<Ending, Refused, Scope> => {
    if (called.kind === "whole") {
      // Nothing reads whether it says that it failed. A large answer says no such thing.
      const { answer } = isLarge(called.answer.bytes) ? called : scrubbedFailure(called)
      return Effect.succeed(wholeEnding(given, answer, admission, noCharge, undefined))
    }
    const { protocol, streaming } = called
    const exchange = withoutBytes(given)
    const end = () => Effect.as(admission.end(undefined), noCharge)
    return Effect.map(
      forward(exchange, streaming, protocol.streamMeter(exchange, streaming.eventBytes), end),
      (body) => ({
        reply: { kind: "stream", exchange, head: streaming, body, limits: admission.limits, charge: noCharge },
        tokens: "later"
      })
    )
  }
