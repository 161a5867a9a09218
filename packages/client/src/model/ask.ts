import { formatUsd, fromMicros, type NanoUsd, parseUsd } from "@tollgate/contract/Money"
import type { Operation } from "@tollgate/contract/Operation"
import type { Charge, Outcome } from "@tollgate/contract/Outcome"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { CallOptions } from "../options/CallOptions.ts"
import { Client } from "../Client.ts"
import { quote } from "../call/quote.ts"
import { Settings, merge } from "../options/settings.ts"
import { type Event, object } from "../events/Event.ts"
import * as Trace from "../call/trace.ts"
import { responseOf } from "../call/withResponse.ts"
import * as Spending from "./spending.ts"

/** The settings of calls with these options. The client's cap applies if nothing else sets one. */
export const settingsOf = (own: Settings): Effect.Effect<Settings, never, Client> =>
  Effect.gen(function* () {
    const { maxPrice } = yield* Client
    return merge(maxPrice === undefined ? {} : { maxPrice }, merge(yield* Settings, own))
  })

interface Asked {
  readonly answer: Event
  readonly charge: Charge
  readonly requestId: string | undefined
  readonly spending: Spending.Spending
}

type Called = ((input: never, options?: CallOptions) => Effect.Effect<unknown, unknown, Client>) & {
  readonly operation: Operation
}

/** Calls the model with all that is left as its cap, or less if the settings say so, and deducts what it cost. */
export const ask = Effect.fnUntraced(function* (
  model: Called,
  input: Event,
  spending: Spending.Spending,
  settings: Settings
): Effect.fn.Return<Asked, unknown, Client> {
  const { left } = spending
  const { maxPrice } = settings
  // A cap that is no amount stays, so that the call refuses it.
  const isOwnLower = (left: NanoUsd) =>
    maxPrice !== undefined && !Option.exists(parseUsd(maxPrice), (own) => own >= left)
  const cap = left === undefined || isOwnLower(left) ? {} : { maxPrice: formatUsd(left) }
  // That of a promise client knows whether the caller has aborted, and tells of the call if so.
  const trace = (yield* Trace.Trace) ?? Trace.make()
  const value = yield* model(input as never, { ...settings, ...cap }).pipe(Effect.provideService(Trace.Trace, trace))
  const { cost: charge, requestId } = responseOf(trace)
  // The quote bounds what an unknown charge can be.
  const most =
    left === undefined || Spending.amountOf(charge) !== undefined
      ? undefined
      : yield* quote(model, input as never, settings).pipe(
          Effect.provideService(Trace.Trace, undefined),
          Effect.map(({ max_micros_usd }) => fromMicros(max_micros_usd)),
          Effect.orElseSucceed(() => left)
        )
  return { answer: object(value), charge, requestId, spending: Spending.add(spending, charge, most) }
})

/** What a failed call cost. */
export const chargeOfError = (error: unknown): Charge => {
  const { charge, outcome } = object(error) as { readonly charge?: Charge; readonly outcome?: Outcome }
  return outcome === "not executed" ? { state: "none" } : (charge ?? { state: "unknown" })
}
