import * as Cause from "effect/Cause"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { capped } from "../../books/ledger/capped.ts"
import type { Reservation, Reserved } from "../../books/ledger/Reservation.ts"
import type { Settled } from "../../books/ledger/Settled.ts"
import type { Refused } from "@tollgate/contract/errors/Refused"
import type { CallTrace } from "./CallTrace.ts"
import type { Span } from "./Span.ts"

const failed = (span: Span, exit: Exit.Exit<unknown, unknown>): void => {
  if (Exit.isSuccess(exit)) return
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  span.fail(isRefused(error) ? error.refusal.code : "internal_error")
}

const isRefused = (error: unknown): error is Refused =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "Refused"

/** The reservation of a call, with the amount that was set aside. */
export const inReserve = (trace: CallTrace | undefined, reserve: Effect.Effect<Reserved, Refused>) =>
  trace === undefined
    ? reserve
    : trace.inSpan("ledger.reserve", reserve, (span, exit) => {
        if (Exit.isFailure(exit)) return failed(span, exit)
        span.set("tollgate.reservation.state", exit.value.kind)
        if (exit.value.kind === "reserved") span.set("tollgate.reserved", exit.value.reservation.amount)
      })

/** The end of a reservation: `settle` with the exact cost, `release` or `mark_unknown` without one. */
export const inEnd = <A, E>(
  trace: CallTrace | undefined,
  kind: "settle" | "release" | "mark_unknown" | "begin",
  { amount, cap }: Reservation,
  settled: Settled | undefined,
  end: Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  trace === undefined
    ? end
    : trace.inSpan(`ledger.${kind}`, end, (span, exit) => {
        span.set("tollgate.reserved", amount)
        failed(span, exit)
        if (settled === undefined) return
        const { charged, loss } = capped(settled.settlement, cap)
        span.set("tollgate.charge", charged)
        span.set("tollgate.value", settled.settlement.value)
        if (loss > 0n) span.set("tollgate.loss", loss)
        span.set("tollgate.cost.state", settled.costState)
      })
