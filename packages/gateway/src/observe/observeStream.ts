import type { Charge } from "@tollgate/contract/Outcome"
import * as Effect from "effect/Effect"
import type { Refused } from "@tollgate/contract/errors/Refused"
import type { ObservedCall } from "./ObservedCall.ts"

/** How a streamed answer ended. `finished`: the upstream ended it; `cut`: it broke off; `left`: the caller left before that. */
export type StreamEnd = "finished" | "cut" | "left"

/** A stream has ended when it is settled. `broken`: why it has no proper end. */
export const observeStream = (
  observed: ObservedCall,
  status: number,
  settling: Effect.Effect<Charge, Refused>,
  end: StreamEnd,
  broken: Refused | undefined
): Effect.Effect<Charge, Refused> =>
  Effect.matchEffect(settling, {
    onSuccess: (charge) => {
      if (broken !== undefined) observed.end({ kind: "refused", refused: broken, status, charge })
      else if (end === "left") observed.end({ kind: "left", status, charge })
      else observed.end({ kind: "answered", status, charge, streamed: true })
      return Effect.succeed(charge)
    },
    onFailure: (refused) => {
      observed.end({ kind: "refused", refused, status })
      return Effect.fail(refused)
    }
  })
