import type { CallStory } from "@tollgate/contract/account/LoggedCall"
import type { Charge } from "@tollgate/contract/Outcome"
import * as Effect from "effect/Effect"
import type { Client } from "../Client.ts"
import { Trace } from "../call/trace.ts"
import { withSettings } from "../options/settings.ts"
import type { LearnsCharge } from "../call/stream/Resuming.ts"
import type { LeftCharge } from "../options/CallOptions.ts"
import { callStory } from "../generated/accountApi.ts"
import { type AnyPromiseClient, isPromiseClient, onClient } from "../promises/runner.ts"
import type { Request } from "../managementApi/route.ts"

const chargeOf = ({ charged_micros_usd: micros, cost_state, state }: CallStory): Charge => {
  switch (state) {
    case "open":
    case "running":
      return { state: "pending" }
    case "unknown":
      return { state: "unknown" }
    case "settled":
      // An amount that no number holds exactly is a text.
      return { state: cost_state ?? "settled", ...(typeof micros === "number" ? { micros } : {}) }
    default:
      return { state: "none" }
  }
}

const read = (requestId: string): Request<Charge> => Effect.map(callStory(requestId), chargeOf)

/**
 * What a call was charged, by its request id: `yield* charge(requestId)`. Free of charge. It is `pending` while the call runs, and
 * for a moment after a stream was left. The credential must be allowed to read its usage.
 */
export function charge(requestId: string): Request<Charge>
/** With promises: `await charge(tollgate, requestId)`. */
export function charge(client: AnyPromiseClient, requestId: string): Promise<Charge>
export function charge(first: AnyPromiseClient | string, requestId = ""): unknown {
  if (typeof first === "string") return read(first)
  if (!isPromiseClient(first)) throw new TypeError("Pass a client from createClient")
  return first[onClient](read)(requestId as never)
}

const longestMillis = 5_000

/** The waits between questions for the charge of a stream that was left, in milliseconds: five seconds together. */
const waits = [20, 40, 80, 160, 300, 400, 500, 500, 500, 500, 500, 500, 500, 500]

const learn = (
  requestId: string,
  [millis, ...more]: ReadonlyArray<number>
): Effect.Effect<Charge | undefined, never, Client> => {
  if (millis === undefined) return Effect.undefined
  const again = Effect.suspend(() => learn(requestId, more))
  return Effect.andThen(
    Effect.sleep(millis),
    Effect.matchEffect(read(requestId), {
      onSuccess: (charge) => (charge.state === "pending" ? again : Effect.succeed(charge)),
      onFailure: () => again
    })
  )
}

const learnsCharge: LearnsCharge = {
  longestMillis,
  atEnd: (requestId = "", onCharge) => {
    let isTold = requestId === ""
    const learned = learn(requestId, waits).pipe(
      withSettings({ timeout: "1 second", retries: 0 }),
      // What it asks is not the call that its caller looks at.
      Effect.provideService(Trace, undefined),
      Effect.timeoutOrElse({ duration: longestMillis, orElse: () => Effect.undefined }),
      Effect.flatMap((charge) => (charge === undefined ? Effect.void : onCharge(charge)))
    )
    return Effect.as(
      Effect.addFinalizer(() => (isTold ? Effect.void : learned)),
      (charge) => {
        isTold = true
        return onCharge(charge)
      }
    )
  }
}

/**
 * Tells `onCharge` the charge of a stream that is left before its end: `chatCompletionsStream(input, { onCharge, leftCharge })`. It
 * asks for five seconds at most. The gateway may need longer if the model thinks unseen; `charge` tells it later.
 */
export const leftCharge: LeftCharge = learnsCharge
