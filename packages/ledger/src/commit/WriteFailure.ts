import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { SqlError } from "effect/sql/SqlError"

/** Logs the kind of failure only: the store's message may quote a value. */
export const log = (error: SqlError) => Effect.logError("ledger write failed", { reason: error.reason._tag })

/** Retries until the write succeeds, after pauses that grow to two seconds. */
export const retry = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("2 seconds")])
