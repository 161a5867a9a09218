import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { SqlClient } from "effect/sql/SqlClient"
import { dialectOf } from "../store/statements.ts"

/** Reports at a time: each takes a connection of a shared store, and calls need the others. In this process they would only add up. */
const atOnce = (isShared: boolean): number => (isShared ? 2 : 1)

/** After a report the next ones wait this many times as long as it took. */
const restFactor = 3
const longestRestMillis = 5_000

/**
 * Lets reports on a store wait for each other, those of callers and of operators, on totals and on single calls: so calls get most
 * of the time however many reports are asked for.
 */
export class StoreTurns extends Context.Service<
  StoreTurns,
  { readonly run: <A, E, R>(report: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> }
>()("@tollgate/ledger/StoreTurns") {
  static readonly layer: Layer.Layer<StoreTurns, never, SqlClient> = Layer.effect(
    StoreTurns,
    Effect.map(SqlClient, (sql) => makeTurns(dialectOf(sql).isShared))
  )
}

export const makeTurns = (isShared: boolean): StoreTurns["Service"] => {
  const slots = Semaphore.makeUnsafe(atOnce(isShared))
  let restsUntil = 0
  return {
    run: Effect.fnUntraced(function* (report) {
      const rest = restsUntil - (yield* Clock.currentTimeMillis)
      if (rest > 0) yield* Effect.sleep(Math.min(rest, longestRestMillis))
      const started = yield* Clock.currentTimeMillis
      const ended = Effect.map(Clock.currentTimeMillis, (now) => {
        restsUntil = Math.max(restsUntil, now + (now - started) * restFactor)
      })
      return yield* Effect.ensuring(report, ended)
    }, slots.withPermit)
  }
}
