import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { SqlError } from "effect/sql/SqlError"

const longestPauseMillis = 50
const nanosPerMilli = 1_000_000n

/**
 * Waits for another process's lock on the database file. SQLite's own busy timeout blocks the event loop; this sleeps
 * between attempts. The time counts from when the lock was first seen, for all statements together.
 */
export class LockWait {
  readonly #timeoutMillis: number
  /** Whether a lock was seen since the last write that succeeded. */
  isSeen = false
  #since = 0n
  #lastSeen = 0n

  constructor(timeoutMillis: number) {
    this.#timeoutMillis = timeoutMillis
  }

  /** Runs `again` after a pause, or fails with `error` when the time is up. */
  retry<A>(
    fiber: Fiber.Fiber<unknown, unknown>,
    error: SqlError,
    again: Effect.Effect<A, SqlError>
  ): Effect.Effect<A, SqlError> {
    const waited = this.#waitedMillis(fiber)
    if (waited >= this.#timeoutMillis) return Effect.fail(error)
    const pause = Math.min(Math.max(1, waited), longestPauseMillis, this.#timeoutMillis - waited)
    return Effect.andThen(Effect.sleep(pause), again)
  }

  /** Whether the lock has been held for longer than statements wait. */
  isOver(fiber: Fiber.Fiber<unknown, unknown>): boolean {
    return this.#waitedMillis(fiber) >= this.#timeoutMillis
  }

  /** Call this when a write succeeded. */
  released(): void {
    this.isSeen = false
  }

  #waitedMillis(fiber: Fiber.Fiber<unknown, unknown>): number {
    const now = fiber.getRef(Clock.Clock).monotonicTimeNanosUnsafe()
    // If nobody has seen the lock for a while, it is another one.
    if (!this.isSeen || now - this.#lastSeen > 4n * BigInt(longestPauseMillis) * nanosPerMilli) this.#since = now
    this.isSeen = true
    this.#lastSeen = now
    return Number((now - this.#since) / nanosPerMilli)
  }
}
