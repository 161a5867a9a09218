import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { SqlError } from "effect/sql/SqlError"
import { describeSqlError } from "../store/describeSqlError.ts"

export const log = (error: SqlError) => Effect.logError("ledger write failed", describeSqlError(error))

/** Retries until the write succeeds, after pauses that grow to two seconds. */
export const retry = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("2 seconds")])
