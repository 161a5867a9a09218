import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { SqlClient } from "effect/sql/SqlClient"
import * as Rows from "../store/rows.ts"

/** Reports at a time: each takes a connection of a shared store, and calls need the others. In this process they would only add up. */
const atOnce = (isShared: boolean): number => (isShared ? 2 : 1)

/** After a report the next ones wait this many times as long as it took. */
const restFactor = 3
const longestRestMillis = 5_000

/** Lets reports wait for each other, so that calls get most of the time however many reports are asked for. */
export class ReportTurns {
  readonly #places: Semaphore.Semaphore
  #restsUntil = 0

  constructor(isShared: boolean) {
    this.#places = Semaphore.makeUnsafe(atOnce(isShared))
  }

  run<A, E, R>(report: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return this.#places.withPermit(
      Effect.gen({ self: this }, function* () {
        const rest = this.#restsUntil - (yield* Clock.currentTimeMillis)
        if (rest > 0) yield* Effect.sleep(Math.min(rest, longestRestMillis))
        const started = yield* Clock.currentTimeMillis
        return yield* Effect.ensuring(
          report,
          Effect.map(Clock.currentTimeMillis, (now) => {
            this.#restsUntil = Math.max(this.#restsUntil, now + (now - started) * restFactor)
          })
        )
      })
    )
  }
}

/** The turns of all reports on a store: those of callers and of operators, on totals and on single calls. */
export class StoreTurns extends Context.Service<StoreTurns, ReportTurns>()("@tollgate/ledger/StoreTurns") {
  static readonly layer: Layer.Layer<StoreTurns, never, SqlClient> = Layer.effect(
    StoreTurns,
    Effect.map(SqlClient, (sql) => new ReportTurns(Rows.make(sql).dialect.isShared))
  )
}
