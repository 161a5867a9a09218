import type { Charge } from "@tollgate/contract/Outcome"
import * as Headers from "@tollgate/contract/Headers"
import * as Utf8 from "@tollgate/contract/Utf8"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { chargeOf, eventIn } from "../events/read.ts"
import type { AskCharge } from "./AskCharge.ts"
import type { Invocation } from "./Invocation.ts"
import { write } from "./request.ts"
import { sendAuthorized } from "./sendAuthorized.ts"

/** A gateway waits five seconds for the end of a call. */
const mostMillis = 7_000

const never = () => false

const send = Effect.fnUntraced(function* (
  invocation: Invocation,
  input: unknown,
  key: string,
  mode: string
): Effect.fn.Return<Charge | undefined, unknown> {
  const { client, operation } = invocation
  const written = yield* write(invocation, input, {
    [Headers.idempotencyKey.toLowerCase()]: key,
    [Headers.idempotencyMode.key(operation.names)]: mode
  })
  const asking: Invocation = {
    ...invocation,
    // It executes nothing, so it does not wait for the limits of calls.
    client: { ...client, pace: false },
    isStream: false,
    trace: undefined,
    timeoutMillis: mostMillis,
    leftMillis: () => mostMillis
  }
  const { body, status } = yield* sendAuthorized(asking, { ...written, body: undefined, keepalive: true }, never)
  const told = status === 200 && body instanceof Uint8Array ? eventIn(Utf8.decode(body)) : undefined
  const state = told?.["cost_state"]
  // Of a task that it does not know the gateway may still learn the end.
  if (state === "pending" || (state === "unknown" && operation.replay !== "create")) return { state }
  return chargeOf(state, String(told?.["cost_micros_usd"]))
})

/** Asks for the charge of the call of this key, once at a time: who asks meanwhile gets the same answer. */
export const askCharge = (invocation: Invocation, input: unknown, key: string | undefined): AskCharge => {
  let running: Fiber.Fiber<Charge | undefined> | undefined
  return (mode = "charge") =>
    Effect.suspend(() => {
      if (key === undefined) return Effect.undefined
      if (running !== undefined && mode === "charge") return Fiber.join(running)
      const sent = Effect.catchCause(send(invocation, input, key, mode), () => Effect.undefined)
      const asked = Effect.ensuring(
        sent,
        Effect.sync(() => void (running = undefined))
      )
      // Whoever asks may be interrupted. A page that is left runs nothing later.
      return Effect.flatMap(Effect.forkDetach(asked, { startImmediately: true }), (fiber) => {
        running = fiber.pollUnsafe() === undefined ? fiber : undefined
        return Fiber.join(fiber)
      })
    })
}
