import { TaggedError } from "@tollgate/contract/errors/TaggedError"
import type { Unavailable } from "@tollgate/contract/errors/ApiError"
import { salesData } from "@tollgate/contract/operations/salesData"
import type { Success } from "@tollgate/contract/Operation"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { call } from "../../call/call.ts"
import type { Client } from "../../Client.ts"
import type { CallError } from "../../errors/errors.ts"
import * as Schema from "effect/Schema"

const SourceState = Schema.fromJsonString(Schema.Struct({ freshness: Schema.String, reason_code: Schema.String }))
export type SourceState = typeof SourceState.Type

const decode = Schema.decodeUnknownOption(SourceState)

/**
 * Reads the state of the data source from the 503 of `salesData`. It says nothing about whether a call was executed or
 * charged.
 */
export const sourceState = ({ body }: Unavailable): Option.Option<SourceState> => decode(body)

export interface SalesSnapshot {
  /** `stale`: the source is unavailable and this is an earlier reading. `unstated`: the answer does not say. */
  readonly freshness: "fresh" | "stale" | "unstated"
  /** When the figures were observed, in milliseconds since the epoch. Missing if the answer does not say. */
  readonly observedAt?: number
  readonly data: Success<typeof salesData>
}

/** There is no verified snapshot. This concerns the source only: nothing was executed or charged. */
export class SalesUnavailable extends TaggedError("SalesUnavailable")<{
  readonly message: string
  readonly freshness: string
  readonly reasonCode: string
  readonly requestId?: string
  readonly outcome: "not executed"
}> {}

export type SalesError = CallError<typeof salesData> | SalesUnavailable

const read = call(salesData)

const snapshotOf = (answer: Success<typeof salesData>): SalesSnapshot => {
  const { freshness, observed_at, ...data } = answer
  const told = freshness === "fresh" || freshness === "stale"
  const observedAt = typeof observed_at === "string" ? Date.parse(observed_at) : Number.NaN
  const timed = !Number.isNaN(observedAt)
  return {
    freshness: told ? freshness : "unstated",
    ...(timed ? { observedAt } : {}),
    // A value that is not understood stays in the data.
    data: {
      ...data,
      ...(told || freshness === undefined ? {} : { freshness }),
      ...(timed || observed_at === undefined ? {} : { observed_at })
    }
  }
}

const unavailable = (error: Unavailable): SalesError =>
  Option.match(sourceState(error), {
    onNone: (): SalesError => error,
    onSome: ({ freshness, reason_code }) =>
      new SalesUnavailable({
        message: error.message,
        freshness,
        reasonCode: reason_code,
        ...(error.requestId === undefined ? {} : { requestId: error.requestId }),
        outcome: "not executed"
      })
  })

/** The last verified snapshot of sales data, with the time at which it was observed. */
export const salesSnapshot = (): Effect.Effect<SalesSnapshot, SalesError, Client> =>
  read().pipe(
    Effect.map(snapshotOf),
    Effect.mapError((error): SalesError => (error._tag === "Unavailable" ? unavailable(error) : error))
  )

/**
 * Makes a reader that caches the last snapshot. While the source is unavailable it returns that one, marked as stale.
 */
export const keepSalesSnapshot: Effect.Effect<Effect.Effect<SalesSnapshot, SalesError, Client>> = Effect.sync(() => {
  let last: SalesSnapshot | undefined
  return salesSnapshot().pipe(
    Effect.tap((snapshot) => Effect.sync(() => (last = snapshot))),
    Effect.catchTag("SalesUnavailable", (error) =>
      last === undefined ? Effect.fail(error) : Effect.succeed<SalesSnapshot>({ ...last, freshness: "stale" })
    )
  )
})
